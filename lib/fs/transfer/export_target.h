// SPDX-License-Identifier: Apache-2.0
// Names on the host, and what exports make of them. For imports see fs/replace.h. With CopyOptions::dry_run everything
// is reported and counted, and nothing is done.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/scoped_fd.h"
#include "betr/file_attributes.h"
#include "fs/transfer/export_update.h"
#include "fs/transfer/exported_links.h"
#include "fs/transfer/host_directory.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/host_removal.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// The name that a copy is to have, and what it is a copy of.
struct ExportTarget {
  HostDirectory* directory;
  std::string name;
  std::string path;
  size_t top_size;     // of the part of the path that the user has named
  std::string source;  // in the file system
  // It is in something mounted below what the user has named. Nothing is removed there.
  bool is_in_mount = false;

  bool IsNamed() const { return path.size() == top_size; }
  // The target for a name in the directory that has this name, and is open as `opened`.
  ExportTarget Below(HostDirectory* opened, const std::string& entry, bool in_mount) const;
  // What has the name. `opened` is a descriptor of it, or -1.
  HostInode Inode(int opened) const { return {opened, directory->get(), name, path}; }
};

class ExportTargets {
 public:
  // All outlive this. `totals` gets what is removed; `links` and `update` are told of what loses its name.
  ExportTargets(const CopyOptions& options, CopyTotals* totals, ExportedLinks* links, ExportUpdate* update)
      : options_(options), totals_(*totals), links_(*links), update_(*update) {}

  // Returns what has the name, if anything has. In a trial its link count is what it would be by now.
  absl::StatusOr<std::optional<struct stat>> Look(const ExportTarget& target) const;

  // Removes what has the name, unless two directories are merged. Errors: EISDIR, ENOTDIR, EEXIST for a device, EINVAL
  // for the image.
  absl::Status MakeRoom(const ExportTarget& target, FileType type);

  // The next three first make room. Returns false if the directory is there already.
  absl::StatusOr<bool> MakeDirectory(const ExportTarget& target);
  // Makes a symbolic link to `link`, or another file without content.
  absl::Status MakeSpecial(const ExportTarget& target, const FileAttributes& attributes, const std::string& link);
  // Makes an empty file, open for writing; in a trial none.
  absl::StatusOr<ScopedFd> MakeFile(const ExportTarget& target);
  // Makes another name for what was made before. Requires: there is room.
  absl::Status MakeLink(const ExportTarget& target, const ExportedLinks::First& first);

  // Removes what has the name, with everything below.
  absl::Status Remove(const ExportTarget& target);

  bool IsExcluded(const ExportTarget& target, FileType type) const;
  // The same, with the type of what is there on the host.
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
