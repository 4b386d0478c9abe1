// SPDX-License-Identifier: Apache-2.0
// Recognises targets on the host that a copy would replace, although whoever names them wants it to write to them.
#pragma once

#include <string>

namespace betr::tools {

// Whether `path` itself, and not a link at it, is a character or block device.
bool IsDeviceItself(const std::string& path);

// Whether writing to `path` means writing to a stream. `path` is then neither a regular file nor a directory, leads
// through symbolic links to such, or leads into /proc, where links stand for what a process has open.
bool LeadsToStream(const std::string& path);

}  // namespace betr::tools
