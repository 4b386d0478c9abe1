// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/exported_attributes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/acl.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// Lists that the directory above gave to it, or that were there before, let others read what the original denies them.
absl::Status RemoveAcls(const FileAttributes& attributes, const HostInode& made) {
  const std::string access(kAccessAcl);
  if (attributes.type == FileType::kSymlink) return absl::OkStatus();
  if (const std::string list(kDefaultAcl); attributes.type == FileType::kDirectory && made.HasXattr(list)) {
    BETR_RETURN_IF_ERROR(made.RemoveXattr(list));
  }
  // Removing it would leave the group what the mask says. Until the mode is set, only the owner has any permissions.
  const Acl none = Acl::OfMode(attributes.permissions & 0700);
  return made.HasXattr(access) ? made.SetXattr(access, none.Encode()) : absl::OkStatus();
}

}  // namespace

ExportedAttributes::ExportedAttributes(FileSystem* fs, const CopyOptions& options, ExportReader* reader)
    : fs_(*fs), options_(options), reader_(*reader), umask_(Umask()), is_root_(geteuid() == 0) {}

// Owner first: it clears the set-id bits. Extended attributes while we may still write. Times last.
absl::Status ExportedAttributes::Set(const Original& original, const HostInode& made) {
  const bool all = options_.all_attributes;
  FileAttributes allowed = original.attributes;
  if (all) {
    if (is_root_) BETR_RETURN_IF_ERROR(reader_.GoOnIfRefused(made.SetOwner(allowed.uid, allowed.gid), original.path));
    BETR_RETURN_IF_ERROR(RemoveAcls(allowed, made));
    made.AllowOwner(S_IRUSR | S_IWUSR);
    BETR_RETURN_IF_ERROR(SetXattrs(original, made, &allowed.permissions));
  } else {
    BETR_RETURN_IF_ERROR(LeaveOutList(original, &allowed.permissions));
    BETR_RETURN_IF_ERROR(RemoveAcls(allowed, made));
  }
  if (allowed.type != FileType::kSymlink) {
    BETR_RETURN_IF_ERROR(reader_.GoOnIfRefused(SetMode(allowed, made), original.path));
  }
  if (!all) return absl::OkStatus();
  return reader_.GoOnIfRefused(made.SetTimes(allowed.accessed, allowed.modified), original.path);
}

absl::StatusOr<bool> ExportedAttributes::AreSet(const Original& original, const HostInode& made) {
  const FileAttributes& wanted = original.attributes;
  BETR_ASSIGN_OR_RETURN(const struct stat there, made.Stat());
  if (is_root_ && (there.st_uid != wanted.uid || there.st_gid != wanted.gid)) return false;
  const bool has_mode = wanted.type == FileType::kSymlink || (there.st_mode & 07777) == ModeFor(wanted, there);
  if (!has_mode || ToFileTime(there.st_mtim) != wanted.modified) return false;
  return HasXattrs(original, made);
}

absl::Status ExportedAttributes::SetMode(const FileAttributes& attributes, const HostInode& made) const {
  BETR_ASSIGN_OR_RETURN(const struct stat there, made.Stat());
  return made.SetPermissions(ModeFor(attributes, there));
}

mode_t ExportedAttributes::ModeFor(const FileAttributes& attributes, const struct stat& there) const {
  constexpr mode_t kSetIds = S_ISUID | S_ISGID;
  const bool all = options_.all_attributes;
  mode_t mode = all ? attributes.permissions : attributes.permissions & 0777 & ~umask_;
  // A copy that does not belong to the original's owner on the host must not run as somebody else there.
  if (there.st_uid != attributes.uid || there.st_gid != attributes.gid) mode &= ~kSetIds;
  // A directory gets it from the one that it is in.
  if (!all && attributes.type == FileType::kDirectory) mode |= there.st_mode & S_ISGID;
  return mode;
}

absl::Status ExportedAttributes::SetXattrs(const Original& original, const HostInode& made, uint32_t* permissions) {
  BETR_ASSIGN_OR_RETURN(std::vector<std::string> names, fs_.ListXattrs(original.inode));
  if (options_.update) BETR_RETURN_IF_ERROR(RemoveOtherXattrs(names, made));
  // Last what may take away the permission to set others.
  std::ranges::stable_sort(names, {}, [](const std::string& name) { return name == kAccessAcl; });
  for (const std::string& name : names) {
    const absl::StatusOr<std::string> value = fs_.GetXattr(original.inode, name);
    if (!value.ok()) {
      const absl::Status without = Annotate(value.status(), "without attribute");
      BETR_RETURN_IF_ERROR(Annotate(reader_.PassOver(without, original.path), original.path));
      continue;
    }
    // Hosts have room for less than an image has. How much differs between hosts.
    if (const absl::Status set = made.SetXattr(name, *value); !set.ok()) {
      BETR_RETURN_IF_ERROR(reader_.GoOnWithout(Annotate(set, "without " + name), original.path));
    }
    if (name == kAccessAcl && !made.HasXattr(name)) *permissions = WithoutList(*permissions, *value);
  }
  return absl::OkStatus();
}

absl::Status ExportedAttributes::LeaveOutList(const Original& original, uint32_t* permissions) {
  const absl::StatusOr<std::string> value = fs_.GetXattr(original.inode, kAccessAcl);
  if (value.ok()) {
    *permissions = WithoutList(*permissions, *value);
  } else if (ToErrno(value.status()) != ENODATA) {
    *permissions &= ~070U;  // it may give the group nothing
    const absl::Status without = Annotate(value.status(), "without what the group may");
    return Annotate(reader_.PassOver(without, original.path), original.path);
  }
  return absl::OkStatus();
}

std::vector<std::string> ExportedAttributes::Others(const std::vector<std::string>& names,
                                                    const HostXattrs& there) const {
  std::vector<std::string> others;
  const auto is_other = [&](const std::string& name) {
    return !std::ranges::binary_search(names, name) && MayRemove(name);
  };
  for (const auto& [name, value] : there.values) {
    if (is_other(name)) others.push_back(name);
  }
  for (const auto& [name, why] : there.withheld) {
    if (is_other(name) && IsXattrOfAnybody(name)) others.push_back(name);
  }
  return others;
}

absl::Status ExportedAttributes::RemoveOtherXattrs(const std::vector<std::string>& names, const HostInode& made) const {
  BETR_ASSIGN_OR_RETURN(const HostXattrs there, made.Xattrs());
  for (const std::string& name : Others(names, there)) BETR_RETURN_IF_ERROR(made.RemoveXattr(name));
  return absl::OkStatus();
}

absl::StatusOr<bool> ExportedAttributes::HasXattrs(const Original& original, const HostInode& made) {
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(original.inode));
  BETR_ASSIGN_OR_RETURN(const HostXattrs there, made.Xattrs());
  for (const std::string& name : names) {
    if (!is_root_ && !IsXattrOfAnybody(name)) continue;
    const absl::StatusOr<std::string> value = fs_.GetXattr(original.inode, name);
    if (!value.ok() || !std::ranges::binary_search(there.values, std::pair(name, *value))) return false;
  }
  return Others(names, there).empty();
}

// The labels of the host's security modules are up to the host. What lets a file do more is not.
bool ExportedAttributes::MayRemove(const std::string& xattr) const {
  if (!is_root_) return IsXattrOfAnybody(xattr);
  return !xattr.starts_with("security.") || xattr == "security.capability";
}

}  // namespace betr::fs
