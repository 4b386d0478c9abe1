// SPDX-License-Identifier: Apache-2.0
// Chooses which crash of a session is tried next.
#pragma once

#include "base/random.h"
#include "device/write_history.h"

namespace betr::test {

// Chooses a crash after any number of events. Either everything arrived; or the last write is torn; or any writes
// arrived, or blocks or sectors of them, in any order; or all of the epoch arrived but one write.
CrashPlan ChooseCrash(const WriteHistory& history, Random& random);

}  // namespace betr::test
