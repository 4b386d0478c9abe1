// SPDX-License-Identifier: Apache-2.0
// Link groups: files with several names.
//
// At its second link a file moves from its name to a group in a link home, a directory above all its names. Each name
// becomes a reference that holds only the group's id. The home lists the names of all its groups by path. The root is a
// home, and so is the top of each clone.
//
// Invariants
//   1. A reference means the group with its id in the nearest home that has one, at or above the directory that the
//      reference is in. A group's home is above all its names, and lists them.
//   2. Moving, cloning or removing a home, or anything above it, moves, clones or removes all names of its groups with
//      it. Nothing needs to be done about links.
//   3. As a rule, all names below a home are of its groups, or of groups of homes below it. Operations that would break
//      that (a link or a rename that leaves or enters a home) first dissolve the homes in the way. The groups of such a
//      home go to the next home above, one by one and under fresh ids, and then the flag goes. If that is interrupted,
//      a home is left with names below it of groups above it. Only this rule is broken then. What relies on it (a
//      clone, a rename of a directory) has the rest dissolved first.
//   4. Operations on a directory between a home and names of its groups find those names in the home's list.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

struct GroupMember {
  std::string relative;  // entry key relative to the home's content prefix
  uint64_t id = 0;
};

// Returns up to `limit` names of groups of `home` that lie under the content prefix `below`, in order of keys.
// Cost: one range scan; nothing if the home is known to have no groups.
absl::StatusOr<std::vector<GroupMember>> MembersBelow(Core& core, Inode& home, const std::string& below, size_t limit);

// Whether there is such a name.
absl::StatusOr<bool> HasMembersBelow(Core& core, Inode& home, const std::string& below);

// Returns the home of both directories, after dissolving the homes that only one of them has. Errors: EXDEV, before
// anything is done, if a group has too many names for one batch. After other errors (ENOSPC) some groups may have gone
// up already.
absl::StatusOr<Inode*> CommonHome(Core& core, Inode& a, Inode& b);
// Gives that EXDEV, and does nothing.
absl::Status CheckCommonHome(Core& core, Inode& a, Inode& b);

// Makes the rule of invariant 3 true of `directory`: afterwards the names below it are of groups at or below it, or of
// the nearest home above it. Errors: those of CommonHome. Cost: a range scan for each home above the nearest one,
// unless that home is known to have no groups.
absl::Status FinishDissolves(Core& core, Inode& directory);
// Gives its EXDEV, and does nothing. Returns the home that is then nearest to `directory`.
absl::StatusOr<Inode*> CheckFinishDissolves(Core& core, Inode& directory);

// Unlinks all names below `directory` that refer to groups of homes above it. `contents` is all that the directory has
// (ContentsBelow). Many names take several transactions. Cost: a range scan for each home above, as for
// FinishDissolves.
absl::Status UnlinkMembers(Core& core, Inode& directory, const std::vector<std::string>& contents);

// Unlinks all names of some groups of `home`, which is `directory` or below it. Otherwise as UnlinkMembers.
absl::Status UnlinkGroups(Core& core, Inode& directory, Inode& home, const std::set<uint64_t>& groups);

// GroupCloner handles groups of a home above a directory that is cloned. Each group that has names below `source` gets
// a copy with just these names in the clone, which is a home of its own.
//
// Call Prepare before the clone's transaction, AddTo after the content has been cloned in it, and Placed once it is
// committed. With many groups, Prepare stages the copies in scratch space. A cloner that is destroyed before Placed
// leaves nothing behind.
class GroupCloner {
 public:
  // Requires: FinishDissolves of the source.
  GroupCloner(Core* core, Inode* source) : core_(*core), source_(*source) {}
  ~GroupCloner();
  GroupCloner(const GroupCloner&) = delete;
  GroupCloner& operator=(const GroupCloner&) = delete;

  absl::Status Prepare();
  void AddTo(Transaction* transaction, const std::string& content);
  void Placed() { staged_ = false; }

 private:
  struct Copy {
    Inode* group;
    uint32_t names;
  };

  void Add(WriteBatch* batch, const Copy& copy, const std::string& home_content);
  absl::Status Stage();
  void EraseScratch(WriteBatch* batch) const;

  Core& core_;
  Inode& source_;
  std::string names_;  // where the names are listed now; empty if there are none
  std::vector<Copy> copies_;
  bool staged_ = false;
};

}  // namespace betr::fs
