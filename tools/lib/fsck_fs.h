// SPDX-License-Identifier: Apache-2.0
// The part of fsck.betr that opens the store. It checks what a replay makes of the store, and the file system in it.
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "device/block_device.h"
#include "fsck_losses.h"
#include "fsck_report.h"
#include "store/offline/inspect.h"

namespace betr::tools {

struct FsckFsOptions {
  bool may_repair = false;
  bool may_salvage = false;
  Bytes cache_size{0};
  bool has_log = false;  // there is something to replay, so the replayed DAG is checked too
};

struct CheckedFiles {
  uint64_t left = 0;           // errors
  bool is_replay_bad = false;  // the errors are in the state to which the log leads
  bool are_there = true;       // the store holds a file system
};

// Checks, and repairs if allowed. Reads through `watched`. Writes, when repairing, to `device`, which is the same one
// and locked. Errors: those of opening and reading the store.
absl::StatusOr<CheckedFiles> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                        const std::atomic<bool>& is_cancelled, FsckReport& report);

// Whether the store holds a file system, as it is without its log. Cost: reads the names of the trees.
bool HasFileSystem(const store::Inspection& image);

// Whether a repair was interrupted before it had put everything that it found into its place. Also true if that cannot
// be told without looking closer. Cost: reads the names of the trees, and opens the store where these do not tell.
bool HasLostTrees(const store::Inspection& image, BlockDevice& device, Bytes cache_size);

// Finishes the repair after the store was salvaged. Ends the log where it cannot be replayed, and gives back to the
// file system what lost its place. Then tells by names what is lost, as far as it can be read, even if something before
// that failed.
absl::Status SettleSalvaged(BlockDevice& device, Bytes cache_size, FsckLosses& losses, FsckReport& report);

// Makes the state to which the log leads the stable one, so that it can be repaired.
absl::Status ReplayForGood(BlockDevice& device, Bytes cache_size);

// Makes the image say that it was ended cleanly, once a repair is done, if it does not yet. If there is no space for
// that, the image goes on to say that it was not. Requires: it holds a file system, and there is nothing to replay.
absl::Status EndCleanly(BlockDevice& device, Bytes cache_size);

}  // namespace betr::tools
