// SPDX-License-Identifier: Apache-2.0
#include "fs/link_groups.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr size_t kMembersPerBatch = 256;

// Forgets the names that an inode has in memory below a directory.
void ForgetNamesBelow(Core& core, Inode* inode, const Inode& directory) {
  const std::vector<InodeName> names = inode->names;
  for (const InodeName& name : names) {
    if (!IsBelow(*name.directory, directory)) continue;
    core.inodes().RemoveName(inode, name.directory, name.name);
    name.directory->known_names.Forget();
  }
}

// Whether a name is known that is not below the directory.
bool HasNamesOutside(const Inode& inode, const Inode& directory) {
  return !std::ranges::all_of(inode.names, [&](const InodeName& name) { return IsBelow(*name.directory, directory); });
}

absl::Status UnlinkSome(Core& core, Inode& directory, Inode& home, std::span<const GroupMember> members) {
  const std::string content = core.ContentOf(home);
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  std::map<uint64_t, uint32_t> counts;
  for (const GroupMember& member : members) {
    transaction.batch().Erase(core.meta(), key::Absolute(content, member.relative));
    transaction.batch().Erase(core.meta(), key::GroupName(content, member.relative));
    ++counts[member.id];
  }
  std::vector<Removal> removals;
  for (const auto& [id, names] : counts) {
    BETR_ASSIGN_OR_RETURN(Inode* const group, core.FindGroup(home, id));
    if (group->record.links <= names && HasNamesOutside(*group, directory)) {
      return absl::DataLossError(absl::StrFormat("link group %u: it has more names than it counts", id));
    }
    removals.push_back(DropObject(&transaction, core, group, names));
  }
  BETR_RETURN_IF_ERROR(transaction.Commit());
  for (const Removal& removal : removals) {
    // Names that are left behind in memory are looked up again, which costs a read and cannot be wrong.
    ForgetNamesBelow(core, removal.inode, directory);
    Follow(core, removal);
  }
  return absl::OkStatus();
}

// How many of the names, from the first on, are unlinked in one batch: one at least.
absl::StatusOr<size_t> CountForBatch(Core& core, Inode& home, std::span<const GroupMember> members) {
  constexpr size_t kOverhead = 64;  // of the operations for a name, besides keys; of those for a group
  const size_t content = core.ContentOf(home).size();
  std::set<uint64_t> groups;
  size_t bytes = 0;
  for (size_t count = 0; count < std::min(members.size(), kMembersPerBatch); ++count) {
    const GroupMember& member = members[count];
    bytes += 2 * (content + member.relative.size()) + kOverhead;
    if (groups.insert(member.id).second) {
      BETR_ASSIGN_OR_RETURN(const Inode* const group, core.FindGroup(home, member.id));
      bytes += 3 * (content + kOverhead) + EncodeInode(group->record).size();
    }
    if (count > 0 && bytes > core.batch_bytes()) return count;
  }
  return std::min(members.size(), kMembersPerBatch);
}

