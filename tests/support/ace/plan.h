// SPDX-License-Identifier: Apache-2.0
// What has to be called for a workload: its operations, what must be there before each of them, and what makes them
// persistent. All of it is part of the recorded run, as in ACE:
//
//   directories above, files that are used or synced         are made
//   32 KiB of content, where content is changed              are written into empty files
//   an attribute to remove                                   is set
//   what is where something is to be made, linked or cloned  is removed; a rename replaces a file or an empty directory
#pragma once

#include <vector>

#include "support/ace/call.h"
#include "support/ace/workload.h"

namespace betr::ace {

std::vector<Call> PlanCalls(const Workload& workload);

}  // namespace betr::ace
