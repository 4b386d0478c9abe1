// SPDX-License-Identifier: Apache-2.0
// Which crash of a session is tried next.
#pragma once

#include "base/random.h"
#include "device/write_history.h"

namespace betr::test {

// After any number of events: everything arrived; the last write is torn; any writes arrived, blocks or sectors of
// them, in any order; all of the epoch but one write.
CrashPlan ChooseCrash(const WriteHistory& history, Random& random);

}  // namespace betr::test
