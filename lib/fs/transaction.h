// SPDX-License-Identifier: Apache-2.0
// One change of the file system as one batch. It begins with all gathered writes, so that the store sees operations in
// their order; what it does to records in memory happens only if the store took it.
//
// Use: add to batch(), Change records, Commit; then change the inodes' places and names, which cannot fail.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fs/core.h"

namespace betr::fs {

class Transaction {
 public:
  explicit Transaction(Core* core);
  // Without Commit nothing has happened.
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  WriteBatch& batch() { return batch_; }
  FileTime now() const { return now_; }
  uint64_t FreshNumber() { return core_.FreshNumber(&batch_); }

  // An inode's record, changed, comes to lie under `key`. A full record tells of writes that are pending, too: should
  // the transaction go to the store without them, it is put as it is without them.
  void PutRecord(std::string_view key, const InodeRecord& record, const Inode& inode);
  // An upsert of the inode's record, where it lies before the transaction. Several of one inode become one.
  void Change(Inode* inode, const AttributeDelta& delta);
  // A name came, went or changed in a directory: its times, and the number of its subdirectories.
  void TouchDirectory(Inode* directory, int64_t subdirectories);
  // The key of an entry will exist that is longer than the content prefix of `directory` by `entry`, and keys below it
  // that are longer than that by `below` at most: all directories above learn of it. O(depth).
  void Reach(Inode* directory, size_t entry, size_t below);

  // kInternal, and nothing has happened, if a record or a change of one could not be read again: with it the inode
  // would be lost, its directory could not be listed, and without the root's there is no mounting. The same if an
  // operation would erase, move or replace the whole file system.
  absl::Status Commit();

 private:
  struct RecordChange {
    Inode* inode;
    std::string object;
    AttributeDelta delta;
  };

  // A directory that reaches farther than its record says.
  struct Raise {
    Inode* directory;
    uint64_t reach;
    size_t path;  // bytes of its path
  };

  static AttributeDelta Raised(const Raise& raise);
  // To be called when all other changes are known. Those of records that change anyway go along.
  absl::Status RaiseReach();
  // Each raise has a key as long as its path, so many go ahead, in batches of their own. Should the rest not happen,
  // the bounds are higher than they need to be.
  absl::Status RaiseAhead(std::span<const Raise> raises);
  absl::Status CheckSafe() const;

  Core& core_;
  WriteBatch batch_;
  size_t pending_ops_;
  FileTime now_;
  std::vector<RecordChange> changes_;
  std::vector<PendingRecord> pending_records_;
  std::vector<Raise> raises_;
  bool committed_ = false;
};

}  // namespace betr::fs
