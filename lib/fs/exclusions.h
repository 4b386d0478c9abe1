// SPDX-License-Identifier: Apache-2.0
// Which names a copy of a tree leaves out: patterns as those who know rsync write them. Only names below what is copied
// are compared, never its own.
//
//   *.o         a name, wherever it is: a pattern of one component
//   a/b         a name b in a directory a, wherever that is
//   /a/b        only in a directory a that is in the tree's top
//   cache/      only a directory
//   a/**/b      below a, any number of directories between
// In a component `*`, `?`, `[...]` and `\` are as in fnmatch(3) in the locale C: names are bytes, none matches a slash,
// a leading dot is like any other. What is below a directory that is left out is left out as well, so that there is
// nothing to compare.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::fs {

// Immutable after the last Add; then any thread.
class Exclusions {
 public:
  // Errors: kInvalidArgument if no name can match.
  absl::Status Add(std::string_view pattern);
  bool Empty() const { return patterns_.empty(); }

  // Whether what has this name is left out. `path` is relative to the tree's top. Cost: O(patterns).
  bool Excludes(std::string_view path, FileType type) const;
  // The same, also if one of the directories that it is in is left out.
  bool ExcludesWithParents(std::string_view path, FileType type) const;

 private:
  struct Pattern {
    std::vector<std::string> components;
    bool from_top = false;
    bool only_directories = false;
  };

  std::vector<Pattern> patterns_;
};

}  // namespace betr::fs
