// SPDX-License-Identifier: Apache-2.0
// Store: an embeddable, crash-safe, write-optimised ordered key-value store with range clone and range rename.
//
// A store holds any number of named trees of byte-string keys ordered by memcmp. All trees share nodes, log, cache
// and space; a clone between trees is as cheap as one within a tree.
//
// Durability. A batch written before a Sync that returned ok survives any crash. Of the batches written after it, a
// prefix survives. Each batch survives whole or not at all. An image needs no repair after a crash: it just opens.
//
// Threads. Any method may be called from any thread. Writers are serialised. Readers run concurrently with them and
// see each batch whole or not at all.
//
// Processes. A store belongs to the process that opened it. In a forked child, calls that would write return
// kFailedPrecondition, reads may hang, and the destructor does nothing. The child shares the lock on the image until
// it calls exec or exits.
//
// Errors. What the codes mean, where a method does not say otherwise:
//   kInvalidArgument     The caller made a mistake.
//   kNotFound            There is no such tree.
//   kResourceExhausted   There is no space. Deletes still work.
//   kFailedPrecondition  The store was opened read-only, was closed, or became read-only after a failed device write
//                        (the message says why). From reads: the value depends on an upsert function that is not
//                        registered, which can happen in a store opened read-only.
//   kUnavailable         The device failed. When opening also: threads could not be started.
//   kDataLoss            Something is damaged. The message names the structure and its place.
//   kOutOfRange          Clones of long prefixes are in the way (docs/dag.md#limits).
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

// The entries under a prefix of a tree.
struct TreePrefix {
  TreeId tree;
  std::string prefix;
};

// Which free space is given back to the storage: that in [begin, end) of the device.
struct TrimOptions {
  Bytes begin{0};
  Bytes end{UINT64_MAX};
  Bytes least{0};  // smaller free ranges are left alone
};

// A consistent read-only view of all trees at one instant. Copies are cheap. See Cursor for what a view keeps alive.
// The store must outlive it.
class ReadView;

