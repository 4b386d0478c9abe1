// SPDX-License-Identifier: Apache-2.0
// ExportUpdate decides what an earlier copy on the host can keep when a tree of a file system is copied over it
// (CopyOptions::update). For imports see fs/transfer/tree_update.h.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>

#include "betr/file_attributes.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class ExportUpdate {
 public:
  // Whether what has `name` in the directory may be taken to have the content of the original: it looks alike and has
  // the same target. `there` are its attributes, and `link` is the original's target as a symbolic link.
  static bool HasContentOf(const FileAttributes& original, const std::string& link, int directory,
                           const std::string& name, const struct stat& there);

  // Claims what is there as the copy of the original. False if it is the copy of another file: names that are links on
  // the host need not be links in the file system, and what is in the place of one file may be what another one has
  // just become. If either has several names, the first original to claim the copy gets it.
  bool Claim(const struct stat& there, const FileAttributes& original);

  // To be called before `there` loses its last name: another file may get its number then.
  void Forget(HostFileId there) { originals_.erase(there); }

 private:
  std::map<HostFileId, uint64_t> originals_;  // inode numbers, of files that have several names, here or on the host
};

}  // namespace betr::fs
