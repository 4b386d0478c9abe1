// SPDX-License-Identifier: Apache-2.0
// What an earlier copy on the host can keep when a tree of a file system is copied over it: CopyOptions::update. The
// way in has fs/tree_update.h.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>

#include "betr/file_attributes.h"
#include "fs/tree_copy.h"

namespace betr::fs {

class ExportUpdate {
 public:
  // Whether what has `name` in the directory, and is what `there` says, may be taken to have the content of an
  // original, whose target as a symbolic link is `link`: it is of the same type, size and time of modification; the
  // same device; a link to the same.
  static bool HasContentOf(const FileAttributes& original, const std::string& link, int directory,
                           const std::string& name, const struct stat& there);

  // Claims what is there as the copy of the original; false if it is that of another file: names that are links on the
  // host need not be in the file system, and in the place of one file may be what another one has just become. The
  // first one that claims what has several names, or having some itself, has it.
  bool Claim(const struct stat& there, const FileAttributes& original);

  // To be called before `there` loses its last name: another file may get its number then.
  void Forget(HostFileId there) { originals_.erase(there); }

 private:
  std::map<HostFileId, uint64_t> originals_;  // inode numbers, of files that have several names, here or on the host
};

}  // namespace betr::fs
