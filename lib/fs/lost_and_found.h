// SPDX-License-Identifier: Apache-2.0
// Where a repair puts what has lost its place: below /lost+found, or below /lost+found-2 and so on if something else
// has that name. What is there already, from an earlier repair or from anybody, is not replaced.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "betr/store.h"

namespace betr::fs {

// The name of the directory in the root: of one that is there, or may be made. One read if nothing else has the name.
absl::StatusOr<std::string> LostAndFoundName(const Store& store, TreeId meta);

class LostAndFound {
 public:
  // The store outlives this.
  LostAndFound(const Store& store, TreeId meta, TreeId data) : store_(store), meta_(meta), data_(data) {}

  // Its content prefix. What lies below it needs no other place.
  absl::StatusOr<std::string> Content();

  // Free places, which are given to nobody else: for all that is below a directory, as a content prefix; for an object,
  // and for something new, as the key of an entry. The same path below /lost+found; of what is in zone 6, below
  // /lost+found/zone-6; below /lost+found/again-1 and so on if that is not free. Some reads each.
  absl::StatusOr<std::string> PlaceForContent(std::string_view content);
  // Requires: the object is an entry or a link group. One that is below /lost+found stays in its directory.
  absl::StatusOr<std::string> PlaceForObject(std::string_view object);
  absl::StatusOr<std::string> PlaceFor(std::string_view name);
  // For all that is below a directory, `object`, whose path is too long to be kept: its name alone. A content prefix.
  absl::StatusOr<std::string> ShortPlaceFor(std::string_view object, std::string_view content);

  // What was given is in the store now.
  void Written() { given_.clear(); }

  // Whether nothing is at an entry, below it, or attached to it, and nothing will be. Up to four reads.
  // `content`: the content prefix that it has or would have.
  absl::StatusOr<bool> IsFree(std::string_view content) const;

 private:
  // The first content prefix that is free, of `content` in the directory, and in those for what comes again. It does
  // not begin with `below`. Where that would be too long for a path, the front of `content` is left out.
  absl::StatusOr<std::string> FirstFree(std::string_view content, std::string_view below);
  absl::StatusOr<bool> IsEmpty(TreeId tree, std::string_view prefix) const;

  const Store& store_;
  const TreeId meta_;
  const TreeId data_;
  std::optional<std::string> content_;
  std::set<std::string, std::less<>> given_;  // content prefixes that may not be in the store yet
};

}  // namespace betr::fs
