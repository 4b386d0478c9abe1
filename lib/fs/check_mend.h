// SPDX-License-Identifier: Apache-2.0
// What the checker puts in the place of what is lost, when it salvages (CheckOptions::salvage).
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "fs/check_context.h"

namespace betr::fs {

// The first bound of inode numbers: above that of the root.
inline constexpr uint64_t kFirstNumberBound = 2;

// The record of a directory of which only the name is known. Nobody but root may look into it. It has a salt: what is
// in it may have been a clone's, whose files have other numbers than those of the source by the salt of its top alone.
InodeRecord NewDirectory(uint64_t number);

// The record with one of the three keys that a file system cannot be without.
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

absl::StatusOr<LostFile> FindLostFile(CheckContext* context, std::string_view object);
// Gives it a record, and its place. Extended attributes are dropped. Requires: size > 0.
void KeepLostFile(CheckContext* context, WriteBatch* batch, const LostFile& file);

// A link group without a name.
struct LostGroup {
  InodeRecord record;
  std::string target;  // the entry that it is to be (lost_and_found.h)
};

// Whether it has anything that is worth a name: it is not an empty file.
bool IsWorthKeeping(const InodeRecord& group);
// Nothing if it has not.
absl::StatusOr<std::optional<LostGroup>> FindLostGroup(CheckContext* context, std::string_view object);
// Makes a file of it, which has all that the group had.
void KeepLostGroup(CheckContext* context, WriteBatch* batch, std::string_view object, LostGroup group);
void EraseGroup(CheckContext* context, WriteBatch* batch, std::string_view object);

}  // namespace betr::fs