absl::Status UnlinkAll(Core& core, Inode& directory, Inode& home, std::span<const GroupMember> members) {
  while (!members.empty()) {
    BETR_ASSIGN_OR_RETURN(const size_t count, CountForBatch(core, home, members));
    BETR_RETURN_IF_ERROR(UnlinkSome(core, directory, home, members.first(count)));
    members = members.subspan(count);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<GroupMember>> MembersBelow(Core& core, Inode& home, const std::string& below, size_t limit) {
  std::vector<GroupMember> members;
  if (home.has_groups == HasGroups::kNone) return members;
  const std::string content = core.ContentOf(home);
  if (home.has_groups == HasGroups::kUnknown && below != content) {
    BETR_RETURN_IF_ERROR(MembersBelow(core, home, content, 1).status());
    if (home.has_groups == HasGroups::kNone) return members;
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        core.ScanMeta(Range::Prefix(GroupNameKey(content, below))));
  const size_t skip = key::GroupNames(content).size();
  for (; cursor->Valid() && members.size() < limit; cursor->Next()) {
    BETR_ASSIGN_OR_RETURN(const uint64_t id, DecodeGroupName(cursor->Value(), "name of a link group"));
    members.push_back({std::string(cursor->Key().substr(skip)), id});
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  if (below == content) home.has_groups = members.empty() ? HasGroups::kNone : HasGroups::kSome;
  return members;
}

absl::StatusOr<bool> HasMembersBelow(Core& core, Inode& home, const std::string& below) {
  BETR_ASSIGN_OR_RETURN(const std::vector<GroupMember> members, MembersBelow(core, home, below, 1));
  return !members.empty();
}

absl::Status UnlinkMembers(Core& core, Inode& directory, const std::vector<std::string>& contents) {
  for (Inode* home = core.HomeAbove(directory); home != nullptr; home = core.HomeAbove(*home)) {
    for (const std::string& content : contents) {
      while (true) {
        BETR_ASSIGN_OR_RETURN(const std::vector<GroupMember> members,
                              MembersBelow(core, *home, content, kMembersPerBatch));
        if (members.empty()) break;
        BETR_RETURN_IF_ERROR(UnlinkAll(core, directory, *home, members));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status UnlinkGroups(Core& core, Inode& directory, Inode& home, const std::set<uint64_t>& groups) {
  BETR_ASSIGN_OR_RETURN(std::vector<GroupMember> members,
                        MembersBelow(core, home, core.ContentOf(home), std::numeric_limits<size_t>::max()));
  std::erase_if(members, [&](const GroupMember& member) { return !groups.contains(member.id); });
  return UnlinkAll(core, directory, home, members);
}

GroupCloner::~GroupCloner() {
  if (!staged_) return;
  WriteBatch batch;
  batch.MayUseReserve();
  EraseScratch(&batch);
  core_.store().Write(batch).IgnoreError();  // then it lies there until unmounting, and in nobody's way
}

void GroupCloner::EraseScratch(WriteBatch* batch) const {
  for (const TreeId tree : {core_.meta(), core_.data()}) batch->EraseRange(tree, Range::Prefix(key::kScratchPrefix));
}

absl::Status GroupCloner::Prepare() {
  if (source_.record.link_home) return absl::OkStatus();
  Inode& home = core_.HomeOf(source_);
  const std::string content = core_.ContentOf(source_);
  BETR_ASSIGN_OR_RETURN(const std::vector<GroupMember> members,
                        MembersBelow(core_, home, content, std::numeric_limits<size_t>::max()));
  if (members.empty()) return absl::OkStatus();
  names_ = GroupNameKey(core_.ContentOf(home), content);
  std::map<uint64_t, uint32_t> counts;
  for (const GroupMember& member : members) ++counts[member.id];
  WriteBatch one;
  for (const auto& [id, names] : counts) {
    BETR_ASSIGN_OR_RETURN(Inode* const group, core_.FindGroup(home, id));
    copies_.push_back({group, names});
    if (one.Size().value <= core_.batch_bytes()) Add(&one, copies_.back(), content);
  }
  const bool fit = copies_.size() <= kMembersPerBatch && one.Size().value <= core_.batch_bytes();
  return fit ? absl::OkStatus() : Stage();
}

absl::Status GroupCloner::Stage() {
  staged_ = true;
  for (size_t at = 0; at < copies_.size();) {
    Transaction transaction(&core_);
    WriteBatch& batch = transaction.batch();
    if (at == 0) EraseScratch(&batch);
    const size_t end = std::min(at + kMembersPerBatch, copies_.size());
    const size_t full = batch.Size().value + core_.batch_bytes();
    do {
      Add(&batch, copies_[at++], std::string(key::kScratchPrefix));
    } while (at < end && batch.Size().value < full);
    BETR_RETURN_IF_ERROR(transaction.Commit());
  }
  return absl::OkStatus();
}

void GroupCloner::Add(WriteBatch* batch, const Copy& copy, const std::string& home_content) {
  // The number as it would be stored in the source's own context: there it is unique, so it is in the clone's.
  InodeRecord record = RecordIn(*copy.group, source_.context);
  record.links = copy.names;
  const std::string object = key::Group(home_content, copy.group->group);
  batch->Put(core_.meta(), object, EncodeInode(record));
  CloneAttachments(batch, core_.data(), core_.ObjectOf(*copy.group), object, record);
}

void GroupCloner::AddTo(Transaction* transaction, const std::string& content) {
  if (names_.empty()) return;
  WriteBatch& batch = transaction->batch();
  batch.ClonePrefix(core_.meta(), names_, core_.meta(), key::GroupNames(content));
  if (!staged_) {
    for (const Copy& copy : copies_) Add(&batch, copy, content);
    return;
  }
  for (const TreeId tree : {core_.meta(), core_.data()}) {
    batch.RenamePrefix(tree, key::Groups(key::kScratchPrefix), tree, key::Groups(content));
  }
}

}  // namespace betr::fs
