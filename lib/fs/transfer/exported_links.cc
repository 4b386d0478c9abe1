// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/exported_links.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// The directory that a place is in, one component at a time.
absl::StatusOr<ScopedFd> OpenParent(const ExportedLinks::Place& place, std::string* name) {
  const std::string_view path = place.path;
  ScopedFd directory(AT_FDCWD);
  *name = path.substr(0, place.top_size);
  for (size_t at = place.top_size; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (end > at) {
      absl::StatusOr<ScopedFd> below = OpenAt(directory.get(), *name, O_PATH | O_DIRECTORY, 0, path);
      if (!below.ok()) return below.status();
      directory = *std::move(below);
      *name = path.substr(at, end - at);
    }
    at = end + 1;
  }
  return directory;
}

}  // namespace

void ExportedLinks::Remember(uint64_t inode_number, Place place, HostFileId made) {
  made_.insert_or_assign(inode_number, Made{std::move(place), made});
  inode_number_.insert_or_assign(made, inode_number);
}

std::optional<ExportedLinks::First> ExportedLinks::Find(uint64_t inode_number) const {
  const auto found = made_.find(inode_number);
  if (found == made_.end()) return std::nullopt;
  First first{ScopedFd(), "", found->second.id};
  absl::StatusOr<ScopedFd> directory = OpenParent(found->second.place, &first.name);
  if (!directory.ok()) return std::nullopt;
  first.directory = *std::move(directory);
  struct stat there {};
  const bool is_there = fstatat(first.directory.get(), first.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there || IdOf(there) != first.id) return std::nullopt;
  return first;
}

void ExportedLinks::Forget(HostFileId made) {
  const auto found = inode_number_.find(made);
  if (found == inode_number_.end()) return;
  if (const auto link = made_.find(found->second); link != made_.end() && link->second.id == made) made_.erase(link);
  inode_number_.erase(found);
}

}  // namespace betr::fs
