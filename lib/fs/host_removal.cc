// SPDX-License-Identifier: Apache-2.0
#include "fs/host_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/status.h"
#include "fs/host_file.h"

namespace betr::fs {
namespace {

class HostRemoval {
 public:
  HostRemoval(dev_t device, const std::optional<HostFileId>& image) : device_(device), image_(image) {}

  absl::Status Remove(HostDirectory* directory, const std::string& name, const std::string& path) {
    struct stat there {};
    if (fstatat(directory->get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return HostError(path, "stat");
    if (IdOf(there) == image_) return ErrnoError(EBUSY, path + ": is the image");
    if (!S_ISDIR(there.st_mode)) return Unlink(*directory, name, path, 0);
    if (there.st_dev != device_) return ErrnoError(EBUSY, path + ": something is mounted there");
    BETR_RETURN_IF_ERROR(RemoveContent(directory, name, path));
    return Unlink(*directory, name, path, AT_REMOVEDIR);
  }

 private:
  absl::Status RemoveContent(HostDirectory* above, const std::string& name, const std::string& path) {
    BETR_ASSIGN_OR_RETURN(HostDirectory opened, HostDirectory::Enter(above, name, path));
    const absl::Status removed = RemoveEntries(&opened, path);
    if (absl::IsAborted(removed)) return removed;
    BETR_RETURN_IF_ERROR(opened.Leave(path));
    return removed;
  }

  absl::Status RemoveEntries(HostDirectory* opened, const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListHostDirectory(opened->get(), path));
    for (const std::string& name : names) BETR_RETURN_IF_ERROR(Remove(opened, name, path + "/" + name));
    return absl::OkStatus();
  }

  static absl::Status Unlink(const HostDirectory& directory, const std::string& name, const std::string& path,
                             int flags) {
    if (unlinkat(directory.get(), name.c_str(), flags) == 0) return absl::OkStatus();
    return HostError(path, flags == AT_REMOVEDIR ? "rmdir" : "unlink");
  }

  const dev_t device_;  // of the directory that all of it is in
  const std::optional<HostFileId>& image_;
};

}  // namespace

absl::Status RemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                            const std::optional<HostFileId>& image) {
  struct stat above {};
  if (fstatat(directory->get(), "", &above, AT_EMPTY_PATH) != 0) return HostError(path, "stat");
  return HostRemoval(above.st_dev, image).Remove(directory, name, path);
}

}  // namespace betr::fs
