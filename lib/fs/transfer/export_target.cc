// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/export_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/status.h"
#include "fs/replace.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// In a trial nothing is made, so nothing else would notice that the directory which the user has named is missing.
absl::Status FindParent(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  const size_t slash = end == std::string::npos ? end : path.rfind('/', end);
  if (slash == std::string::npos) return absl::OkStatus();
  return OpenAt(AT_FDCWD, path.substr(0, slash + 1), O_PATH | O_DIRECTORY, 0, path).status();
}

}  // namespace

ExportTarget ExportTarget::Below(HostDirectory* opened, const std::string& entry, bool in_mount) const {
  const std::string_view between = source.ends_with('/') ? "" : "/";
  return {.directory = opened,
          .name = entry,
          .path = path + "/" + entry,
          .top_size = top_size,
          .source = source + std::string(between) + entry,
          .is_in_mount = in_mount};
}

absl::StatusOr<std::optional<struct stat>> ExportTargets::Look(const ExportTarget& target) const {
  if (target.directory->IsAbsent()) return std::nullopt;
  struct stat there {};
  if (fstatat(target.directory->get(), target.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return HostError(target.path, "stat");
    return std::nullopt;
  }
  if (const auto lost = lost_.find(IdOf(there)); lost != lost_.end()) there.st_nlink -= lost->second;
  return there;
}

absl::Status ExportTargets::MakeRoom(const ExportTarget& target, FileType type) {
  BETR_ASSIGN_OR_RETURN(const std::optional<struct stat> there, Look(target));
  if (there) BETR_RETURN_IF_ERROR(GiveWay(target, *there, type));
  if (options_.dry_run && target.IsNamed()) BETR_RETURN_IF_ERROR(FindParent(target.path));
  const bool is_new = !there || S_ISDIR(there->st_mode) != (type == FileType::kDirectory);
  const bool takes = is_new || type != FileType::kDirectory;
  if (takes && options_.written) options_.written(target.path, is_new);
  return absl::OkStatus();
}

// A directory gives way to a file, or a file to a directory, only with CopyOptions::remove_others. What the user has
// named, what is excluded, and what is in something mounted never does.
absl::Status ExportTargets::GiveWay(const ExportTarget& target, const struct stat& there, FileType type) {
  const bool for_directory = type == FileType::kDirectory;
  // A user who names `/dev/null` as the target of a file does not want it replaced by that file.
  if (!IsDevice(type) && (S_ISCHR(there.st_mode) || S_ISBLK(there.st_mode))) {
    return ErrnoError(EEXIST, target.path + ": is a device, which only a device replaces");
  }
  if (options_.image == IdOf(there)) return ErrnoError(EINVAL, target.path + ": is the image");
  const bool may_give_way = options_.remove_others && !target.IsNamed() && !target.is_in_mount && !IsExcluded(target);
  if (may_give_way && S_ISDIR(there.st_mode) != for_directory) return Remove(target);
  BETR_RETURN_IF_ERROR(Annotate(CheckReplaces(S_ISDIR(there.st_mode), for_directory), target.path));
  if (there.st_nlink == 1) {
    links_.Forget(IdOf(there));
    update_.Forget(IdOf(there));
  }
  if (for_directory) return absl::OkStatus();
  if (options_.dry_run) {
    ++lost_[IdOf(there)];
    return absl::OkStatus();
  }
  const bool has_gone = unlinkat(target.directory->get(), target.name.c_str(), 0) == 0;
  return has_gone ? absl::OkStatus() : HostError(target.path, "unlink");
}

absl::StatusOr<bool> ExportTargets::MakeDirectory(const ExportTarget& target) {
  BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kDirectory));
  if (options_.dry_run) {
    BETR_ASSIGN_OR_RETURN(const std::optional<struct stat> there, Look(target));
    return !there || !S_ISDIR(there->st_mode);
  }
  if (mkdirat(target.directory->get(), target.name.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return HostError(target.path, "mkdir");
  return false;
}

absl::Status ExportTargets::MakeSpecial(const ExportTarget& target, const FileAttributes& attributes,
                                        const std::string& link) {
  BETR_RETURN_IF_ERROR(MakeRoom(target, attributes.type));
  if (options_.dry_run) return absl::OkStatus();
  const int directory = target.directory->get();
  if (attributes.type == FileType::kSymlink) {
    const bool is_made = symlinkat(link.c_str(), directory, target.name.c_str()) == 0;
    return is_made ? absl::OkStatus() : HostError(target.path, "symlink");
  }
  const mode_t mode = ModeBits(attributes.type) | 0600;
  const bool is_made = mknodat(directory, target.name.c_str(), mode, static_cast<dev_t>(attributes.device)) == 0;
  return is_made ? absl::OkStatus() : HostError(target.path, "mknod");
}

absl::Status ExportTargets::MakeLink(const ExportTarget& target, const ExportedLinks::First& first) {
  if (options_.dry_run) return absl::OkStatus();
  const int from = first.directory.get();
  const bool is_made = linkat(from, first.name.c_str(), target.directory->get(), target.name.c_str(), 0) == 0;
  return is_made ? absl::OkStatus() : HostError(target.path, "link");
}

absl::StatusOr<ScopedFd> ExportTargets::MakeFile(const ExportTarget& target) {
  BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kRegular));
  if (options_.dry_run) return ScopedFd();
  return OpenAt(target.directory->get(), target.name, O_WRONLY | O_CREAT | O_EXCL, 0600, target.path);
}

absl::Status ExportTargets::Remove(const ExportTarget& target) {
  BETR_RETURN_IF_ERROR(options_.dry_run
                           ? TryToRemoveHostTree(target.directory, target.name, target.path, options_.image, &lost_)
                           : RemoveHostTree(target.directory, target.name, target.path, options_.image));
  ++totals_.removed;
  if (options_.removed) options_.removed(target.path);
  return absl::OkStatus();
}

bool ExportTargets::IsExcluded(const ExportTarget& target, FileType type) const {
  return options_.exclusions.Excludes(std::string_view(target.path).substr(target.top_size), type);
}

bool ExportTargets::IsExcluded(const ExportTarget& target) const {
  const absl::StatusOr<std::optional<struct stat>> there = Look(target);
  if (!there.ok() || !*there) return false;
  return IsExcluded(target, TypeOfMode((*there)->st_mode).value_or(FileType::kRegular));
}

}  // namespace betr::fs
