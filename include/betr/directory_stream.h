// SPDX-License-Identifier: Apache-2.0
// A directory listing with the positions of readdir(3): 64-bit numbers that survive inserts, deletes and seeks.
//
// A position is the number of an entry in the order in which this stream first saw the entries. The stream remembers
// the name of each, so reading can resume after any entry that it ever returned, whatever has changed since. Memory:
// the names that were read. Once these are more than 16 MiB, reading from the start again forgets all positions, as
// POSIX allows. Callers without a handle to keep a stream in resume by name with FileSystem::ReadDirectory.
//
// One thread may use a stream at a time.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>
#include <vector>

#include "betr/filesystem.h"

namespace betr {

class DirectoryStream {
 public:
  // `fs` must outlive the stream. The stream holds a reference on the directory.
  DirectoryStream(FileSystem* fs, InodeId directory);
  ~DirectoryStream();
  DirectoryStream(const DirectoryStream&) = delete;
  DirectoryStream& operator=(const DirectoryStream&) = delete;

  // One entry. `next` is the position after it, at which the following entry is read.
  struct Item {
    std::string_view name;
    const FileAttributes& attributes;
    uint64_t next;
  };

  // Visits the entries from `position` on, until `visit` returns false or the directory ends. Position 0 is the start;
  // "." and ".." come first. An entry for which `visit` returned false counts as unread and comes again at its
  // position. EINVAL for a position that this stream never gave out.
  absl::Status Read(uint64_t position, absl::FunctionRef<bool(const Item&)> visit);

  // The same, with a reference on what each entry names. The visitor takes the reference over by returning true.
  // Entries that are "." or "..", or lead nowhere, come without a reference; their inode is 0. Visits at most `max`
  // entries.
  struct ReferredItem {
    std::string_view name;
    const Entry& entry;
    uint64_t next;
  };
  absl::Status ReadReferred(uint64_t position, size_t max, absl::FunctionRef<bool(const ReferredItem&)> visit);

 private:
  static constexpr uint64_t kDots = 2;  // positions 1 and 2 follow "." and ".."

  absl::Status ReadDots(uint64_t* position, absl::FunctionRef<bool(const Item&)> visit, bool* stopped);
  // NameBefore: the name that `position` lies behind. PositionBehind: the position behind `name`, met after `position`.
  std::string_view NameBefore(uint64_t position) const;
  uint64_t PositionBehind(std::string_view name, uint64_t position);

  FileSystem& fs_;
  InodeId directory_;
  std::string names_;           // one after the other
  std::vector<uint64_t> ends_;  // ends_[i]: where the name behind position kDots + 1 + i ends in names_
};

}  // namespace betr
