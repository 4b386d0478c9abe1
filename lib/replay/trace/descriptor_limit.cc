// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/descriptor_limit.h"

#include <sys/resource.h>

namespace betr::replay {

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace betr::replay
