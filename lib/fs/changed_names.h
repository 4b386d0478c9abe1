// SPDX-License-Identifier: Apache-2.0
// The names below two directories that may stand for different things: those of which a key differs. What the two
// share is passed over (DifferenceCursor). Keys of entries and content prefixes are relative to the two directories.
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

// In what two objects differ that is not in their records.
struct AttachmentDifference {
  bool content = false;
  bool xattrs = false;
};

// Passes all that a cursor over "data" shows with a prefix, which is that of an object's attachments. Bytes that are
// missing are zeros. Cost: no more blocks are read than up to the first that differs.
absl::StatusOr<AttachmentDifference> PassAttachments(DifferenceCursor& cursor, std::string_view prefix);

class ChangedNames {
 public:
  struct Name {
    std::string entry;
    bool is_own = true;  // something under the name itself differs; else it was added
    AttachmentDifference attachments;
  };

  // The two by their content prefixes.
  static absl::StatusOr<ChangedNames> Open(const TreesAt& trees, const std::string& before, const std::string& after);

  // In order of keys, but for what was added too late. Nothing at the end.
  absl::StatusOr<std::optional<Name>> Next();
  // Has a name told, too, once.
  void Add(const std::string& entry) {
    if (ever_added_.insert(entry).second) {
      added_.insert(entry);
    }
  }
  bool HasAdded() const { return !added_.empty(); }
  // Passes what lies under the content prefix of a directory that has been told.
  void Skip(std::string content) { skipped_.insert(std::move(content)); }
  // The content prefixes of directories below of whose link groups something differs, if they are new.
  std::vector<std::string> TakeHomes() { return std::exchange(new_homes_, {}); }

 private:
  ChangedNames(std::unique_ptr<DifferenceCursor> meta, std::unique_ptr<DifferenceCursor> data)
      : meta_(std::move(meta)), data_(std::move(data)) {}
  // To the next key of an entry, or to the end, and the entry.
  std::optional<std::string> FindInMeta();
  std::optional<std::string> FindInData();
  std::optional<std::string> FindAdded();
  const std::string* SkippedAround(std::string_view key) const;
  // Whether the cursor stood in what is skipped; it is behind that then.
  bool PassSkipped(DifferenceCursor& cursor) const;
  void NoteHome(std::string_view content);

  std::unique_ptr<DifferenceCursor> meta_;
  std::unique_ptr<DifferenceCursor> data_;
  std::set<std::string> added_;  // not told yet
  std::set<std::string> ever_added_;
  std::set<std::string> skipped_;
  std::set<std::string> homes_;
  std::vector<std::string> new_homes_;
};

}  // namespace betr::fs
