// SPDX-License-Identifier: Apache-2.0
// Cleans up after a mount.betr that was killed, before its image is mounted again.
//
// Usually it leaves a mount without a connection. But it may also be unable to end, if it was killed while the kernel
// wrote back a mapped file or invalidated a name for it. Then its thread waits in the kernel for a request, the request
// waits for the server, and the kernel ends the connection only with the last thread. Until the mount is forced away,
// the image stays locked and programs that use the mount hang.
#pragma once

#include <string>

namespace betr::fuse {

// Forces away the mounts of `source` if such a server has the image, except mounts whose server answers. Only root can
// do this. For others, Store::OpenImage says who has the image, and they can ask root for `umount -f`. Requires: this
// process has one thread.
void EndKilledServer(const std::string& image, const std::string& source);

// Unmounts betr mounts that are stacked on the directory, from the top, until there is one that somebody serves.
// Requires: this process has one thread.
void ClearDeadMount(const std::string& directory);

}  // namespace betr::fuse
