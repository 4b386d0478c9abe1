// SPDX-License-Identifier: Apache-2.0
// ChangedNames finds the names below two directories that may stand for different things: those with a key that
// differs. What the two directories share is passed over (DifferenceCursor). Keys of entries and content prefixes are
// relative to the two directories.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "betr/store.h"

namespace betr::fs {

// The trees of a file system at one instant.
struct TreesAt {
  const Store* store;
  std::shared_ptr<const ReadView> view;
  TreeId meta;
  TreeId data;
};

// How two objects differ outside of their records.
struct AttachmentDifference {
  bool content = false;
  bool xattrs = false;
};

// Moves a cursor over "data" past all that it shows with a prefix, that of an object's attachments. Missing bytes count
// as zeros. Cost: reads blocks only up to the first that differs.
absl::StatusOr<AttachmentDifference> PassAttachments(DifferenceCursor& cursor, std::string_view prefix);

class ChangedNames {
 public:
  struct Name {
    std::string entry;
    bool is_own = true;  // something under the name itself differs; false if the name was added
    AttachmentDifference attachments;
  };

  // `before` and `after` are the content prefixes of the two directories.
  static absl::StatusOr<ChangedNames> Open(const TreesAt& trees, const std::string& before, const std::string& after);

  // Returns the next name in order of keys, except for names that were added too late. Returns nothing at the end.
  absl::StatusOr<std::optional<Name>> Next();
  // Makes Next return a name, too, once.
  void Add(const std::string& entry) {
    if (ever_added_.insert(entry).second) added_.insert(entry);
  }
  bool HasAdded() const { return !added_.empty(); }
  // Passes over what lies under the content prefix of a directory that Next has returned.
  void Skip(std::string content) { skipped_.insert(std::move(content)); }
  // Returns the content prefixes of directories below whose link groups differ in something, each once.
  std::vector<std::string> TakeHomes() { return std::exchange(new_homes_, {}); }

 private:
  ChangedNames(std::unique_ptr<DifferenceCursor> meta, std::unique_ptr<DifferenceCursor> data)
      : meta_(std::move(meta)), data_(std::move(data)) {}
  // Each goes to the next key of an entry, or to the end, and returns the entry.
  std::optional<std::string> FindInMeta();
  std::optional<std::string> FindInData();
  std::optional<std::string> FindAdded();
  const std::string* SkippedAround(std::string_view key) const;
  // Whether the cursor was in something that is skipped. If so, moves it past that.
  bool PassSkipped(DifferenceCursor& cursor) const;
  void NoteHome(std::string_view content);

  std::unique_ptr<DifferenceCursor> meta_;
  std::unique_ptr<DifferenceCursor> data_;
  std::set<std::string> added_;  // not returned yet
  std::set<std::string> ever_added_;
  std::set<std::string> skipped_;
  std::set<std::string> homes_;
  std::vector<std::string> new_homes_;
};

}  // namespace betr::fs
