// SPDX-License-Identifier: Apache-2.0
// Link groups: files with several names.
//
// At its second link a file moves from its name to a group in a link home, a directory above all its names; each name
// becomes a reference that holds the group's id only. The home lists the names of all its groups by path. The root is a
// home, and so is the top of each clone.
//
// Invariants
//   1. A reference means the group with its id in the nearest home at or above the directory that it is in.
//      (Between two steps of a Dissolve: the nearest home that has the id.)
//   2. So a home and all names of its groups are moved, cloned and removed together by moving, cloning and removing
//      the home, or anything above it: nothing is to be done about links.
//   3. Operations that would break invariant 1 (a link or a rename that leaves or enters a home) first dissolve the
//      homes in the way: their groups go to the next home above, under fresh ids.
//   4. Operations on a directory between a home and names of its groups find those names in the home's list.
#pragma once

#include <string>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

struct GroupMember {
  std::string relative;  // entry key relative to the home's content prefix
  uint64_t id = 0;
};

// Up to `limit` names of groups of `home` that lie under the content prefix `below`, in order of keys.
// Cost: one range scan; nothing if the home is known to have no groups.
absl::StatusOr<std::vector<GroupMember>> MembersBelow(Core& core, Inode& home, const std::string& below, size_t limit);

// Whether there is such a name.
absl::StatusOr<bool> HasMembersBelow(Core& core, Inode& home, const std::string& below);

// The home of both directories, after dissolving the homes that only one of them has.
absl::StatusOr<Inode*> CommonHome(Core& core, Inode& a, Inode& b);

// Finishes the Dissolve that a crash interrupted, if there is one. To be called when mounting.
absl::Status ResumeDissolve(Core& core);

// Unlinks all names below `directory` that refer to groups of homes above it: those under `contents`, which is all
// that it has (ContentsBelow). In several transactions if many.
absl::Status UnlinkMembers(Core& core, Inode& directory, const std::vector<std::string>& contents);

// What the clone of a directory does about groups of a home above it: each group that has names below `source` gets a
// copy with just these names in the clone, which is a home of its own. Call Prepare before the clone's transaction
// (with many groups it stages the copies in scratch space), then AddTo after the content has been cloned in it.
class GroupCloner {
 public:
  GroupCloner(Core* core, Inode* source) : core_(*core), source_(*source) {}

  absl::Status Prepare();
  void AddTo(Transaction* transaction, const std::string& content);

 private:
  struct Copy {
    Inode* group;
    uint32_t names;
  };

  void Add(WriteBatch* batch, const Copy& copy, const std::string& home_content);
  absl::Status Stage(const std::vector<Copy>& copies);

  Core& core_;
  Inode& source_;
  std::string names_;  // where the names are listed now; empty if there are none
  std::vector<Copy> copies_;
  bool staged_ = false;
};

}  // namespace betr::fs
