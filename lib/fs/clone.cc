// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/names.h"
#include "fs/place.h"
#include "fs/reach.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

// The source's record as that of a new inode.
InodeRecord CloneRecord(Transaction* transaction, const Inode& source) {
  InodeRecord record = source.record;
  record.number = transaction->FreshNumber();
  record.changed = record.born = transaction->now();
  if (record.IsDirectory()) {
    record.salt = SaltOfClone(transaction->FreshNumber());
    record.link_home = true;
    record.zone = 0;
  } else {
    record.links = 1;
  }
  return record;
}

// Adds that everything below `source` is also below the slot.
void CloneContent(Transaction* transaction, Core& core, const Inode& source, const std::string& content) {
  WriteBatch& batch = transaction->batch();
  for (const TreeId tree : {core.meta(), core.data()}) {
    batch.ClonePrefix(tree, core.ContentOf(source), tree, content);
    if (source.place == InodePlace::kRoot) {
      batch.EraseRange(tree, Range::Prefix(content + std::string(key::kGlobalPrefix)));
    }
  }
}

}  // namespace

absl::StatusOr<Inode*> Clone(Core& core, Inode& source, Inode& directory, std::string_view name) {
  if (source.place == InodePlace::kGone) return ErrnoError(ENOENT, "a removed source");
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindFreeSlot(core, directory, name));
  BETR_RETURN_IF_ERROR(CheckReach(core, slot, &source));
  BETR_RETURN_IF_ERROR(CheckHasNoZones(core, source));
  // What is pending must be part of the clone, not only of the source.
  BETR_RETURN_IF_ERROR(core.Flush());
  GroupCloner groups(&core, &source);
  if (source.IsDirectory()) {
    BETR_RETURN_IF_ERROR(FinishDissolves(core, source));
    BETR_RETURN_IF_ERROR(groups.Prepare());
  }

  Transaction transaction(&core);
  const InodeRecord record = CloneRecord(&transaction, source);
  if (source.IsDirectory()) {
    const std::string content = key::Content(slot.content, slot.name);
    CloneContent(&transaction, core, source, content);
    groups.AddTo(&transaction, content);
  }
  CloneAttachments(&transaction.batch(), core.data(), core.ObjectOf(source), slot.object, source.record);
  PutNew(&transaction, core, slot, record);
  transaction.TouchDirectory(&directory, source.IsDirectory() ? 1 : 0);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  groups.Placed();
  directory.known_names.Add(name);
  core.CountMove(source);
  CountArrival(core, source, directory);
  return &core.inodes().AddNamed(&directory, name, record);
}

}  // namespace betr::fs
