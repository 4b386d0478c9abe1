// SPDX-License-Identifier: Apache-2.0
// What a run costs in disk and processor time; also a cold start.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "betr/units.h"

namespace betr::bench {

// Returns the bytes that all threads of this process have handed to write calls (wchar of /proc/self/io). 0 where that
// is unknown.
Bytes BytesWritten();

// Returns the processor time of all threads of this process, user and system, in seconds.
double ProcessorTime();

// Returns what the files below `directory` take on disk: blocks, not sizes.
Bytes BytesOnDisk(const std::string& directory);

// Writes back the files below `directory` and drops them from the kernel's page cache. Needs no privilege; works for
// files that nobody has mapped.
absl::Status DropFromPageCache(const std::string& directory);

}  // namespace betr::bench
