// SPDX-License-Identifier: Apache-2.0
// LostAndFound gives places to what a repair finds without one: below /lost+found, or below /lost+found-2 and so on if
// something else has that name. What is there already, from an earlier repair or from anybody, is not replaced.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "betr/store.h"

namespace betr::fs {

// Returns the directory's name in the root, whether it is there or is still to be made. One read, unless something else
// has the name.
absl::StatusOr<std::string> LostAndFoundName(const Store& store, TreeId meta);

class LostAndFound {
 public:
  // The store outlives this.
  LostAndFound(const Store& store, TreeId meta, TreeId data) : store_(store), meta_(meta), data_(data) {}

  // Returns its content prefix. What lies below it needs no other place.
  absl::StatusOr<std::string> Content();

  // Each returns a free place, which is given to nobody else, after some reads. PlaceForContent: a content prefix, for
  // all that is below a directory. PlaceForObject: the key of an entry, for an object. PlaceFor: the same for something
  // new.
  //
  // The place has the same path below /lost+found, or for what is in zone 6, below /lost+found/zone-6. If that is not
  // free, the place is below /lost+found/again-1 and so on.
  absl::StatusOr<std::string> PlaceForContent(std::string_view content);
  // Requires: the object is an entry or a link group. One that is below /lost+found stays in its directory.
  absl::StatusOr<std::string> PlaceForObject(std::string_view object);
  absl::StatusOr<std::string> PlaceFor(std::string_view name);
  // Returns a content prefix for all that is below a directory, `object`, whose path is too long to be kept. Of the
  // path only its name is kept.
  absl::StatusOr<std::string> ShortPlaceFor(std::string_view object, std::string_view content);

  // To be called when the places that were given are in use in the store.
  void Written() { given_.clear(); }

  // Whether nothing is at an entry, below it, or attached to it, and nothing will be. `content` is the content prefix
  // that the entry has or would have. Up to four reads.
  absl::StatusOr<bool> IsFree(std::string_view content) const;

 private:
  // Returns the first free content prefix for `content`: in the directory itself, or in again-1 and so on. It does not
  // begin with `below`. If it would be too long for a path, the front of `content` is left out.
  absl::StatusOr<std::string> FirstFree(std::string_view content, std::string_view below);
  absl::StatusOr<bool> IsEmpty(TreeId tree, std::string_view prefix) const;

  const Store& store_;
  const TreeId meta_;
  const TreeId data_;
  std::optional<std::string> content_;
  std::set<std::string, std::less<>> given_;  // content prefixes that may not be in the store yet
};

}  // namespace betr::fs
