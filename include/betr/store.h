// SPDX-License-Identifier: Apache-2.0
// Store: an embeddable, crash-safe, write-optimised ordered key-value store with range clone and range rename.
//
// A store holds any number of named trees of byte-string keys ordered by memcmp. All trees share nodes, log, cache
// and space; a clone between trees is as cheap as one within a tree.
//
// Durability. A batch that was written before a Sync that returned ok survives any crash. Of the batches after it a
// prefix survives, each whole or not at all. An image opens by itself after any crash.
//
// Threads. All methods may be called from any thread. Writers are serialised; readers run beside them and see each
// batch as a whole or not at all.
//
// Processes. A store belongs to the process that opened it. In a child made by fork, what would write is refused with
// kFailedPrecondition, reading may hang, and the destructor does nothing; but until the child calls exec or ends it
// shares the lock of the image.
//
// Errors. kInvalidArgument: the caller's mistake. kNotFound: no such tree. kResourceExhausted: no space; deletes
// still work. kFailedPrecondition: opened read-only, or became read-only after a failed device write (the message
// says why), or was closed; of reading: the value depends on an upsert function that is not registered, as can be
// where the store is open read-only. kUnavailable: the device; of opening, threads too. kDataLoss: damage, naming the
// structure and its place. kOutOfRange: clones of long prefixes are in the way (docs/dag.md#limits).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/bound.h"
#include "betr/cursor.h"
#include "betr/difference_cursor.h"
#include "betr/options.h"
#include "betr/stats.h"
#include "betr/units.h"
#include "betr/write_batch.h"

namespace betr {

class BlockDevice;

struct TreeInfo {
  TreeId id;
  std::string name;
  std::string compression;
  bool snapshot = false;  // read-only
};

// What lies under a prefix in a tree.
struct TreePrefix {
  TreeId tree;
  std::string prefix;
};

// Which of the free space is given back to the storage.
struct TrimOptions {
  Bytes begin{0};  // of the device, and to where: what is free outside of that stays
  Bytes end{UINT64_MAX};
  Bytes least{0};  // smaller free ranges stay, too
};

// A consistent read-only view of all trees at one instant. Copies are cheap; see Cursor about what it keeps alive. The
// store must outlive it.
class ReadView;

class Store {
 public:
  // Makes a sparse image file of `size`, a multiple of 4 KiB, with an empty store in it. What there is at `path` stays:
  // kAlreadyExists. kInvalidArgument for options that do not fit the size, here and below also for a path with a zero
  // byte. Durable on return; on an error there is no file. Nobody sees less than the whole image, also if the process
  // is killed: of several who make one at `path` at once, one does. Others find it in use until this returns.
  static absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options);

  // Writes an empty store over an existing file, as large as it is, or a block device. kAlreadyExists, naming what was
  // recognised there, unless `existing` allows that it is lost. kNotFound if there is nothing at `path`;
  // kFailedPrecondition saying who has it open, or that it is mounted, a file by way of a loop device. (mkfs.betr makes
  // images that hold a file system.)
  enum class Existing : uint8_t { kKeep, kOverwrite };
  static absl::Status FormatImage(const std::string& path, const FormatOptions& options,
                                  Existing existing = Existing::kKeep);

  // Makes the image at `path` as large as `size`, a multiple of 4 KiB, and a file, sparse, if that is smaller; a block
  // device has to be so large. Of what is stored nothing changes, nor where it lies. Durable on return. Whoever is
  // killed on the way leaves an image of one size or the other. kInvalidArgument if the image is larger;
  // kFailedPrecondition saying who has it open; else as OpenImage. Cost: some writes of 4 KiB and flushes.
  static absl::Status GrowImage(const std::string& path, Bytes size);

  // Changes what the image at `path` is called and what it keeps in reserve; nothing that is stored. Durable on return.
  // Whoever is killed on the way leaves the image as it was, or changed. kInvalidArgument for what an image cannot be
  // called or keep; kFailedPrecondition for another uuid if the log has something to replay, as it is named by that,
  // or saying who has the image open; else as OpenImage. Cost: some writes of 4 KiB and flushes.
  static absl::Status TuneImage(const std::string& path, const TuneOptions& options);

