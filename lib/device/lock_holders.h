// SPDX-License-Identifier: Apache-2.0
// Which processes hold a lock on a file, as far as /proc shows them: root sees all of this machine, others their own.
#pragma once

#include <string>

namespace betr {

// "pid 12 (fsck.betr), pid 15 (betrcp)": the other processes that hold a lock of fcntl on the open file `fd`; empty if
// none can be seen. For messages: by the time they are read, others may hold it. Any thread; reads all of /proc.
std::string DescribeLockHolders(int fd);

}  // namespace betr
