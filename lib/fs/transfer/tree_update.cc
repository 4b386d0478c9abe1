// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/tree_update.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// Smaller files are written anew, since that does not take reading what they had.
constexpr uint64_t kLargeFile = uint64_t{1} << 20;

// Whether nothing is wanted, or what is wanted is so already.
template <class T>
bool Is(const std::optional<T>& wanted, const T& value) {
  return !wanted.has_value() || *wanted == value;
}

absl::Status CompareXattrs(FileSystem& fs, InodeId inode, const HostXattrs& xattrs, InodeDifference* difference) {
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.ListXattrs(inode));
  for (const auto& [name, value] : xattrs.values) {
    if (std::ranges::binary_search(names, name)) {
      const absl::StatusOr<std::string> there = fs.GetXattr(inode, name);
      if (there.ok() && *there == value) continue;
    }
    difference->to_set.emplace_back(name, value);
  }
  for (const std::string& name : names) {
    const auto has_name = [&](const auto& xattr) { return xattr.first == name; };
    const bool is_wanted =
        std::ranges::any_of(xattrs.values, has_name) || std::ranges::any_of(xattrs.withheld, has_name);
    if (!is_wanted && (geteuid() == 0 || IsXattrOfAnybody(name))) difference->to_remove.push_back(name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InodeDifference> Compare(FileSystem& fs, InodeId inode, const std::optional<HostXattrs>& xattrs,
                                        const AttributeChange& attributes) {
  InodeDifference difference;
  if (xattrs.has_value()) BETR_RETURN_IF_ERROR(CompareXattrs(fs, inode, *xattrs, &difference));
  BETR_ASSIGN_OR_RETURN(const FileAttributes now, fs.GetAttributes(inode));
  difference.change = attributes;
  difference.has_change = !Is(attributes.permissions, now.permissions) || !Is(attributes.uid, now.uid) ||
                          !Is(attributes.gid, now.gid) || !Is(attributes.modified, now.modified);
  return difference;
}

absl::Status Apply(FileSystem& fs, InodeId inode, const InodeDifference& difference) {
  for (const std::string& name : difference.to_remove) BETR_RETURN_IF_ERROR(fs.RemoveXattr(inode, name));
  for (const auto& [name, value] : difference.to_set) BETR_RETURN_IF_ERROR(fs.SetXattr(inode, name, value));
  return difference.Empty() ? absl::OkStatus() : fs.SetAttributes(inode, difference.change).status();
}

absl::StatusOr<std::optional<TreeUpdate::Found>> TreeUpdate::Find(InodeId directory, std::string_view name) {
  const absl::StatusOr<Entry> entry = fs_.Lookup(directory, name);
  if (ToErrno(entry.status()) == ENOENT) return std::nullopt;
  if (!entry.ok()) return entry.status();
  return Found{Held(&fs_, entry->inode), entry->attributes};
}

absl::StatusOr<bool> TreeUpdate::HasContentOf(const Found& found, const struct stat& source, const std::string& link) {
  if (!LooksAlike(found.attributes, source)) return false;
  if (found.attributes.type != FileType::kSymlink) return true;
  BETR_ASSIGN_OR_RETURN(const std::string target, fs_.ReadLink(found.inode.inode()));
  return target == link;
}

bool TreeUpdate::MayChange(const FileAttributes& attributes, const struct stat& source) {
  const uint64_t size = std::min(attributes.size, static_cast<uint64_t>(source.st_size));
  return attributes.type == FileType::kRegular && attributes.links == 1 && size >= kLargeFile;
}

bool TreeUpdate::Claim(const FileAttributes& attributes, const struct stat& source) {
  const HostFileId id = IdOf(source);
  if (attributes.links > 1 || source.st_nlink > 1) {
    return copies_.try_emplace(attributes.inode_number, id).first->second == id;
  }
  const auto taken = copies_.find(attributes.inode_number);
  return taken == copies_.end() || taken->second == id;
}

}  // namespace betr::fs
