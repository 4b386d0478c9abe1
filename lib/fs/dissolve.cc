// SPDX-License-Identifier: Apache-2.0
// Dissolving a link home: its groups go to the next home above, under fresh ids, and its flag goes. A group with its
// names is one transaction; a record at key::kDissolveKey, which holds the home's path, says that there is more to do
// until the last one is written.
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
  batch.Put(core.meta(), key::kDissolveKey, core.PathOf(home));
  const uint64_t new_id = transaction.FreshNumber();
  const std::string old_object = core.ObjectOf(*group);
  const std::string new_object = key::Group(new_content, new_id);
  const InodeRecord record = RecordIn(*group, above.context);
  batch.Erase(core.meta(), old_object);
  batch.Put(core.meta(), new_object, EncodeInode(record));
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

absl::Status Dissolve(Core& core, Inode& home) {
  Inode& above = core.HomeOf(*home.parent());
  const std::string content = core.ContentOf(home);
  BETR_ASSIGN_OR_RETURN(const std::vector<GroupMember> members,
                        MembersBelow(core, home, content, std::numeric_limits<size_t>::max()));
  std::map<uint64_t, std::vector<std::string>> names;
  for (const GroupMember& member : members) names[member.id].push_back(member.relative);
  for (const auto& [id, relatives] : names) BETR_RETURN_IF_ERROR(MoveGroup(core, home, above, id, relatives));

  Transaction transaction(&core);
  InodeRecord record = home.record;
  record.link_home = false;
  transaction.batch().Put(core.meta(), core.ObjectOf(home), EncodeInode(record));
  transaction.batch().Erase(core.meta(), key::kDissolveKey);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  home.record.link_home = false;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Inode*> CommonHome(Core& core, Inode& a, Inode& b) {
  while (true) {
    Inode& home_a = core.HomeOf(a);
    Inode& home_b = core.HomeOf(b);
    if (&home_a == &home_b) return &home_a;
    BETR_RETURN_IF_ERROR(Dissolve(core, Depth(home_a) >= Depth(home_b) ? home_a : home_b));
  }
}

absl::Status ResumeDissolve(Core& core) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> path, core.GetMeta(key::kDissolveKey));
  if (!path) return absl::OkStatus();
  Inode* home = &core.inodes().root();
  std::string_view rest = *path;
  while (!rest.empty()) {
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos || !home->IsDirectory()) return absl::DataLossError("link home: bad path");
    BETR_ASSIGN_OR_RETURN(home, core.Get(*home, rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  if (home->place != InodePlace::kNamed || !home->IsDirectory())
    return absl::DataLossError("link home: not a directory");
  return Dissolve(core, *home);
}

}  // namespace betr::fs
