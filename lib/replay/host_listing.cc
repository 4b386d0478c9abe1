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
#include <vector>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "fs/transfer/host_file.h"

namespace betr::replay {
namespace {

// Where a directory is.
struct ListedPlace {
  std::string below;  // the host's directory
  std::string host;   // for messages
  std::string path;   // in the listing
};

class HostLister {
 public:
  explicit HostLister(const ConfinedDirectory& host) : host_(host) {}

  // Lists what is in a directory, and remembers the directories in it. Neither stack nor descriptors are taken for
  // those above: a replayed tree may be deep.
  absl::Status AddBelow(const ListedPlace& place) {
    const ScopedFd found = host_.Find(place.below);
    if (found.get() < 0) return fs::HostError(place.host, "open");
    const ScopedFd directory = ConfinedDirectory::OpenFound(found.get(), O_RDONLY | O_DIRECTORY);
    if (directory.get() < 0) return fs::HostError(place.host, "open");
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs::ListHostDirectory(directory.get(), place.host));
    for (const std::string& name : names) {
      ListedPlace child = {fmt::format("{}/{}", place.below, name), fmt::format("{}/{}", place.host, name),
                           fmt::format("{}/{}", place.path == "/" ? "" : place.path, name)};
      struct stat status {};
      if (fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return fs::HostError(child.host, "stat");
      }
      BETR_RETURN_IF_ERROR(Add(directory.get(), name, child.host, child.path, status));
      if (S_ISDIR(status.st_mode) && child.path.size() <= kLongestListedPath) pending_.push_back(std::move(child));
    }
    return absl::OkStatus();
  }

  absl::Status AddAllBelow(ListedPlace place) {
    pending_.push_back(std::move(place));
    while (!pending_.empty()) {
      const ListedPlace next = std::move(pending_.back());
      pending_.pop_back();
      BETR_RETURN_IF_ERROR(AddBelow(next));
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
    if (IsDevice(entry.type)) entry.device = status.st_rdev;
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
  const ConfinedDirectory& host_;
  std::vector<ListedPlace> pending_;
  std::map<std::pair<dev_t, ino_t>, uint64_t> groups_;
  Manifest manifest_;
};

}  // namespace

absl::StatusOr<Manifest> ListHost(const ConfinedDirectory& host, const std::string& path, const std::string& root) {
  HostLister lister(host);
  struct stat status {};
  if (fstat(host.get(), &status) != 0) return fs::HostError(path, "stat");
  BETR_RETURN_IF_ERROR(lister.Add(host.get(), ".", path, root, status));
  BETR_RETURN_IF_ERROR(lister.AddAllBelow({".", path, root}));
  return lister.Take();
}

}  // namespace betr::replay
