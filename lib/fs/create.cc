// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "base/status.h"
#include "fs/content.h"
#include "fs/key.h"
#include "fs/names.h"
#include "fs/place.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

absl::Status CheckNewFile(const NewFile& file) {
  if (ModeBits(file.type) == 0) return ErrnoError(EINVAL, "type of a file");
  if (file.type != FileType::kSymlink) return absl::OkStatus();
  if (file.target.empty()) return ErrnoError(ENOENT, "empty target of a symbolic link");
  if (file.target.size() > kMaxPathSize) return ErrnoError(ENAMETOOLONG, "target of a symbolic link");
  if (file.target.find('\0') != std::string::npos) return ErrnoError(EINVAL, "target of a symbolic link");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Inode*> Create(Core& core, Inode& directory, std::string_view name, const NewFile& file) {
  BETR_RETURN_IF_ERROR(CheckNewFile(file));
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindFreeSlot(core, directory, name));
  Transaction transaction(&core);
  InodeRecord record = NewRecord(file, directory.record, transaction.now(), transaction.FreshNumber());
  BETR_RETURN_IF_ERROR(AddXattrs(&transaction, core, slot.object, file, &record));
  PutNew(&transaction, core, slot, record);
  transaction.TouchDirectory(&directory, record.IsDirectory() ? 1 : 0);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  Inode& inode = core.inodes().AddNamed(&directory, name, record);
  directory.known_names.Add(name);
  if (inode.IsDirectory()) inode.known_names.BecomeEmpty();
  const bool is_strange = record.uid != directory.record.uid;
  if (is_strange) core.CountMove(inode);
  if (is_strange || !inode.IsDirectory()) CountArrival(core, inode, directory);
  SplitZoneIfGrown(core, inode, kInodeInZone);
  return &inode;
}

absl::StatusOr<Inode*> CreateUnnamed(Core& core, Inode& directory, const NewFile& file) {
  BETR_RETURN_IF_ERROR(CheckDirectory(directory));
  if (file.type == FileType::kDirectory) return ErrnoError(EISDIR, "a directory without a name");
  BETR_RETURN_IF_ERROR(CheckNewFile(file));
  Transaction transaction(&core);
  const uint64_t number = transaction.FreshNumber();
  InodeRecord record = NewRecord(file, directory.record, transaction.now(), number);
  record.links = 0;
  BETR_RETURN_IF_ERROR(AddXattrs(&transaction, core, key::Orphan(number), file, &record));
  transaction.batch().Put(core.meta(), key::Orphan(number), EncodeInode(record));
  BETR_RETURN_IF_ERROR(transaction.Commit());
  Inode& inode = core.inodes().AddOrphan(number, std::move(record));
  inode.unnamed = true;
  return &inode;
}

}  // namespace betr::fs
