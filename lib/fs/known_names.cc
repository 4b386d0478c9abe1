// SPDX-License-Identifier: Apache-2.0
#include "fs/known_names.h"

#include <algorithm>

#include "fs/set_aside.h"

namespace betr::fs {
namespace {

void AddNames(const Inode& inode, const Inode& top, std::vector<KnownName>* names) {
  for (const InodeName& name : inode.names) {
    if (!IsBelow(*name.directory, top)) continue;
    names->push_back({name.directory->id, name.name, inode.id, inode.IsDirectory()});
  }
}

}  // namespace

KnownNames::KnownNames(Core& core, const Slot& slot) {
  const Inode& top = *slot.inode;
  if (top.IsDirectory()) {
    std::vector<Inode*> below = InodesBelow(top);
    std::reverse(below.begin(), below.end());  // so that what is in a directory comes before it
    std::erase_if(below, [](const Inode* inode) { return inode->references == 0; });
    std::stable_partition(below.begin(), below.end(), [](const Inode* inode) { return !inode->IsDirectory(); });
    for (const Inode* const inode : below) AddNames(*inode, top, &names_);
    for (Inode* home = core.HomeAbove(*slot.inode); home != nullptr; home = core.HomeAbove(*home)) {
      for (const auto& [id, group] : home->groups) {
        if (group->references > 0) links_.emplace_back(group->id, group->record.links);
      }
    }
  }
  names_.push_back({slot.directory->id, slot.name, top.id, top.IsDirectory()});
}

void KnownNames::AddTaken(Core& core, RemovedTree* removed) const {
  if (removed->names.empty()) removed->names = names_;
  for (const auto& [id, links] : links_) {
    const Inode* const inode = core.inodes().Find(id);
    if (inode != nullptr && inode->record.links != links) removed->changed.push_back(id);
  }
}

}  // namespace betr::fs
