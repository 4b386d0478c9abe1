// SPDX-License-Identifier: Apache-2.0
#include "fs/inode.h"

#include <algorithm>

#include "base/check.h"

namespace betr::fs {

NumberContext ContextOf(const Inode& inode) {
  switch (inode.place) {
    case InodePlace::kNamed:
      return inode.parent()->context;
    case InodePlace::kGroup:
      return inode.home->context;
    default:
      return 0;
  }
}

FileAttributes AttributesOf(const Inode& inode) { return AttributesOf(inode.record, ContextOf(inode)); }

bool IsBelow(const Inode& directory, const Inode& ancestor) {
  for (const Inode* at = &directory;; at = at->parent()) {
    if (at == &ancestor) return true;
    if (at->place != InodePlace::kNamed) return false;
  }
}

InodeTable::InodeTable(NameBudget* budget, size_t idle_max) : budget_(*budget), idle_max_(idle_max) {
  InodeRecord record;
  record.type = FileType::kDirectory;
  root_ = &Add(InodePlace::kRoot, record);
}

Inode& InodeTable::Add(InodePlace place, InodeRecord record) {
  auto inode = std::make_unique<Inode>(&budget_);
  inode->id = InodeId{next_id_++};
  inode->place = place;
  inode->record = std::move(record);
  Inode& added = *inode;
  inodes_.emplace(added.id.value, std::move(inode));
  return added;
}

Inode* InodeTable::Find(InodeId id) const {
  const auto found = inodes_.find(id.value);
  return found == inodes_.end() ? nullptr : found->second.get();
}

Inode* InodeTable::RootOfZone(uint64_t zone) const {
  const auto found = zone_roots_.find(zone);
  return found == zone_roots_.end() ? nullptr : found->second;
}

Inode& InodeTable::AddNamed(Inode* directory, std::string_view name, InodeRecord record) {
  Inode& inode = Add(InodePlace::kNamed, std::move(record));
  AddName(&inode, directory, name);
  inode.context = directory->context ^ inode.record.salt;
  if (inode.record.zone != 0) BecomeZone(&inode, inode.record.zone);
  MayGo(&inode);
  return inode;
}

Inode& InodeTable::AddGroup(Inode* home, uint64_t group, InodeRecord record) {
  Inode& inode = Add(InodePlace::kGroup, std::move(record));
  inode.home = home;
  inode.group = group;
  home->groups.emplace(group, &inode);
  MayGo(&inode);
  return inode;
}

Inode& InodeTable::AddOrphan(uint64_t orphan, InodeRecord record) {
  Inode& inode = Add(InodePlace::kOrphan, std::move(record));
  inode.group = orphan;
  return inode;
}

void InodeTable::AddName(Inode* inode, Inode* directory, std::string_view name) {
  const bool added = directory->children.emplace(std::string(name), Child{inode, inode->names.size()}).second;
  Check(added, "a directory lists a name once");
  inode->names.push_back({directory, std::string(name)});
}

void InodeTable::RemoveName(Inode* inode, Inode* directory, std::string_view name) {
  const auto child = directory->children.find(name);
  Check(child != directory->children.end() && child->second.inode == inode, "a name and its inode know each other");
  const size_t at = child->second.name_at;
  directory->children.erase(child);
  if (at + 1 < inode->names.size()) {
    InodeName& moved = inode->names[at];
    moved = std::move(inode->names.back());
    moved.directory->children.find(moved.name)->second.name_at = at;
  }
  inode->names.pop_back();
  MayGo(directory);
}

void InodeTable::LeavePlace(Inode* inode) {
  if (inode->place != InodePlace::kGroup) return;
  Inode* const home = inode->home;
  home->groups.erase(inode->group);
  inode->home = nullptr;
  MayGo(home);
}

void InodeTable::BecomeGroup(Inode* inode, Inode* home, uint64_t group) {
  LeavePlace(inode);
  inode->place = InodePlace::kGroup;
  inode->home = home;
  inode->group = group;
  home->groups.emplace(group, inode);
}

void InodeTable::BecomeNamed(Inode* inode) {
  LeavePlace(inode);
  Check(inode->names.size() == 1, "a named inode has one name");
  inode->place = InodePlace::kNamed;
  inode->unnamed = false;
}

void InodeTable::BecomeOrphan(Inode* inode, uint64_t orphan) {
  Check(inode->names.empty(), "an orphan has no names");
  LeavePlace(inode);
  inode->place = InodePlace::kOrphan;
  inode->group = orphan;
}

void InodeTable::BecomeZone(Inode* directory, uint64_t zone) {
  const bool added = zone_roots_.emplace(zone, directory).second;
  Check(added, "a zone has one root");
  directory->record.zone = zone;
}

void InodeTable::BecomeGone(Inode* inode) {
  Check(inode->names.empty(), "what is gone has no names");
  LeavePlace(inode);
  if (inode->record.zone != 0) zone_roots_.erase(inode->record.zone);
  inode->place = InodePlace::kGone;
  inode->known_names.Forget();
  MayGo(inode);
}

void InodeTable::Refer(Inode* inode, uint64_t count) {
  inode->references += count;
  if (inode->is_idle) idle_.erase(inode->idle);
  inode->is_idle = false;
}

void InodeTable::Release(Inode* inode, uint64_t count) {
  inode->references -= std::min(count, inode->references);
  if (inode->references == 0) inode->kept = false;
  MayGo(inode);
}

bool InodeTable::MustStay(const Inode& inode) {
  const bool is_zone = inode.record.zone != 0 && inode.place == InodePlace::kNamed;
  return inode.place == InodePlace::kRoot || inode.place == InodePlace::kOrphan || is_zone || inode.references > 0 ||
         !inode.children.empty() || !inode.groups.empty() || !inode.pending.Empty();
}

void InodeTable::MayGo(Inode* inode) {
  if (inode->is_idle || MustStay(*inode)) return;
  inode->idle = idle_.insert(inode->place == InodePlace::kGone ? idle_.begin() : idle_.end(), inode);
  inode->is_idle = true;
}

void InodeTable::Trim() {
  while (!idle_.empty()) {
    Inode* const inode = idle_.front();
    if (inode->place != InodePlace::kGone && idle_.size() <= idle_max_) return;
    idle_.pop_front();
    inode->is_idle = false;
    if (!MustStay(*inode)) Drop(inode);
  }
}

void InodeTable::Drop(Inode* inode) {
  while (!inode->names.empty()) {
    const InodeName name = inode->names.back();
    RemoveName(inode, name.directory, name.name);
  }
  LeavePlace(inode);
  // An inode that this one no longer keeps goes to the end of the list and is met there.
  if (inode->is_idle) idle_.erase(inode->idle);
  inodes_.erase(inode->id.value);
}

}  // namespace betr::fs
