// SPDX-License-Identifier: Apache-2.0
#include "fs/tar_directories.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status.h"

namespace betr::fs {

absl::StatusOr<InodeId> TarDirectories::Enter(std::span<const std::string> path) {
  if (levels_.empty()) {
    BETR_ASSIGN_OR_RETURN(const Entry root, fs_.Lookup(kRootInode, "."));
    BETR_ASSIGN_OR_RETURN(OpenFile file, OpenFile::Take(&fs_, root));
    levels_.push_back({"", std::move(file), root.attributes});
  }
  size_t common = 0;
  while (common < path.size() && common + 1 < levels_.size() && levels_[common + 1].name == path[common]) ++common;
  BETR_RETURN_IF_ERROR(LeaveBelow(common + 1));
  for (const std::string& name : path.subspan(common)) {
    BETR_ASSIGN_OR_RETURN(const Entry entry, Find(levels_.back().directory.inode(), name));
    BETR_ASSIGN_OR_RETURN(OpenFile file, OpenFile::Take(&fs_, entry));
    if (entry.attributes.type != FileType::kDirectory) return ErrnoError(ENOTDIR, name);
    levels_.push_back({name, std::move(file), entry.attributes});
  }
  return levels_.back().directory.inode();
}

absl::Status TarDirectories::Keep(InodeId directory) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(directory));
  keeping_.insert(attributes.inode_number);
  for (Level& level : levels_) {
    if (level.directory.inode() == directory) level.attributes = attributes;
  }
  return absl::OkStatus();
}

absl::Status TarDirectories::LeaveBelow(size_t levels) {
  absl::Status status;
  while (levels_.size() > levels) {
    const absl::Status restored = Restore(levels_.back());
    if (status.ok()) status = Annotate(restored, levels_.back().name);
    levels_.pop_back();
  }
  return status;
}

absl::Status TarDirectories::Restore(const Level& level) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes now, fs_.GetAttributes(level.directory.inode()));
  FileAttributes wanted = now;
  if (keeping_.contains(now.inode_number)) {
    wanted.accessed = level.attributes.accessed;
    wanted.modified = level.attributes.modified;
    wanted.changed = level.attributes.changed;
  }
  if (options_.latest_time) {
    for (FileTime* time : {&wanted.accessed, &wanted.modified, &wanted.changed, &wanted.born}) {
      *time = std::min(*time, *options_.latest_time);
    }
  }
  AttributeChange change;
  if (wanted.accessed != now.accessed) change.accessed = wanted.accessed;
  if (wanted.modified != now.modified) change.modified = wanted.modified;
  if (wanted.born != now.born) change.born = wanted.born;
  if (!change.accessed && !change.modified && !change.born && wanted.changed == now.changed) return absl::OkStatus();
  change.changed = wanted.changed;
  return fs_.SetAttributes(level.directory.inode(), change).status();
}

absl::StatusOr<Entry> TarDirectories::Find(InodeId parent, const std::string& name) {
  absl::StatusOr<Entry> entry = fs_.Lookup(parent, name);
  if (ToErrno(entry.status()) != ENOENT) return entry;
  NewFile directory;
  directory.type = FileType::kDirectory;
  directory.permissions = 0755;
  directory.uid = options_.all_root ? 0 : options_.uid;
  directory.gid = options_.all_root ? 0 : options_.gid;
  return fs_.Create(parent, name, directory);
}

}  // namespace betr::fs
