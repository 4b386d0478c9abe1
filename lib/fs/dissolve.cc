// SPDX-License-Identifier: Apache-2.0
// Dissolves a link home: its groups go to the next home above, under fresh ids, and then its flag goes. A group with
// its names is one transaction. What is left if that is interrupted is no special state (link_groups.h, invariant 3):
// the next operation that needs the home dissolved goes on.
#include <cerrno>
#include <limits>
#include <map>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"
#include "fs/link_groups.h"

namespace betr::fs {
namespace {

size_t Depth(const Inode& directory) {
  size_t depth = 0;
  for (const Inode* at = &directory; at->place == InodePlace::kNamed; at = at->parent()) ++depth;
  return depth;
}

// Moves one group with all its names from `home` to `above`.
absl::Status MoveGroup(Core& core, Inode& home, Inode& above, uint64_t id, const std::vector<std::string>& names) {
  BETR_ASSIGN_OR_RETURN(Inode* const group, core.FindGroup(home, id));
  const std::string old_content = core.ContentOf(home);
  const std::string new_content = core.ContentOf(above);
  Transaction transaction(&core);
  WriteBatch& batch = transaction.batch();
  const uint64_t new_id = transaction.FreshNumber();
  const std::string old_object = core.ObjectOf(*group);
  const std::string new_object = key::Group(new_content, new_id);
  const InodeRecord record = RecordIn(*group, above.context);
  batch.Erase(core.meta(), old_object);
  transaction.PutRecord(new_object, record, *group);
  MoveAttachments(&batch, core.data(), old_object, new_object, record);
  for (const std::string& relative : names) {
    const std::string entry = key::Absolute(old_content, relative);
    batch.Put(core.meta(), entry, EncodeReference({record.type, new_id}));
    batch.Erase(core.meta(), key::GroupName(old_content, relative));
    batch.Put(core.meta(), GroupNameKey(new_content, entry), EncodeGroupName(new_id));
  }
  BETR_RETURN_IF_ERROR(transaction.Commit());
  group->record = record;
  core.inodes().BecomeGroup(group, &above, new_id);
  above.has_groups = HasGroups::kSome;
  return absl::OkStatus();
}

// EXDEV if a group has so many names that moving it would be more than a batch.
absl::Status CheckFits(Core& core, Inode& home, uint64_t id, const std::vector<std::string>& names) {
  constexpr size_t kOverhead = 64;   // of the operations for a name, besides its keys
  constexpr size_t kOfGroup = 1024;  // the same of those for the group
  BETR_ASSIGN_OR_RETURN(const Inode* const group, core.FindGroup(home, id));
  const size_t content = core.ContentOf(home).size();
  size_t bytes = kOfGroup + 4 * content + EncodeInode(group->record).size();
  for (const std::string& relative : names) bytes += 3 * (content + relative.size()) + kOverhead;
  if (Bytes{bytes} <= core.max_batch().bytes) return absl::OkStatus();
  return ErrnoError(EXDEV, "a file with very many names in a clone, whose links stay in it");
}

// The names of each group of a home, relative to its content prefix.
using NamesOfGroups = std::map<uint64_t, std::vector<std::string>>;

absl::StatusOr<NamesOfGroups> NamesIn(Core& core, Inode& home) {
  BETR_ASSIGN_OR_RETURN(const std::vector<GroupMember> members,
                        MembersBelow(core, home, core.ContentOf(home), std::numeric_limits<size_t>::max()));
  NamesOfGroups names;
  for (const GroupMember& member : members) names[member.id].push_back(member.relative);
  return names;
}

absl::Status Dissolve(Core& core, Inode& home) {
  Inode& above = *core.HomeAbove(home);
  BETR_ASSIGN_OR_RETURN(const NamesOfGroups names, NamesIn(core, home));
  for (const auto& [id, relatives] : names) BETR_RETURN_IF_ERROR(MoveGroup(core, home, above, id, relatives));

  Transaction transaction(&core);
  InodeRecord record = home.record;
  record.link_home = false;
  transaction.PutRecord(core.ObjectOf(home), record, home);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  home.record.link_home = false;
  return absl::OkStatus();
}

// EXDEV if DissolveUpTo would meet a group that is more than a batch. What will have come up from a home below is
// checked in that home. It takes no less there: its paths are as long, and that of the home is longer.
absl::Status CheckUpTo(Core& core, Inode& directory, const Inode& top) {
  for (Inode* home = &core.HomeOf(directory); home != &top; home = core.HomeAbove(*home)) {
    BETR_ASSIGN_OR_RETURN(const NamesOfGroups names, NamesIn(core, *home));
    for (const auto& [id, relatives] : names) BETR_RETURN_IF_ERROR(CheckFits(core, *home, id, relatives));
  }
  return absl::OkStatus();
}

// Makes `top`, a home at or above the directory, its nearest one. Requires: CheckUpTo.
absl::Status DissolveUpTo(Core& core, Inode& directory, const Inode& top) {
  while (true) {
    Inode& home = core.HomeOf(directory);
    if (&home == &top) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(Dissolve(core, home));
  }
}

// The nearest home that is at or above both directories.
Inode& HomeOfBoth(Core& core, Inode& a, Inode& b) {
  Inode* home_a = &core.HomeOf(a);
  Inode* home_b = &core.HomeOf(b);
  while (home_a != home_b) {
    Inode*& deeper = Depth(*home_a) >= Depth(*home_b) ? home_a : home_b;
    deeper = core.HomeAbove(*deeper);
  }
  return *home_a;
}

// The home that a directory has after FinishDissolves: the highest one above it with names below it in its groups, or
// the nearest one if no other has any.
absl::StatusOr<Inode*> HomeWhenFinished(Core& core, Inode& directory) {
  const std::string content = core.ContentOf(directory);
  Inode* highest = &core.HomeOf(directory);
  for (Inode* above = core.HomeAbove(*highest); above != nullptr; above = core.HomeAbove(*above)) {
    // Names in a zone are listed elsewhere. Then any name counts, which may dissolve homes that need not be dissolved.
    const std::string below = core.zones().exist ? core.ContentOf(*above) : content;
    BETR_ASSIGN_OR_RETURN(const bool has_members, HasMembersBelow(core, *above, below));
    if (has_members) highest = above;
  }
  return highest;
}

}  // namespace

absl::Status CheckCommonHome(Core& core, Inode& a, Inode& b) {
  const Inode& top = HomeOfBoth(core, a, b);
  for (Inode* directory : {&a, &b}) BETR_RETURN_IF_ERROR(CheckUpTo(core, *directory, top));
  return absl::OkStatus();
}

absl::StatusOr<Inode*> CommonHome(Core& core, Inode& a, Inode& b) {
  BETR_RETURN_IF_ERROR(CheckCommonHome(core, a, b));
  Inode& top = HomeOfBoth(core, a, b);
  for (Inode* directory : {&a, &b}) BETR_RETURN_IF_ERROR(DissolveUpTo(core, *directory, top));
  return &top;
}

absl::StatusOr<Inode*> CheckFinishDissolves(Core& core, Inode& directory) {
  BETR_ASSIGN_OR_RETURN(Inode* const top, HomeWhenFinished(core, directory));
  BETR_RETURN_IF_ERROR(CheckUpTo(core, directory, *top));
  return top;
}

absl::Status FinishDissolves(Core& core, Inode& directory) {
  BETR_ASSIGN_OR_RETURN(const Inode* const top, CheckFinishDissolves(core, directory));
  return DissolveUpTo(core, directory, *top);
}

}  // namespace betr::fs
