// SPDX-License-Identifier: Apache-2.0
// Exclusions are the names that a copy of a tree leaves out, as patterns like those of rsync. Only names below what is
// copied are compared, never its own.
//
//   *.o         a name, wherever it is: a pattern of one component
//   a/b         a name b in a directory a, wherever that is
//   /a/b        only in a directory a that is in the tree's top
//   cache/      only a directory
//   a/**/b      below a, any number of directories between
//
// In a component, `*`, `?`, `[...]` and `\` are as in fnmatch(3) in the locale C: names are bytes, none of these
// matches a slash, and a leading dot is like any other. What is below a directory that is left out is left out as well,
// without being compared.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::fs {

// After the last Add it is immutable, and any thread may use it.
class Exclusions {
 public:
  // Errors: kInvalidArgument if no name can match.
  absl::Status Add(std::string_view pattern);
  bool Empty() const { return patterns_.empty(); }

  // Whether what has this path, relative to the tree's top, is left out. Cost: O(patterns).
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
