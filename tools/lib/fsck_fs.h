// SPDX-License-Identifier: Apache-2.0
// The part of fsck.betr that opens the store: what a replay makes of it, and the file system in it.
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "device/block_device.h"
#include "fsck_losses.h"
#include "fsck_report.h"
#include "store/inspect.h"

namespace betr::tools {

struct FsckFsOptions {
  bool may_repair = false;
  bool may_salvage = false;
  Bytes cache_size{0};
  bool has_log = false;  // there is something to replay: the replayed DAG is checked too
};

struct CheckedFiles {
  uint64_t left = 0;           // errors
  bool is_replay_bad = false;  // they are of the state to which the log leads
  bool are_there = true;       // the store holds a file system
};

// Reads through `watched`, and writes, when repairing, to `device`: the same, and locked.
// Errors: those of opening and reading the store.
absl::StatusOr<CheckedFiles> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                        const std::atomic<bool>& is_cancelled, FsckReport& report);

// Whether the store holds a file system, as it is without its log. Cost: the names of the trees.
bool HasFileSystem(const store::Inspection& image);

// Whether a repair was interrupted before it had put all that it has found into its place: or must be looked at closer
// to tell. Cost: the names of the trees, and where they tell nothing, opening the store.
bool HasLostTrees(const store::Inspection& image, BlockDevice& device, Bytes cache_size);

// After the store was salvaged: ends the log where it cannot be replayed, gives the file system back what lost its
// place, and tells by names what is lost, as far as it can be read, also if something before that fails.
absl::Status SettleSalvaged(BlockDevice& device, Bytes cache_size, FsckLosses& losses, FsckReport& report);

// Makes what the log leads to the stable state, so that it can be repaired.
absl::Status ReplayForGood(BlockDevice& device, Bytes cache_size);

// After a repair that is done: the image says that it was ended cleanly, if it does not yet. Requires: it holds a file
// system, and there is nothing to replay. Where there is no space for that, it goes on to say that it was not.
absl::Status EndCleanly(BlockDevice& device, Bytes cache_size);

}  // namespace betr::tools
