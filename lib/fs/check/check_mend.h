// SPDX-License-Identifier: Apache-2.0
// What a salvage (CheckOptions::salvage) puts in the place of what is lost.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "fs/check/check_context.h"

namespace betr::fs {

// The first bound of inode numbers: above that of the root.
inline constexpr uint64_t kFirstNumberBound = 2;

// Makes the record of a directory of which only the name is known. Nobody but root may look into it. It has a salt,
// since its content may have been a clone's: only by the salt of the clone's top do its files have other numbers than
// those of the source.
InodeRecord NewDirectory(uint64_t number);

// Makes the record for one of the three keys that a file system cannot do without.
std::string NewRootRecord(std::string_view key);

// Whether any block or extended attribute of an object has bytes. One read, as a rule.
absl::StatusOr<bool> HasContent(CheckContext* context, std::string_view object);

// A file of which only the content is known.
struct LostFile {
  std::string object;  // where the content is
  std::string target;  // where it is to be (lost_and_found.h)
  uint64_t size = 0;   // 0: there is nothing that can be a file's
  bool has_xattrs = false;
};

// `is_named`: a name of a file with several names lies there, and stays.
absl::StatusOr<LostFile> FindLostFile(CheckContext* context, std::string_view object, bool is_named);
// Gives the file a record and its place. Drops extended attributes. Requires: size > 0.
void KeepLostFile(CheckContext* context, WriteBatch* batch, const LostFile& file);

// A link group without a name.
struct LostGroup {
  InodeRecord record;
  std::string target;  // the entry that it is to be (lost_and_found.h)
};

// Whether the group has anything worth a name, that is, is not an empty file.
bool IsWorthKeeping(const InodeRecord& group);
// Returns nothing if the group is not worth keeping.
absl::StatusOr<std::optional<LostGroup>> FindLostGroup(CheckContext* context, std::string_view object);
// Makes a file that has all that the group had.
void KeepLostGroup(CheckContext* context, WriteBatch* batch, std::string_view object, LostGroup group);
void EraseGroup(CheckContext* context, WriteBatch* batch, std::string_view object);

}  // namespace betr::fs
