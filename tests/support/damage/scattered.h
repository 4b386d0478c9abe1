// SPDX-License-Identifier: Apache-2.0
// A subject with maps of scattered extents.
#pragma once

#include "support/damage/subject.h"

namespace betr::test {

// All nodes of more than a unit and both copies of the catalog are scattered, now and at an earlier moment.
Subject ScatteredStore();

}  // namespace betr::test
