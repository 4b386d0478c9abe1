// SPDX-License-Identifier: Apache-2.0
// Core holds what all operations of the file system share: the store and its two trees, the inodes in memory, the
// gathered writes and the source of inode numbers. Operations are free functions on a Core (fs/names.h, fs/content.h,
// ...). Changes go through a Transaction.
//
// Not thread-safe: FileSystem's lock guards it. Pointers to inodes stay valid until InodeTable::Trim, which runs only
// after an operation has finished.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "betr/filesystem.h"
#include "fs/inode.h"

namespace betr::fs {

// What zones (zones.h) need to know between operations.
struct ZoneState {
  bool exist = false;  // there are zones, or there have been
  Bytes grown{0};      // growth since a zone was last considered for splitting
};

// A record that operation `op` of a batch puts. Its inode has something pending.
struct PendingRecord {
  size_t op;
  const Inode* inode;
  InodeRecord record;
};

class Core {
 public:
  // Requires: the trees exist and have been checked (see mount.cc).
  Core(std::unique_ptr<Store> store, TreeId meta, TreeId data, const MountOptions& options);

  Store& store() { return *store_; }
  const Store& store() const { return *store_; }
  TreeId meta() const { return meta_; }
  TreeId data() const { return data_; }
  InodeTable& inodes() { return inodes_; }
  const MountOptions& options() const { return options_; }
  ZoneState& zones() { return zones_; }
  // FileSystem::DirectoryMoves.
  uint64_t directory_moves() const { return directory_moves_; }
  // FileSystem::Arrivals. Owners share counters, so another owner's arrival may make a caller look again for nothing.
  uint64_t arrivals(uint32_t owner) const { return arrivals_[owner % arrivals_.size()]; }
  void CountArrival(uint32_t owner) { ++arrivals_[owner % arrivals_.size()]; }
  void CountMove(const Inode& inode) { directory_moves_ += inode.IsDirectory() ? 1 : 0; }

  FileTime Now();

  // --- where things are --------------------------------------------------------------------------------------
  // Each of these is O(depth) and requires that the directory or object has not been removed. If there are no zones,
  // the path of a directory is its content prefix.
  std::string ContentOf(const Inode& directory) const;
  std::string PathOf(const Inode& directory) const;
  size_t PathSizeOf(const Inode& directory) const;
  std::string ObjectOf(const Inode& inode) const;
  // The nearest link home at or above a directory.
  Inode& HomeOf(Inode& directory);
  // The nearest link home above a home; null for the root.
  Inode* HomeAbove(Inode& directory) {
    return directory.place == InodePlace::kNamed ? &HomeOf(*directory.parent()) : nullptr;
  }

  // --- reading -----------------------------------------------------------------------------------------------
  // Returns the value of a key of "meta", or nothing if the key is absent.
  absl::StatusOr<std::optional<std::string>> GetMeta(std::string_view key);
  // Returns a cursor over a range of "meta", on its first key.
  absl::StatusOr<std::unique_ptr<Cursor>> ScanMeta(const Range& range);
  // How often GetMeta and ScanMeta were called. Blind operations do not count.
  uint64_t meta_reads() const { return meta_reads_; }
  // Returns the inode under a name, or null if there is none. Reads at most the entry and, for a reference, its group.
  // Requires: the directory has not been removed, and the name is valid.
  absl::StatusOr<Inode*> Find(Inode& directory, std::string_view name);
  // The same for a name whose record, `value`, was just read. kDataLoss if `value` is no record, or one that cannot be
  // there.
  absl::StatusOr<Inode*> FindRead(Inode& directory, std::string_view name, std::string_view value);
  // As Find, but ENOENT if there is none.
  absl::StatusOr<Inode*> Get(Inode& directory, std::string_view name);
  // Returns a group that names below `directory` refer to. kDataLoss if no home at or above the directory has it, or
  // if what is stored there is not the record of a group.
  absl::StatusOr<Inode*> FindGroup(Inode& directory, uint64_t id);
  absl::StatusOr<bool> IsEmpty(Inode& directory);