  // Gives the free space of an image back to the storage: of a file by making holes, which take no space on the host,
  // of a device by discarding it. Nothing is replayed, and all that is stored stays. How much it was, whether the
  // storage made anything of it or not. Errors: as OpenImage; kDataLoss if not all is known of what is in use.
  static absl::StatusOr<Bytes> TrimImage(const std::string& path, const TrimOptions& options = {});

  // Opens the image file or block device at `path` and locks it: exclusively, or shared if read-only.
  // Errors besides: kFailedPrecondition saying who has it open, or, unless read-only, which upsert function the image
  // or its log uses that is not registered.
  static absl::StatusOr<std::unique_ptr<Store>> OpenImage(const std::string& path, StoreOptions options);

  // The same on devices of any kind, for the tools and the tests: lib/device/block_device.h is not installed. Locks are
  // the caller's business. Format writes over everything.
  static absl::Status Format(BlockDevice& device, const FormatOptions& options);
  static absl::StatusOr<std::unique_ptr<Store>> Open(std::unique_ptr<BlockDevice> device, StoreOptions options);

  // Waits for background work and closes without a checkpoint: what was synced is found again by replay. Call
  // Close for a clean end.
  ~Store();
  // Checkpoint, then close: what would write or sync gives kFailedPrecondition afterwards, also after an error. Reading
  // goes on, as the image stays locked until the destructor. May be called again: then it tries what has failed.
  absl::Status Close();

  // --- trees -------------------------------------------------------------------------------------------------
  // Names have 1 to 255 bytes (kMaxTreeNameSize). kAlreadyExists if the name is taken; kResourceExhausted if there are
  // kMaxTrees. Durable like a batch.
  // `compression` is one of FormatOptions::compression; empty: the image's default.
  absl::StatusOr<TreeId> CreateTree(std::string_view name, std::string_view compression = "");
  // The tree or snapshot of this name. In memory, as the next two.
  absl::StatusOr<TreeId> FindTree(std::string_view name) const;
  // The first of the ids that no tree has had so far, for WriteBatch::CreateTree. Another writer may be given it first:
  // then that batch is refused with kAlreadyExists.
  TreeId UnusedTreeId() const;
  // All trees and snapshots, by id.
  std::vector<TreeInfo> Trees() const;
  // A read-only tree named `name` with what `tree` holds now. O(1); survives restarts until it is dropped. Space: a
  // root of its own, if the tree was changed since the last one: with what was changed, and little of what waited
  // there before; a root that holds much is not copied, but gets a level above it (docs/dag.md#limits).
  absl::StatusOr<TreeId> Snapshot(TreeId tree, std::string_view name);
  // Drops a tree or a snapshot. Its space comes back in the background.
  absl::Status DropTree(TreeId tree);

  // --- writing -----------------------------------------------------------------------------------------------
  // Applies a batch: visible to readers at once when this returns, durable after the next Sync. Puts, erases and
  // upserts are blind: no reading. Clones and renames cost O(height) nodes. On an error nothing of the batch has
  // happened. kDataLoss and kUnavailable: it cannot get to where it belongs (docs/durability.md), and kOutOfRange:
  // because of the prefixes of clones there (docs/dag.md#limits). kInvalidArgument: it is larger than MaxBatch.
  absl::Status Write(const WriteBatch& batch);
  // A quarter of the log's size, if batches are logged, and at most 64 MiB; 2^20 changes, of which 65536 may be of
  // ranges and prefixes, these with at most 8 MiB of bounds. The same as long as the store is open.
  BatchSize MaxBatch() const;

