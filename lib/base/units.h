// SPDX-License-Identifier: Apache-2.0
// The strong types are part of the public interface; inside the library they are found here.
#pragma once

#include "betr/units.h"  // IWYU pragma: export
