// SPDX-License-Identifier: Apache-2.0
// Transaction makes one change of the file system as one batch. The batch begins with all gathered writes, so that the
// store sees operations in their order. Records in memory change only if the store has taken the batch.
//
// Use: add to batch(), Change records, Commit. Then change the inodes' places and names, which cannot fail.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fs/core.h"

namespace betr::fs {

class Transaction {
 public:
  explicit Transaction(Core* core);
  // Without a Commit nothing has happened.
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  WriteBatch& batch() { return batch_; }
  FileTime now() const { return now_; }
  uint64_t FreshNumber() { return core_.FreshNumber(&batch_); }

  // Puts an inode's changed record under `key`. A full record also tells of pending writes. If the transaction has to
  // go to the store without those, the record is put without them, too.
  void PutRecord(std::string_view key, const InodeRecord& record, const Inode& inode);
  // Upserts the inode's record, where it lies before the transaction. Several changes of one inode become one.
  void Change(Inode* inode, const AttributeDelta& delta);
  // Updates a directory in which a name came, went or changed: its times, and the number of its subdirectories.
  void TouchDirectory(Inode* directory, int64_t subdirectories);
  // Tells the directory and all those above of a key that will exist. The key of an entry is longer than the content
  // prefix of `directory` by `entry`; keys below the entry are longer than the entry's by `below` at most. O(depth).
  void Reach(Inode* directory, size_t entry, size_t below);

  // Writes the batch.
  //
  // Errors: kInternal, and nothing has happened, if a record or a change of one could not be read again. With such a
  // record the inode would be lost and its directory could not be listed; without the root's there is no mounting.
  // kInternal, too, if an operation would erase, move or replace the whole file system. Otherwise those of
  // Core::WriteWithPending.
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
  // To be called when all other changes are known. Raises of records that change anyway are part of those changes.
  absl::Status RaiseReach();
  // Writes raises before the transaction, in batches of their own: each has a key as long as its path, so many would
  // not fit. If the transaction then does not happen, the bounds are merely higher than they need to be.
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
