// SPDX-License-Identifier: Apache-2.0
// What a killed mount.betr leaves behind, taken away before the image is mounted again.
//
// Usually that is a mount without a connection. But a server that was killed while it had the kernel write back a
// mapped file, or invalidate a name, may be unable to end: its thread waits in the kernel for a request, the request
// for the server, and the kernel only ends the connection with the last thread. Until the mount is forced away the
// image stays locked, and programs that use the mount hang.
#pragma once

#include <string>

namespace betr::fuse {

// Forces the mounts of `source` away if the image's owner is a server like that, but for those whose server answers.
// Only root can; others are told by Store::OpenImage who has the image, and can ask root for `umount -f`. Requires:
// this process has one thread.
void EndKilledServer(const std::string& image, const std::string& source);

// Takes the betr mounts on top of each other away from the directory that nobody serves any more. Requires: this
// process has one thread.
void ClearDeadMount(const std::string& directory);

}  // namespace betr::fuse
