// SPDX-License-Identifier: Apache-2.0
#include "fs/set_aside.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/status.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/place.h"

namespace betr::fs {
namespace {

constexpr uint64_t kFilesPerBatch = 1024;  // each may be a range that is renamed

void CollectBelow(const Inode& directory, absl::flat_hash_set<Inode*>* seen, std::vector<Inode*>* below) {
  const auto collect = [&](Inode* inode) {
    if (!seen->insert(inode).second) return;
    below->push_back(inode);
    CollectBelow(*inode, seen, below);
  };
  for (const auto& [name, child] : directory.children) collect(child.inode);
  for (const auto& [id, group] : directory.groups) collect(group);
}

// Those whose objects lie below it.
std::vector<Inode*> OpenFilesBelow(const Inode& directory) {
  std::vector<Inode*> open = InodesBelow(directory);
  std::erase_if(open, [&](const Inode* inode) {
    return !inode->OutlivesNames() || (inode->place == InodePlace::kGroup && !IsBelow(*inode->home, directory));
  });
  return open;
}

// How many of the files, from the first on, become orphans in a batch of this size. Counts their names, and the changes
// of their directories, too.
size_t CountWithin(const Core& core, std::span<Inode* const> files, const BatchSize& most) {
  constexpr size_t kOverhead = 64;
  constexpr uint64_t kOperations = 5;
  BatchSize size;
  for (size_t count = 0; count < files.size(); ++count) {
    const size_t key = core.ObjectOf(*files[count]).size() + kOverhead;
    size.bytes += Bytes{3 * key + kOverhead + EncodeInode(files[count]->record).size()};
    size.changes += kOperations;
    ++size.ranges;
    size.bounds += Bytes{2 * (key + kOverhead)};
    if (!size.Within(most)) return count;
  }
  return files.size();
}

bool FitTogether(const Core& core, std::span<Inode* const> files) {
  const BatchSize& most = core.max_batch();
  const BatchSize half{most.bytes / 2, most.changes / 2, most.ranges / 2, most.bounds / 2};
  return CountWithin(core, files, half) == files.size();
}

// Unlinks files with one name each.
absl::Status UnlinkSome(Core& core, std::span<Inode* const> files) {
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  std::vector<Slot> slots;
  std::vector<Removal> removals;
  for (Inode* const inode : files) {
    Inode* const directory = inode->parent();
    slots.push_back({directory, inode->names.front().name, core.ContentOf(*directory), core.ObjectOf(*inode), inode});
    EraseName(&transaction, core, slots.back());
    removals.push_back(DropObject(&transaction, core, inode));
    transaction.TouchDirectory(directory, 0);
  }
  BETR_RETURN_IF_ERROR(transaction.Commit());
  for (const Slot& slot : slots) ForgetName(core, slot);
  for (const Removal& removal : removals) Follow(core, removal);
  return absl::OkStatus();
}

absl::Status UnlinkNamed(Core& core, std::vector<Inode*> files) {
  std::erase_if(files, [](const Inode* inode) { return inode->place != InodePlace::kNamed; });
  BatchSize most = core.max_batch();
  most.bytes = Bytes{core.batch_bytes()};
  most.ranges = kFilesPerBatch;
  most.bounds = most.bounds / 4;
  std::span<Inode* const> left = files;
  while (!left.empty()) {
    const size_t count = std::max<size_t>(CountWithin(core, left, most), 1);
    BETR_RETURN_IF_ERROR(UnlinkSome(core, left.first(count)));
    left = left.subspan(count);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<Inode*> InodesBelow(const Inode& directory) {
  absl::flat_hash_set<Inode*> seen;
  std::vector<Inode*> below;
  CollectBelow(directory, &seen, &below);
  return below;
}

absl::Status SetAsideOpenFiles(Core& core, Inode& directory) {
  const std::vector<Inode*> all = OpenFilesBelow(directory);
  if (FitTogether(core, all)) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(UnlinkNamed(core, all));
  const std::vector<Inode*> linked = OpenFilesBelow(directory);
  if (FitTogether(core, linked)) return absl::OkStatus();
  std::map<Inode*, std::set<uint64_t>> groups;
  for (const Inode* const inode : linked) groups[inode->home].insert(inode->group);
  for (const auto& [home, ids] : groups) BETR_RETURN_IF_ERROR(UnlinkGroups(core, directory, *home, ids));
  return absl::OkStatus();
}

}  // namespace betr::fs
