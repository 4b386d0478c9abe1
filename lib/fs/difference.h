// SPDX-License-Identifier: Apache-2.0
// Finds how two trees of files differ: FileSystem::FindDifferences and NewDifferences.
//
// Which names may differ follows from their own keys (changed_names.h), and for files with several names from the lists
// of link groups. What belongs to a group lies in its home, which may be outside of the two trees, and in a different
// place for each of them.
#pragma once

#include <absl/functional/function_ref.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/difference_stream.h"
#include "fs/changed_names.h"
#include "fs/core.h"

namespace betr::fs {

// Made under the lock, used without it.
class Difference final : public DifferenceStream {
 public:
  // ENOENT for a directory that was removed, ESTALE for any other file that is gone, ENOTSUP if there are zones.
  static absl::StatusOr<std::unique_ptr<DifferenceStream>> Of(Core& core, Inode& before, Inode& after);

  absl::StatusOr<std::optional<EntryDifference>> Next() override;
  absl::Status VisitAll(absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const override;

 private:
  // An object, and where it is.
  struct Found {
    InodeRecord record;
    std::string object;
    bool is_group = false;
  };
  struct Side {
    Found top;
    std::string content;  // of a directory
  };

  static absl::StatusOr<Side> SideOf(Core& core, Inode& inode);
  // Returns what the name stands for in one of the two trees; nothing if it is not there.
  absl::StatusOr<std::optional<std::string>> Value(const Side& side, const std::string& entry) const;
  absl::StatusOr<std::optional<Found>> Find(const Side& side, const std::string& entry,
                                            const std::optional<std::string>& value) const;
  absl::StatusOr<Found> FindEntry(const std::string& object, std::string_view value) const;
  absl::StatusOr<Found> FindGroup(const Reference& reference, const std::string& entry) const;
  absl::Status VisitBelow(const std::string& content,
                          absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const;
  // Goes to where the names below the two directories begin.
  absl::Status OpenNames();
  // Add the names below that are of groups. In this order: of groups of homes at or above the directory, of those of
  // one home below it, and of those of the homes below that were met last.
  absl::Status AddLinked(const Side& side);
  absl::Status AddLinked(const Side& side, const std::string& home, const std::string& below);
  absl::Status AddLinkedOfNewHomes();

  // Both return nothing if the two are alike.
  absl::StatusOr<std::optional<EntryDifference>> CompareName(const ChangedNames::Name& name);
  absl::StatusOr<std::optional<EntryDifference>> CompareObjects(const std::string& path,
                                                                const std::optional<Found>& before,
                                                                const std::optional<Found>& after,
                                                                AttachmentDifference attachments) const;

  TreesAt trees_;
  Side before_;
  Side after_;
  bool has_compared_tops_ = false;
  std::optional<ChangedNames> names_;  // of two directories, once the tops are compared
};

}  // namespace betr::fs
