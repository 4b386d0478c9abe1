// SPDX-License-Identifier: Apache-2.0
// Names on the host, and what exports make of them: the way in has fs/replace.h. With CopyOptions::dry_run everything
// is said and counted, and nothing done.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/scoped_fd.h"
#include "betr/file_attributes.h"
#include "fs/export_update.h"
#include "fs/exported_links.h"
#include "fs/host_directory.h"
#include "fs/host_inode.h"
#include "fs/host_removal.h"
#include "fs/tree_copy.h"

namespace betr::fs {

// The name that a copy is to have, and what it is a copy of.
struct ExportTarget {
  HostDirectory* directory;
  std::string name;
  std::string path;
  size_t top_size;     // what the user has named of the path
  std::string source;  // in the file system
  // It is in something that is mounted below what the user has named: nothing is removed there.
  bool is_in_mount = false;

  bool IsNamed() const { return path.size() == top_size; }
  // A name in the directory that has this one, and was opened.
  ExportTarget Below(HostDirectory* opened, const std::string& entry, bool in_mount) const;
  // What has the name, and may be open; or -1.
  HostInode Inode(int opened) const { return {opened, directory->get(), name, path}; }
};

class ExportTargets {
 public:
  // All outlive this. `totals` gets what is removed; `links` and `update` are told of what loses its name.
  ExportTargets(const CopyOptions& options, CopyTotals* totals, ExportedLinks* links, ExportUpdate* update)
      : options_(options), totals_(*totals), links_(*links), update_(*update) {}

  // What has the name, if something has. In a trial it has as many names as it would have by now.
  absl::StatusOr<std::optional<struct stat>> Look(const ExportTarget& target) const;

  // What has the name goes, unless two directories are merged. Errors: EISDIR, ENOTDIR, EEXIST for a device, EINVAL for
  // the image.
  absl::Status MakeRoom(const ExportTarget& target, FileType type);

  // These make room for what they make. False if the directory is there already.
  absl::StatusOr<bool> MakeDirectory(const ExportTarget& target);
  // A symbolic link to `link`, or another file without content.
  absl::Status MakeSpecial(const ExportTarget& target, const FileAttributes& attributes, const std::string& link);
  // An empty file, open for writing; for a trial none.
  absl::StatusOr<ScopedFd> MakeFile(const ExportTarget& target);
  // Another name for what was made before, where there is room.
  absl::Status MakeLink(const ExportTarget& target, const ExportedLinks::First& first);

  // With everything below.
  absl::Status Remove(const ExportTarget& target);

  bool IsExcluded(const ExportTarget& target, FileType type) const;
  // As what is there on the host.
  bool IsExcluded(const ExportTarget& target) const;

 private:
  absl::Status GiveWay(const ExportTarget& target, const struct stat& there, FileType type);

  const CopyOptions& options_;
  CopyTotals& totals_;
  ExportedLinks& links_;
  ExportUpdate& update_;
  LostNames lost_;  // in a trial
};

}  // namespace betr::fs
