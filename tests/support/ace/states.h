// SPDX-License-Identifier: Apache-2.0
// Chooses which images of a recorded workload are looked at.
#pragma once

#include <vector>

#include "base/random.h"
#include "device/write_history.h"

namespace betr::ace {

// Returns crashes after every device write and after each flush.
std::vector<CrashPlan> CrashesAfterWrites(const WriteHistory& history);

// Returns crashes after every device write, and all subsets of each epoch's writes, or 64 drawn ones if there are more
// than 8. Each of these also comes with its last write torn. No image comes twice, except by chance.
std::vector<CrashPlan> AllCrashes(const WriteHistory& history, Random& random);

}  // namespace betr::ace
