// SPDX-License-Identifier: Apache-2.0
// The part of fsck.betr that opens the store: what a replay makes of it, and the file system in it.
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>

#include "device/block_device.h"
#include "fsck_report.h"

namespace betr::tools {

struct FsckFsOptions {
  bool may_repair = false;
  Bytes cache_size{0};
  bool has_log = false;  // there is something to replay: the replayed DAG is checked too
};

// Reads through `watched`, and writes, when repairing, to `device`: the same, and locked. Returns how many errors are
// left. Errors: those of opening and reading the store.
absl::StatusOr<uint64_t> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                    const std::atomic<bool>& is_cancelled, FsckReport& report);

}  // namespace betr::tools
