// SPDX-License-Identifier: Apache-2.0
#include "replay/host_listing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <map>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "fs/host_file.h"

namespace betr::replay {
namespace {

class HostLister {
 public:
  absl::Status AddBelow(int directory, const std::string& host, const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs::ListHostDirectory(directory, host));
    for (const std::string& name : names) {
      const std::string child_host = fmt::format("{}/{}", host, name);
      struct stat status {};
      if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return fs::HostError(child_host, "stat");
      const std::string child_path = fmt::format("{}/{}", path == "/" ? "" : path, name);
      BETR_RETURN_IF_ERROR(Add(directory, name, child_host, child_path, status));
      if (!S_ISDIR(status.st_mode)) continue;
      BETR_ASSIGN_OR_RETURN(const ScopedFd child, fs::OpenAt(directory, name, O_RDONLY | O_DIRECTORY, 0, child_host));
      BETR_RETURN_IF_ERROR(AddBelow(child.get(), child_host, child_path));
    }
    return absl::OkStatus();
  }

  absl::Status Add(int directory, const std::string& name, const std::string& host, const std::string& path,
                   const struct stat& status) {
    ManifestEntry entry{.path = path, .permissions = status.st_mode & 07777};
    entry.type = TypeOfMode(status.st_mode).value_or(FileType::kRegular);
    const bool has_size = entry.type == FileType::kRegular || entry.type == FileType::kSymlink;
    if (has_size) entry.size = static_cast<uint64_t>(status.st_size);
    if (entry.type == FileType::kSymlink) {
      std::array<char, PATH_MAX> target{};
      const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
      if (size < 0) return fs::HostError(host, "readlink");
      entry.target.assign(target.data(), static_cast<size_t>(size));
    }
    const bool is_device = entry.type == FileType::kCharDevice || entry.type == FileType::kBlockDevice;
    if (is_device) entry.device = status.st_rdev;
    if (status.st_nlink > 1 && entry.type != FileType::kDirectory) {
      entry.link_group = groups_.emplace(std::pair(status.st_dev, status.st_ino), groups_.size() + 1).first->second;
    }
    manifest_.entries.push_back(std::move(entry));
    return absl::OkStatus();
  }

  Manifest Take() {
    Sort(&manifest_);
    return std::move(manifest_);
  }

 private:
  std::map<std::pair<dev_t, ino_t>, uint64_t> groups_;
  Manifest manifest_;
};

}  // namespace

absl::StatusOr<Manifest> ListHost(int descriptor, const std::string& path, const std::string& root) {
  HostLister lister;
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return fs::HostError(path, "stat");
  BETR_RETURN_IF_ERROR(lister.Add(descriptor, ".", path, root, status));
  BETR_RETURN_IF_ERROR(lister.AddBelow(descriptor, path, root));
  return lister.Take();
}

}  // namespace betr::replay
