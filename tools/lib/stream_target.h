// SPDX-License-Identifier: Apache-2.0
// Targets on the host that a copy would replace, while who names them wants it to write to them.
#pragma once

#include <string>

namespace betr::tools {

// A character or block device, and no link to one.
bool IsDeviceItself(const std::string& path);

// Whether `path` is neither a regular file nor a directory, or leads by symbolic links to such, or into /proc: there
// links stand for what a process has open.
bool LeadsToStream(const std::string& path);

}  // namespace betr::tools