  // --- writing -----------------------------------------------------------------------------------------------
  // In writeback.cc.
  //
  // Gathers a write. Hands everything over first if the write does not continue the pending one, or if too much would
  // be gathered. If there may be no space for as much as is gathered, nothing is gathered: the write goes to the store
  // at once, so that what was accepted is never refused later. Requires: no more than PartSize.
  //
  // Errors: those of handing over, or that what this inode had pending is now lost. After an error nothing was
  // gathered.
  absl::Status Gather(Inode& inode, uint64_t offset, std::string_view bytes, const AttributeDelta& attributes);
  // How much of a write of `size` bytes is gathered at once: all of it, unless that might be too much for a batch.
  size_t PartSize(const Inode& inode, uint64_t offset, size_t size) const;
  // Hands over all gathered writes. The store may refuse one, because of what it cannot read or with kOutOfRange, and
  // still take others. Such a write is lost, which is not an error here. After any other error, what was not handed
  // over is still pending.
  absl::Status Flush();
  // Hands over all gathered writes if `inode` has any. To be called before its content is read or changed.
  absl::Status FlushFor(const Inode& inode) { return inode.pending.Empty() ? absl::OkStatus() : Flush(); }
  // Forgets the gathered write of an inode that is being removed, or of which all that was written is discarded.
  void DropPending(Inode& inode);
  // Returns the error of writes that were lost, once. TakeLoss: those of one inode. TakeLosses: those of any inode,
  // whether or not TakeLoss has returned them.
  absl::Status TakeLoss(Inode& inode) { return std::exchange(inode.loss, absl::OkStatus()); }
  absl::Status TakeLosses() { return std::exchange(losses_, absl::OkStatus()); }
  // What statfs says (FileSystemSpace).
  FileSystemSpace Space() const;
  // Whether Space() would promise as much as a batch. Does not count as asking: nothing is reclaimed sooner for it.
  bool HasSpaceForBatch() const;
  // About how many bytes a batch should have: at most a quarter of what it may have.
  size_t batch_bytes() const { return batch_bytes_; }
  const BatchSize& max_batch() const { return max_batch_; }

  // For Transaction. AddPending begins a batch with everything pending. WriteWithPending writes such a batch: as a
  // whole, or, if need be, without its first `pending_ops` operations, after handing over what is pending. The records
  // in `pending_records` tell of pending writes; where those are not in the store, the records are put without them.
  //
  // Errors: IsOutdated if writes were lost meanwhile. The batch is not written then, since it was made from records
  // that no longer hold. ENOSPC, before anything of the operation is done, if the batch without what is pending is
  // larger than a batch may be (docs/filesystem.md#limits).
  void AddPending(WriteBatch* batch);
  absl::Status WriteWithPending(const WriteBatch& batch, size_t pending_ops,
                                const std::vector<PendingRecord>& pending_records);

  // Returns a number that was never given before. If needed, adds to `batch` what ensures that it never is again.
  uint64_t FreshNumber(WriteBatch* batch);
  void NumbersCommitted(bool ok);
  void SetNumberBound(uint64_t bound);

 private:
  // kDataLoss if a directory with this record cannot be there.
  absl::Status CheckBelow(const Inode& directory, std::string_view name, const InodeRecord& record);
  FileSystemSpace SpaceOf(const SpaceStats& stats) const;
  void AddPendingOf(const Inode& inode, WriteBatch* batch);
  absl::Status WriteAlone(const WriteBatch& batch);
  void ForgetPending();
  // Whether the store refused only this write, and takes others.
  bool IsRefusal(const absl::Status& status) const;
  absl::Status FlushOneByOne();
  void Lose(Inode& inode, const absl::Status& why);
  absl::Status FlushBefore(Inode& inode);
  absl::Status WriteThrough(Inode& inode, uint64_t offset, std::string_view bytes, const AttributeDelta& attributes);

  MountOptions options_;
  std::unique_ptr<Store> store_;
  TreeId meta_;
  TreeId data_;
  Clock& clock_;
  NameBudget budget_;
  InodeTable inodes_;
  ZoneState zones_;

  const BatchSize max_batch_;
  const size_t batch_bytes_;
  std::vector<Inode*> pending_;
  size_t pending_bytes_ = 0;  // content and what goes with it
  absl::Status losses_;       // the first since TakeLosses
  uint64_t loss_count_ = 0;

  uint64_t meta_reads_ = 0;
  uint64_t directory_moves_ = 0;
  std::array<uint64_t, 256> arrivals_{};
  uint64_t next_number_ = 0;
  uint64_t number_bound_ = 0;  // numbers below are reserved on disk
  uint64_t staged_bound_ = 0;  // what number_bound_ becomes once the batch being made is written
};

// Whether an operation has not happened because gathered writes that came before it were lost. It should then be done
// once more, as Repeated does. Every operation that may meet gathered writes is called through Repeated.
bool IsOutdated(const absl::Status& status);
template <class T>
bool IsOutdated(const absl::StatusOr<T>& result) {
  return IsOutdated(result.status());
}
template <class Operation>
auto Repeated(Operation operation) {
  auto result = operation();
  return IsOutdated(result) ? operation() : result;
}

// Errors that many operations give.
absl::Status CheckName(std::string_view name);
// ENOTDIR, ENOENT.
absl::Status CheckDirectory(const Inode& inode);

}  // namespace betr::fs