  // Batches of one change: see Write. kInvalidArgument for a key of more than kMaxKeySize, a value or delta of more
  // than kMaxValueSize, a snapshot.
  absl::Status Put(TreeId tree, std::string_view key, std::string_view value);
  absl::Status Erase(TreeId tree, std::string_view key);
  // kInvalidArgument if the function is not registered.
  absl::Status Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta);
  // An empty range erases nothing, of a tree that can be written to. Bounds have at most kMaxRangeBoundSize; prefixes
  // of clones and renames at most kMaxKeySize.
  absl::Status EraseRange(TreeId tree, const Range& range);
  absl::Status ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);
  // kInvalidArgument onto its source or below it.
  absl::Status RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);

  // Everything written before this call is durable when it returns ok. Cost: a write of what the log holds in memory,
  // and a flush, which calls that come together share; with Logging::kBulk a checkpoint.
  absl::Status Sync();
  // Everything written before this call is in a checkpoint when it returns ok: nothing would have to be replayed. Cost:
  // writes what has changed since the last one.
  absl::Status Checkpoint();
  // Flushes all messages of a tree to its leaves, about a node at a time: others go on meanwhile, and memory stays
  // within its budget. Leaves that the tree shares with nobody lose what it does not show any more. What is written
  // meanwhile may stay behind. Cost: reading and writing the nodes for which messages wait, and reading the headers of
  // the others. kInvalidArgument for a snapshot. kResourceExhausted if there is no space for what grows: what was
  // flushed stays so. So does what the prefixes of clones stop (docs/dag.md#limits).
  absl::Status Compact(TreeId tree);
  // As TrimImage, once what was erased is given back, within StoreOptions::settle_time. Others go on meanwhile; up to
  // 64 MiB of what they do not need are in use for it at a time. The reserve, when there is not more than that, stays.
  // Errors: the device's; what was trimmed stays so.
  absl::StatusOr<Bytes> Trim(const TrimOptions& options = {});

  // --- reading -----------------------------------------------------------------------------------------------
  // The value, or nothing if the key is absent. Cost: at each level a node header, the runs of one partition and one
  // basement at most, and of these what is not in memory.
  absl::StatusOr<std::optional<std::string>> Get(TreeId tree, std::string_view key) const;
  // Over the keys in `bounds`. It is on none before it is told to seek, and has read nothing.
  absl::StatusOr<std::unique_ptr<Cursor>> NewCursor(TreeId tree, Range bounds = Range::All()) const;
  // Cost: the headers of some dozens of nodes, and a look at what is buffered of the range.
  absl::StatusOr<RangeEstimate> Estimate(TreeId tree, const Range& range) const;

  // Several reads of one instant, of the trees that there were: one that is dropped later can be read on. Errors
  // besides: kInvalidArgument with a view of another store, or null.
  std::shared_ptr<const ReadView> Pin() const;
  absl::StatusOr<TreeId> FindTree(const ReadView& view, std::string_view name) const;
  absl::StatusOr<std::optional<std::string>> Get(const ReadView& view, TreeId tree, std::string_view key) const;
  absl::StatusOr<std::unique_ptr<Cursor>> NewCursor(std::shared_ptr<const ReadView> view, TreeId tree,
                                                    Range bounds = Range::All()) const;
  // Over the keys in which two prefixes differ, in one tree or in two: those of a clone and its source, of a tree and
  // its snapshot. What both share is not looked at, so the cost is that of what was changed since.
  absl::StatusOr<std::unique_ptr<DifferenceCursor>> NewDifference(std::shared_ptr<const ReadView> view,
                                                                  const TreePrefix& before,
                                                                  const TreePrefix& after) const;
  // The name of what lies under `prefix`, taken without it: in one view, equal names mean equal entries, as those of a
  // clone and its source, found without looking at them. Nothing if what was written there is still in memory only.
  // Cost: O(height) nodes.
  absl::StatusOr<std::optional<ContentId>> IdOfContent(const ReadView& view, TreeId tree,
                                                       std::string_view prefix) const;
  // The space that all that lies under the prefixes takes together. What is not stored yet counts as what it takes at
  // most, and what waits in memory as nothing. Cost: reads the interior nodes that show it, and the headers of leaves
  // that also show something else, or are shared.
  absl::StatusOr<Footprint> FootprintOf(const ReadView& view, const std::vector<TreePrefix>& prefixes) const;

  // --- state -------------------------------------------------------------------------------------------------
  StoreStats Stats() const;
  SpaceStats Space() const;             // who asks has what was erased given back sooner
  FormatOptions Format() const;         // as stored in the image
  const StoreOptions& Options() const;  // as given to Open, but for what experiments make of them
  bool ReadOnly() const;

  // The innards, for the checker, the dumper and the tests; not a stable interface.
  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace betr
