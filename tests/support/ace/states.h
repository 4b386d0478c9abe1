// SPDX-License-Identifier: Apache-2.0
// Which images of a recorded workload are looked at.
#pragma once

#include <vector>

#include "base/random.h"
#include "device/write_history.h"

namespace betr::ace {

// After every device write, and of each flush.
std::vector<CrashPlan> CrashesAfterWrites(const WriteHistory& history);

// After every device write; all subsets of each epoch's writes, or 64 drawn ones if there are more than 8; each of
// these with its last write torn. No image twice, but by chance.
std::vector<CrashPlan> AllCrashes(const WriteHistory& history, Random& random);

}  // namespace betr::ace
