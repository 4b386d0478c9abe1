// SPDX-License-Identifier: Apache-2.0
// The directories that the scan of "meta" (check_meta.cc) is in, and the link homes among them.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "betr/filesystem.h"
#include "fs/check/check_context.h"

namespace betr::fs {

// A directory that the scan is in.
struct CheckedDirectory {
  std::string content;
  std::string object;
  bool exists = false;
  bool made_anew = false;  // its record is or was lost, so nobody knows whether it was a link home
  InodeRecord record;
  uint64_t subdirectories = 0;
  size_t name_size = 0;  // by how much its path is longer than that of the directory above
  size_t path_size = 0;  // of its path with a slash at the end, from the root on
  size_t reach = 0;      // as in the record; 0 if there is no entry below
  bool home_checked = false;
  bool is_cut_off = false;  // the scan left it before its end
  // For check_sound.h: what had been counted, found and met before the scan came here.
  std::optional<SubtreeDigest> digest;
  CheckSummary before;
  uint64_t links_before = 0;
};

// Where to cut a path of `size` bytes that is too long: a place in the stack, at or after `first`. The stack has the
// directories of the path up to where it is too long. What is after the cut fits elsewhere, unless it is longer than a
// path and a half. As a rule, whatever else is below that directory fits there, too.
size_t WhereToCut(const std::vector<CheckedDirectory>& stack, size_t first, size_t size);

struct FoundGroup {
  const CheckedDirectory* home = nullptr;  // if none has the group, the nearest one; null if there is no home
  std::optional<InodeRecord> record;
  NameWay way = NameWay::kClear;  // from the directory up to that home
};

// Finds the link group that a name in the innermost (last) directory refers to, in the nearest home that has it. Cost:
// a read for each home up to that one. Errors: the store's.
absl::StatusOr<FoundGroup> FindGroup(CheckContext* context, const std::vector<CheckedDirectory>& stack, uint64_t id);

// Whether a directory has link groups. If so, and if its record is lost, it was a link home: names below it that refer
// to its groups mean no others.
absl::StatusOr<bool> HasGroups(CheckContext* context, const std::string& content);

}  // namespace betr::fs
