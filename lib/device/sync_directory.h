// SPDX-License-Identifier: Apache-2.0
// Makes the name of a file durable. A flush of the file alone does not: after a crash a new file may be gone, with all
// that was flushed into it.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr {

// Flushes the directory that a path lies in. Does nothing where directories cannot be flushed (EINVAL): such a file
// system has nothing more to give. Errors: as of DeviceError, naming the directory.
absl::Status SyncDirectoryOf(const std::string& path);

}  // namespace betr
