// SPDX-License-Identifier: Apache-2.0
#include "fs/mount.h"

#include <cerrno>

#include "base/status.h"
#include "fs/key.h"
#include "fs/pending_erases.h"
#include "fs/time_coding.h"

namespace betr::fs {
namespace {

constexpr uint64_t kRootNumber = 1;

absl::StatusOr<std::string> Require(const Store& store, TreeId meta, std::string_view key) {
  BETR_ASSIGN_OR_RETURN(std::optional<std::string> value, store.Get(meta, key));
  if (!value) return absl::DataLossError("file system: the record " + key::PathOfObject(key) + " is missing");
  return *std::move(value);
}

absl::StatusOr<bool> Holds(Core& core, TreeId tree, std::string_view prefix) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, core.store().NewCursor(tree, Range::Prefix(prefix)));
  cursor->SeekToFirst();
  BETR_RETURN_IF_ERROR(cursor->status());
  return cursor->Valid();
}

}  // namespace

absl::Status FormatTrees(Store* store, const RootOptions& root) {
  BETR_RETURN_IF_ERROR(CheckTime(root.time));
  if (store->FindTree(kMetaTree).ok()) return ErrnoError(EEXIST, "file system");
  BETR_ASSIGN_OR_RETURN(const TreeId meta, store->CreateTree(kMetaTree));
  BETR_RETURN_IF_ERROR(store->CreateTree(kDataTree).status());
  InodeRecord record;
  record.type = FileType::kDirectory;
  record.permissions = root.permissions & 07777;
  record.uid = root.uid;
  record.gid = root.gid;
  record.links = 2;
  record.number = kRootNumber;
  record.link_home = true;
  record.accessed = record.modified = record.changed = record.born = root.time;
  WriteBatch batch;
  batch.Put(meta, key::kVersionKey, EncodeVersion({root.time}));
  batch.Put(meta, key::kRootObject, EncodeInode(record));
  batch.Put(meta, key::kNumberBoundKey, EncodeNumberBound(kRootNumber + 1));
  return store->Write(batch);
}

absl::StatusOr<std::unique_ptr<Core>> OpenCore(std::unique_ptr<Store> store, const MountOptions& options) {
  BETR_ASSIGN_OR_RETURN(const TreeId meta, store->FindTree(kMetaTree));
  BETR_ASSIGN_OR_RETURN(const TreeId data, store->FindTree(kDataTree));
  BETR_ASSIGN_OR_RETURN(const std::string version_bytes, Require(*store, meta, key::kVersionKey));
  BETR_ASSIGN_OR_RETURN(const VersionRecord version, DecodeVersion(version_bytes));
  BETR_ASSIGN_OR_RETURN(const std::string root_bytes, Require(*store, meta, key::kRootObject));
  BETR_ASSIGN_OR_RETURN(InodeRecord root, DecodeInode(root_bytes, "root directory"));
  if (!root.IsDirectory()) return absl::DataLossError("root directory: not a directory");
  if (root.zone != 0) return absl::DataLossError("root directory: in a zone");
  BETR_ASSIGN_OR_RETURN(const std::string bound_bytes, Require(*store, meta, key::kNumberBoundKey));
  BETR_ASSIGN_OR_RETURN(const uint64_t bound, DecodeNumberBound(bound_bytes, "bound of inode numbers"));

  auto core = std::make_unique<Core>(std::move(store), meta, data, options);
  core->inodes().root().record = std::move(root);
  core->SetNumberBound(bound);
  core->zones().exist = version.has_zones;
  if (core->store().ReadOnly()) return core;
  BETR_RETURN_IF_ERROR(FinishErases(*core));
  BETR_RETURN_IF_ERROR(ReclaimLeftovers(*core));
  return core;
}

absl::Status ReclaimLeftovers(Core& core) {
  WriteBatch batch;
  for (const TreeId tree : {core.meta(), core.data()}) {
    for (const std::string_view prefix : {key::kOrphansPrefix, key::kScratchPrefix}) {
      const absl::StatusOr<bool> holds = Holds(core, tree, prefix);
      if (IsUnreadable(holds.status())) continue;  // what is there may stay
      BETR_RETURN_IF_ERROR(holds.status());
      if (*holds) batch.EraseRange(tree, Range::Prefix(prefix));
    }
  }
  if (batch.Empty()) return absl::OkStatus();
  absl::Status written = core.store().Write(batch);
  if (!absl::IsResourceExhausted(written)) return written;
  // Orphans have numbers that nothing else gets, so they may stay until there is space. What is in the scratch may not,
  // since it has a place that is used again.
  for (const TreeId tree : {core.meta(), core.data()}) {
    const absl::StatusOr<bool> holds = Holds(core, tree, key::kScratchPrefix);
    if (holds.ok() && *holds) return written;
  }
  return absl::OkStatus();
}

}  // namespace betr::fs
