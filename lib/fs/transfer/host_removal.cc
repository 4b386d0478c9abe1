// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/host_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>
#include <vector>

#include "base/status.h"
#include "fs/transfer/host_file.h"
#include "fs/transfer/host_inode.h"

namespace betr::fs {
namespace {

// Without recursion: there are trees deeper than a stack is large.
class HostRemoval {
 public:
  // With `lost` this is only a trial.
  HostRemoval(const std::optional<HostFileId>& image, std::string path, LostNames* lost)
      : image_(image), path_(std::move(path)), lost_(lost) {}

  absl::Status Remove(HostDirectory* directory, const std::string& name) {
    absl::Status status = RemoveOrEnter(directory, name);
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (status.ok() && !level.names.empty()) {
        const std::string next = std::move(level.names.back());
        level.names.pop_back();
        path_.resize(level.path_size);
        path_.append("/").append(next);
        status = RemoveOrEnter(&level.opened, next);
      } else {
        status = Leave(status);
      }
    }
    return status;
  }

 private:
  // A directory that we are in.
  struct Level {
    HostDirectory* above;
    std::string name;  // there
    HostDirectory opened;
    size_t path_size;
    std::vector<std::string> names;  // not yet removed, the next one last
  };

  absl::Status RemoveOrEnter(HostDirectory* above, const std::string& name) {
    struct stat there {};
    if (fstatat(above->get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return HostError(path_, "stat");
    if (IdOf(there) == image_) return ErrnoError(EBUSY, path_ + ": is the image");
    if (!S_ISDIR(there.st_mode)) {
      if (lost_ != nullptr) ++(*lost_)[IdOf(there)];
      return Unlink(*above, name, 0);
    }
    if (IsMounted(above->get(), name)) return ErrnoError(EBUSY, path_ + ": something is mounted there");
    if (lost_ == nullptr) HostInode(-1, above->get(), name, path_).AllowOwner(S_IRWXU);
    BETR_ASSIGN_OR_RETURN(HostDirectory opened, HostDirectory::Enter(above, name, path_));
    levels_.push_back({above, name, std::move(opened), path_.size(), {}});
    Level& level = levels_.back();
    BETR_ASSIGN_OR_RETURN(level.names, ListHostDirectory(level.opened.get(), path_));
    std::reverse(level.names.begin(), level.names.end());
    return absl::OkStatus();
  }

  // The innermost level, which is empty if all went well, and removed then.
  absl::Status Leave(const absl::Status& status) {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (absl::IsAborted(status)) return status;
    path_.resize(level.path_size);
    BETR_RETURN_IF_ERROR(level.opened.Leave(path_));
    return status.ok() ? Unlink(*level.above, level.name, AT_REMOVEDIR) : status;
  }

  absl::Status Unlink(const HostDirectory& directory, const std::string& name, int flags) const {
    if (lost_ != nullptr || unlinkat(directory.get(), name.c_str(), flags) == 0) return absl::OkStatus();
    return HostError(path_, flags == AT_REMOVEDIR ? "rmdir" : "unlink");
  }

  const std::optional<HostFileId>& image_;
  std::string path_;  // of what is looked at
  LostNames* const lost_;
  std::deque<Level> levels_;
};

}  // namespace

absl::Status RemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                            const std::optional<HostFileId>& image) {
  return HostRemoval(image, path, nullptr).Remove(directory, name);
}

absl::Status TryToRemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                                 const std::optional<HostFileId>& image, LostNames* lost) {
  return HostRemoval(image, path, lost).Remove(directory, name);
}

}  // namespace betr::fs
