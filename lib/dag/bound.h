// SPDX-License-Identifier: Apache-2.0
// Bounds and ranges are part of the public interface; inside the library they are found here.
#pragma once

#include "betr/bound.h"  // IWYU pragma: export
