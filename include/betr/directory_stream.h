// SPDX-License-Identifier: Apache-2.0
// A listing of a directory with the positions of readdir(3): 64-bit numbers that survive inserts, deletes and seeks.
//
// A position is the number of an entry in the order in which this stream first saw them; the stream remembers the name
// behind each, so that reading may go on after any entry that it ever returned, whatever has changed since. Memory: the
// names that were read; beyond 16 MiB of them, reading from the start again forgets all positions, as POSIX allows. Who
// has no handle to keep a stream in resumes by name with FileSystem::ReadDirectory.
//
// One thread at a time.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>
#include <vector>

#include "betr/filesystem.h"

namespace betr {

class DirectoryStream {
 public:
  // `fs` outlives this. Takes a reference on the directory until it goes.
  DirectoryStream(FileSystem* fs, InodeId directory);
  ~DirectoryStream();
  DirectoryStream(const DirectoryStream&) = delete;
  DirectoryStream& operator=(const DirectoryStream&) = delete;

  // One entry; `next` is the position after it: where to go on with the one that follows.
  struct Item {
    std::string_view name;
    const FileAttributes& attributes;
    uint64_t next;
  };

  // Visits entries from `position` on (0: the start, with "." and ".." first) until `visit` returns false or the
  // directory ends. An entry for which `visit` returned false counts as not read: it comes again at its position.
  // EINVAL for a position that this stream never gave.
  absl::Status Read(uint64_t position, absl::FunctionRef<bool(const Item&)> visit);

  // The same with a reference on what each entry names, which the visitor takes over when it returns true. No
  // reference for "." and "..", nor for what leads nowhere: their inode is 0. Visits `max` entries at most.
  struct ReferredItem {
    std::string_view name;
    const Entry& entry;
    uint64_t next;
  };
  absl::Status ReadReferred(uint64_t position, size_t max, absl::FunctionRef<bool(const ReferredItem&)> visit);

 private:
  static constexpr uint64_t kDots = 2;  // positions 1 and 2 follow "." and ".."

  absl::Status ReadDots(uint64_t* position, absl::FunctionRef<bool(const Item&)> visit, bool* stopped);
  // The name that `position` lies behind; the position behind `name` when it is met after `position`.
  std::string_view NameBefore(uint64_t position) const;
  uint64_t PositionBehind(std::string_view name, uint64_t position);

  FileSystem& fs_;
  InodeId directory_;
  std::string names_;           // one after the other
  std::vector<uint64_t> ends_;  // ends_[i]: where the name behind position kDots + 1 + i ends in names_
};

}  // namespace betr
