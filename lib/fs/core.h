// SPDX-License-Identifier: Apache-2.0
// What all operations of the file system stand on: the store and its two trees, the inodes in memory, the gathered
// writes, the source of inode numbers. Operations are free functions on a Core (fs/names.h, fs/content.h, ...);
// changes go through a Transaction.
//
// Not thread-safe: FileSystem's lock guards it. Pointers to inodes are valid until InodeTable::Trim, which runs only
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
  bool exist = false;  // there are, or have been, some
  Bytes grown{0};      // since a zone was last looked at, whether it is to be split
};

// A record that an operation of a batch puts, of an inode that has something pending.
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
  // FileSystem::Arrivals. Owners share counters: a caller may look again in vain, because of another owner.
  uint64_t arrivals(uint32_t owner) const { return arrivals_[owner % arrivals_.size()]; }
  void CountArrival(uint32_t owner) { ++arrivals_[owner % arrivals_.size()]; }
  void CountMove(const Inode& inode) { directory_moves_ += inode.IsDirectory() ? 1 : 0; }

  FileTime Now();

  // --- where things are --------------------------------------------------------------------------------------
  // O(depth). Require: the directory (object) has not been removed. The path of a directory is its content prefix if
  // there are no zones.
  std::string ContentOf(const Inode& directory) const;
  std::string PathOf(const Inode& directory) const;
  size_t PathSizeOf(const Inode& directory) const;
  std::string ObjectOf(const Inode& inode) const;
  // The nearest link home at or above a directory.
  Inode& HomeOf(Inode& directory);
  // The nearest one above it; null if it is the root.
  Inode* HomeAbove(Inode& directory) {
    return directory.place == InodePlace::kNamed ? &HomeOf(*directory.parent()) : nullptr;
  }

  // --- reading -----------------------------------------------------------------------------------------------
  // The value of a key of "meta", if it is there.
  absl::StatusOr<std::optional<std::string>> GetMeta(std::string_view key);
  // A cursor over a range of "meta", on the first key of it.
  absl::StatusOr<std::unique_ptr<Cursor>> ScanMeta(const Range& range);
  // How often the two were called: what is blind does not count.
  uint64_t meta_reads() const { return meta_reads_; }
  // The inode under a name; null if there is none. Reads at most the entry and, for a reference, its group.
  // Requires: a directory that has not been removed, a valid name.
  absl::StatusOr<Inode*> Find(Inode& directory, std::string_view name);
  // The same for a name whose record was just read, `value`. kDataLoss if that is none, or says what cannot be there.
  absl::StatusOr<Inode*> FindRead(Inode& directory, std::string_view name, std::string_view value);
  // As Find; ENOENT if there is none.
  absl::StatusOr<Inode*> Get(Inode& directory, std::string_view name);
  // A group that names below `directory` refer to. kDataLoss if no home at or above has it, or what has is none.
  absl::StatusOr<Inode*> FindGroup(Inode& directory, uint64_t id);
  absl::StatusOr<bool> IsEmpty(Inode& directory);

  // --- writing -----------------------------------------------------------------------------------------------
  // In writeback.cc.
  //
  // Gathers a write. Hands everything over first if it does not go on where the pending one ends, or if there is
  // too much. If there may be no space for as much as is gathered, nothing is: the write goes to the store at once, so
  // that what was accepted is never refused later. Requires: no more than PartSize. Errors: of handing over, or that
  // what this inode had pending is lost now; nothing was gathered.
  absl::Status Gather(Inode& inode, uint64_t offset, std::string_view bytes, const AttributeDelta& attributes);
  // How much of a write of so many bytes is gathered at once: all of it, unless a batch might not take that.
  size_t PartSize(const Inode& inode, uint64_t offset, size_t size) const;
  // Hands over all gathered writes. Where the store refuses one because of what it cannot read, and goes on otherwise,
  // the write is lost, which is no error of this. Errors: the others; what was not handed over is still pending.
  absl::Status Flush();
  // Hands over all gathered writes if `inode` has some: for whoever reads or changes its content.
  absl::Status FlushFor(const Inode& inode) { return inode.pending.Empty() ? absl::OkStatus() : Flush(); }
  // Forgets the gathered write of an inode that is being removed.
  void DropPending(Inode& inode);
  // That writes were lost, once: those of an inode; of any inode, whoever was told already.
  absl::Status TakeLoss(Inode& inode) { return std::exchange(inode.loss, absl::OkStatus()); }
  absl::Status TakeLosses() { return std::exchange(losses_, absl::OkStatus()); }
  // What statfs says (FileSystemSpace).
  FileSystemSpace Space() const;
  // Whether that promises as much as a batch, which nobody has asked for.
  bool HasSpaceForBatch() const;
  // About how many bytes one batch should have: at most a quarter of what it may have.
  size_t batch_bytes() const { return batch_bytes_; }
  const BatchSize& max_batch() const { return max_batch_; }

  // For Transaction. A batch that begins with everything pending; writing it, if need be after what is pending, or
  // without that, of which `pending_records` tell. If writes are lost meanwhile, it is not written: it was made of
  // records that are so no more. IsOutdated then. ENOSPC, before anything is done, if the rest is more than a batch may
  // be (docs/filesystem.md#limits).
  void AddPending(WriteBatch* batch);
  absl::Status WriteWithPending(const WriteBatch& batch, size_t pending_ops,
                                const std::vector<PendingRecord>& pending_records);

  // A number never given before. Adds to `batch` what makes sure of it, if needed.
  uint64_t FreshNumber(WriteBatch* batch);
  void NumbersCommitted(bool ok);
  void SetNumberBound(uint64_t bound);

 private:
  // Whether a directory with this record may be there.
  absl::Status CheckBelow(const Inode& directory, std::string_view name, const InodeRecord& record);
  FileSystemSpace SpaceOf(const SpaceStats& stats) const;
  void AddPendingOf(const Inode& inode, WriteBatch* batch);
  absl::Status WriteAlone(const WriteBatch& batch);
  void ForgetPending();
  // Whether the store takes other writes than that.
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
  absl::Status losses_;       // the first that was not told
  uint64_t loss_count_ = 0;

  uint64_t meta_reads_ = 0;
  uint64_t directory_moves_ = 0;
  std::array<uint64_t, 256> arrivals_{};
  uint64_t next_number_ = 0;
  uint64_t number_bound_ = 0;  // numbers below are reserved on disk
  uint64_t staged_bound_ = 0;  // the same, once the batch that is being made is written
};

// Whether an operation has not happened because gathered writes, which it would have followed, were lost. It is to be
// done once more then, as Repeated does: whoever may meet gathered writes is called through that.
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
