// SPDX-License-Identifier: Apache-2.0
// The directories that the scan of "meta" (check_meta.cc) is in, and the link homes among them.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "betr/filesystem.h"
#include "fs/check_context.h"

namespace betr::fs {

// A directory that the scan is in.
struct CheckedDirectory {
  std::string content;
  std::string object;
  bool exists = false;
  bool made_anew = false;  // its record is lost, or was: nobody knows whether it was a link home
  InodeRecord record;
  uint64_t subdirectories = 0;
  size_t name_size = 0;  // by so much a path of the directory is longer than the one of the directory above
  size_t path_size = 0;  // of its path with a slash at the end, from the root on
  size_t reach = 0;      // as in the record; 0 if there is no entry below
  bool home_checked = false;
  bool is_cut_off = false;  // it was not looked at to its end
  // For the memory of what is sound: what was counted, found and met before the scan came here.
  std::optional<SubtreeDigest> digest;
  CheckSummary before;
  uint64_t links_before = 0;
};

// Where to cut a path of `size` bytes that is longer, of which the stack has the directories up to where it is too
// long: the place in the stack, at or after `first`. What is behind it fits elsewhere, unless it is longer still than a
// path and a half; and so does, as a rule, whatever else is below that directory.
size_t WhereToCut(const std::vector<CheckedDirectory>& stack, size_t first, size_t size);

struct FoundGroup {
  const CheckedDirectory* home = nullptr;  // the nearest one, if none has the group; null if there is none
  std::optional<InodeRecord> record;
  NameWay way = NameWay::kClear;  // from the directory up to that home
};

// The link group that a name in the innermost (last) directory refers to: in the nearest home that has one. Cost: a
// read for each home up to that. Errors: the store's.
absl::StatusOr<FoundGroup> FindGroup(CheckContext* context, const std::vector<CheckedDirectory>& stack, uint64_t id);

// Whether a directory has any. One whose record is lost was a link home then: names below it that refer to its groups
// mean no other ones.
absl::StatusOr<bool> HasGroups(CheckContext* context, const std::string& content);

}  // namespace betr::fs