class Store {
 public:
  // Creates a sparse image file of `size` bytes, a multiple of 4 KiB, that holds an empty store. Durable on return.
  //
  // The file appears at `path` complete or not at all, even if the process is killed. After an error none was created.
  // If several callers create the same path at once, one succeeds. The image is locked until this returns: others find
  // it in use.
  //
  // Errors: kAlreadyExists if there is anything at `path`; it is left as it is. kInvalidArgument if the options do not
  // fit the size. Here and below, a path with a zero byte is kInvalidArgument too.
  static absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options);

  // Writes an empty store over an existing file, at its present size, or over a block device. (Use mkfs.betr for an
  // image that holds a file system.)
  //
  // Errors: kAlreadyExists if there is something on it that `existing` does not allow to be lost; the message names
  // what was recognised. kNotFound if there is nothing at `path`. kFailedPrecondition if it is open elsewhere, with a
  // message that says by whom, or mounted; a file may be mounted through a loop device.
  enum class Existing : uint8_t { kKeep, kOverwrite };
  static absl::Status FormatImage(const std::string& path, const FormatOptions& options,
                                  Existing existing = Existing::kKeep);

  // Grows the image at `path` to `size` bytes, a multiple of 4 KiB. A smaller file is extended sparsely; a block device
  // must have that size already. Stored data neither changes nor moves. Durable on return. If the process is killed,
  // the image has the old size or the new one.
  //
  // Errors: those of OpenImage; kInvalidArgument if the image is larger than `size`; kFailedPrecondition if the image
  // is open, with a message that says by whom. Cost: a few 4 KiB writes and flushes.
  static absl::Status GrowImage(const std::string& path, Bytes size);

  // Changes the label, the uuid and the reserve of the image at `path`, and nothing that is stored in it. Durable on
  // return. If the process is killed, all changes have been made or none.
  //
  // Errors: those of OpenImage; kInvalidArgument for a value that an image cannot have; kFailedPrecondition if the
  // image is open, with a message that says by whom. kFailedPrecondition also for a new uuid while the log holds
  // something to replay, since the log is identified by the uuid. Cost: a few 4 KiB writes and flushes.
  static absl::Status TuneImage(const std::string& path, const TuneOptions& options);

  // Gives the free space of an image back to the storage: by punching holes in a file, which then takes less space on
  // the host, or by discarding blocks of a device. Nothing is replayed and nothing stored is lost. Returns the number
  // of bytes, whether or not the storage made use of them.
  //
  // Errors: those of OpenImage; kDataLoss if it is not fully known which space is in use.
  static absl::StatusOr<Bytes> TrimImage(const std::string& path, const TrimOptions& options = {});

  // Opens the image file or block device at `path` and locks it, exclusively or, if read-only, shared.
  //
  // Errors: kFailedPrecondition if the image is open elsewhere, with a message that says by whom. kFailedPrecondition
  // also, unless read-only, if the image or its log uses an upsert function that is not registered; the message names
  // it.
  static absl::StatusOr<std::unique_ptr<Store>> OpenImage(const std::string& path, StoreOptions options);

  // The same on any kind of device, for the tools and the tests: lib/device/block_device.h is not installed. The caller
  // does the locking. Format overwrites whatever is there.
  static absl::Status Format(BlockDevice& device, const FormatOptions& options);
  static absl::StatusOr<std::unique_ptr<Store>> Open(std::unique_ptr<BlockDevice> device, StoreOptions options);

  // Waits for background work, then closes without a checkpoint. The next open replays what was synced. Call Close for
  // a clean end.
  ~Store();
  // Makes a checkpoint and closes the store, even if the checkpoint fails. From then on, calls that would write or sync
  // return kFailedPrecondition. Reads still work, and the image stays locked until the destructor runs. May be called
  // again, to retry what failed.
  absl::Status Close();

  // --- trees -------------------------------------------------------------------------------------------------
  // Names have 1 to kMaxTreeNameSize (255) bytes. Creating, snapshotting and dropping a tree are as durable as a batch.
  //
  // Creates an empty tree. `compression` is one of FormatOptions::compression; empty means the default of the image.
  // Errors: kAlreadyExists if the name is taken; kResourceExhausted if there are kMaxTrees.
  absl::StatusOr<TreeId> CreateTree(std::string_view name, std::string_view compression = "");
  // Finds the tree or snapshot with this name. No I/O, nor in the next two.
  absl::StatusOr<TreeId> FindTree(std::string_view name) const;
  // Returns the first id that no tree has had so far, for WriteBatch::CreateTree. Another writer may take it first; the
  // batch is then refused with kAlreadyExists.
  TreeId UnusedTreeId() const;
  // Lists all trees and snapshots by id.
  std::vector<TreeInfo> Trees() const;
  // Creates a read-only tree that holds what `tree` holds now. It survives restarts until it is dropped. Errors: those
  // of CreateTree. Cost: O(1).
  //
  // Space: a root of its own, if `tree` has changed since its last snapshot. That root holds the changes and little of
  // what was buffered there before: a root that buffers much is not copied, but gets a level above it
  // (docs/dag.md#limits).
  absl::StatusOr<TreeId> Snapshot(TreeId tree, std::string_view name);
  // Drops a tree or a snapshot. Its space is reclaimed in the background.
  absl::Status DropTree(TreeId tree);

  // --- writing -----------------------------------------------------------------------------------------------
  // Applies a batch as a whole. Readers see it as soon as this returns. It is durable after the next Sync. After an
  // error nothing of the batch has happened.
  //
  // Errors: kInvalidArgument if the batch is larger than MaxBatch. kDataLoss or kUnavailable if it cannot reach the
  // place where it belongs (docs/durability.md). kOutOfRange if the prefixes of clones there prevent that
  // (docs/dag.md#limits). Cost: puts, erases and upserts are blind, that is, they read nothing. Clones and renames cost
  // O(height) nodes.
  absl::Status Write(const WriteBatch& batch);
  // Returns the largest batch that Write takes, constant while the store is open: 64 MiB or, if batches are logged and
  // that is less, a quarter of the log's size; 2^20 changes; 65536 changes of ranges and prefixes among them, with
  // 8 MiB of bounds.
  BatchSize MaxBatch() const;

  // Each of these writes a batch of one change; see Write. kInvalidArgument for a key of more than kMaxKeySize, for a
  // value or delta of more than kMaxValueSize, and for a snapshot.
  absl::Status Put(TreeId tree, std::string_view key, std::string_view value);
  absl::Status Erase(TreeId tree, std::string_view key);
  // kInvalidArgument if the function is not registered.
  absl::Status Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta);
  // Erases all keys in a range. Bounds have at most kMaxRangeBoundSize bytes. An empty range erases nothing, but the
  // tree must be one that can be written to.
  absl::Status EraseRange(TreeId tree, const Range& range);
  // Replaces everything under `to` by a copy of what is under `from`. Prefixes, here and below, have at most
  // kMaxKeySize bytes.
  absl::Status ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);
  // Moves what is under `from` to `to`, and replaces what was there. kInvalidArgument if the destination is the source
  // or lies below it.
  absl::Status RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);

  // Makes everything written before this call durable. Cost: one write of what the log holds in memory, and one flush,
  // which concurrent calls share. With Logging::kBulk it is a checkpoint.
  absl::Status Sync();
  // Brings everything written before this call into a checkpoint, so that none of it needs to be replayed. Cost: writes
  // what has changed since the last checkpoint.
  absl::Status Checkpoint();
  // Flushes all messages of a tree to its leaves, and drops what the tree no longer shows from leaves that it shares
  // with nobody. Works on about one node at a time: other calls go on meanwhile, and memory stays within its budget.
  // Messages written meanwhile may stay behind. So do those that the prefixes of clones hold up (docs/dag.md#limits).
  //
  // Errors: kInvalidArgument for a snapshot. kResourceExhausted if there is no space for nodes that grow; what was
  // flushed by then stays flushed. Cost: reads and writes the nodes for which messages wait, and reads the headers of
  // the others.
  absl::Status Compact(TreeId tree);
  // Gives free space back to the storage as TrimImage does. First reclaims what was erased, for at most
  // StoreOptions::settle_time. Other calls go on meanwhile: trimming occupies at most 64 MiB at a time, of space that
  // they do not need. The reserve is left alone while no more than that is free.
  //
  // Errors: those of the device. What was trimmed by then stays trimmed.
  absl::StatusOr<Bytes> Trim(const TrimOptions& options = {});

  // --- reading -----------------------------------------------------------------------------------------------
  // Returns the value, or nothing if the key is absent. Cost: at each level at most a node header, the runs of one
  // partition and one basement. Only what is not in memory is read.
  absl::StatusOr<std::optional<std::string>> Get(TreeId tree, std::string_view key) const;
  // Makes a cursor over the keys in `bounds`. It is on no key until its first seek. Reads nothing.
  absl::StatusOr<std::unique_ptr<Cursor>> NewCursor(TreeId tree, Range bounds = Range::All()) const;
  // Estimates what a range holds. Cost: reads the headers of some dozens of nodes, and looks at what is buffered for
  // the range.
  absl::StatusOr<RangeEstimate> Estimate(TreeId tree, const Range& range) const;

  // Pins the present state of all trees, for several reads of one instant. A tree that is dropped later can still be
  // read through the view. Functions that take a view return kInvalidArgument if it is null or of another store.
  std::shared_ptr<const ReadView> Pin() const;
  absl::StatusOr<TreeId> FindTree(const ReadView& view, std::string_view name) const;
  absl::StatusOr<std::optional<std::string>> Get(const ReadView& view, TreeId tree, std::string_view key) const;
  absl::StatusOr<std::unique_ptr<Cursor>> NewCursor(std::shared_ptr<const ReadView> view, TreeId tree,
                                                    Range bounds = Range::All()) const;
  // Makes a cursor over the keys in which two prefixes differ, in one tree or in two: a clone and its source, or a tree
  // and its snapshot. What the two share is not looked at, so the cost is that of what has changed since.
  absl::StatusOr<std::unique_ptr<DifferenceCursor>> NewDifference(std::shared_ptr<const ReadView> view,
                                                                  const TreePrefix& before,
                                                                  const TreePrefix& after) const;
  // Returns an id for the entries under `prefix`, their keys taken without it. In one view, equal ids mean equal
  // entries, as those of a clone and its source are; the entries themselves are not looked at. Returns nothing if what
  // was written there is still in memory only. Cost: O(height) nodes.
  absl::StatusOr<std::optional<ContentId>> IdOfContent(const ReadView& view, TreeId tree,
                                                       std::string_view prefix) const;
  // Returns the space that everything under the prefixes takes together. What is not stored yet counts with the most
  // that it can take. What is buffered in memory counts as nothing. Cost: reads the interior nodes that show it, and
  // the headers of those leaves that are shared or also show something else.
  absl::StatusOr<Footprint> FootprintOf(const ReadView& view, const std::vector<TreePrefix>& prefixes) const;

  // --- state -------------------------------------------------------------------------------------------------
  StoreStats Stats() const;
  SpaceStats Space() const;             // the call itself makes erased space come back sooner
  FormatOptions Format() const;         // as stored in the image
  const StoreOptions& Options() const;  // as given to Open, except for what experiments change
  bool ReadOnly() const;

  // Internals, for the checker, the dumper and the tests. Not a stable interface.
  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace betr
