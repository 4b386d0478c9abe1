// SPDX-License-Identifier: Apache-2.0
// What a run costs the disk and the processor, and a cold start.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "betr/units.h"

namespace betr::bench {

// Bytes that this process, all threads together, has handed to write calls (wchar of /proc/self/io). 0 where that is
// unknown.
Bytes BytesWritten();

// Processor time of all threads of this process, user and system, in seconds.
double ProcessorTime();

// What the files below `directory` take on disk: blocks, not sizes.
Bytes BytesOnDisk(const std::string& directory);

// Writes back the files below `directory` and drops them from the kernel's page cache. Needs no privilege; works for
// files that nobody has mapped.
absl::Status DropFromPageCache(const std::string& directory);

}  // namespace betr::bench
