// SPDX-License-Identifier: Apache-2.0
// ExportedLinks remembers the copies made on the host of inodes with several names. Later names become links to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/scoped_fd.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class ExportedLinks {
 public:
  // Symlinks in the first `top_size` bytes of the path are followed, since the user gave these. There are none below.
  struct Place {
    std::string path;
    size_t top_size;
  };
  // A name for linkat(2), and the file that has it.
  struct First {
    ScopedFd directory;  // or AT_FDCWD
    std::string name;
    HostFileId id;
  };

  void Remember(uint64_t inode_number, Place place, HostFileId made);

  // Returns where the first copy of the inode is. Returns nothing if none was made, or if another file has its name by
  // now. Cost: that of opening each directory on the way, so that no path is too long.
  std::optional<First> Find(uint64_t inode_number) const;

  // To be called before `made` loses its last name: another file may get its number then.
  void Forget(HostFileId made);

 private:
  struct Made {
    Place place;
    HostFileId id;
  };
  std::map<uint64_t, Made> made_;                // by inode number
  std::map<HostFileId, uint64_t> inode_number_;  // the other way round
};

}  // namespace betr::fs
