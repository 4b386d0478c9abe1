// SPDX-License-Identifier: Apache-2.0
// Which processes hold a lock on a file, as far as /proc shows them: root sees all of this machine, others their own.
#pragma once

#include <string>

namespace betr {

// The other processes that hold an fcntl lock on the open file `fd`: "pid 12 (fsck.betr), pid 15 (betrcp)". Empty if
// none can be seen. For messages: by the time they are read, others may hold it. Threads: any. Reads all of /proc.
std::string DescribeLockHolders(int fd);

}  // namespace betr
