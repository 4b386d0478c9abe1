// SPDX-License-Identifier: Apache-2.0
// Repairs the store level of an image by all means there are: what needs no guessing (repair_store.h), the log
// (log_cut.h), and, if that is not enough, what can be saved (salvage.h).
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/offline/check_store.h"
#include "store/offline/log_cut.h"
#include "store/offline/lost_range.h"
#include "store/offline/salvage.h"

namespace betr::store {

enum class RepairDepth : uint8_t {
  // Only what needs no guessing and loses nothing. If the state may not be the newest that was durable, that is nothing
  // at all. Slots that are older than their copy are made anew from it.
  kSafe,
  kAll,  // what cannot be read is cut out, and said to be lost
};

struct RepairOptions {
  SalvageLimits limits;
  TellLosses loses;  // also told if the repair fails later
};

struct ImageRepair {
  uint64_t actions = 0;
  Salvaged salvaged;  // of all rounds together; without its actions, which were told as they happened
  // What the last look found. Nothing, unless `depth` does not allow its repair.
  std::vector<Finding> left;
};

// Looks, repairs and looks again until nothing is found, or nothing more can be done. `act` is told each action.
// `findings` are those of a full look at the image as it is. What could not be read because the device failed is not
// repaired. Requires: the device is writable and locked. Errors: those of Inspection::Open, SalvageStore and of
// writing. The device's, if it failed to read something: then nothing was written since the last action.
// kUnimplemented, before anything is written, if the image has features that this build may only read.
absl::StatusOr<ImageRepair> RepairImage(BlockDevice& device, Bytes cache_size, RepairDepth depth,
                                        std::vector<Finding> findings, absl::FunctionRef<void(std::string_view)> act,
                                        const RepairOptions& options = {});

// What a log lost at its end, and which keys that concerns.
struct MendedLog {
  LogCut cut;
  std::vector<LostRange> lost;
};

// Cuts the log where replaying the image fails: at a frame or record that is damaged, or from record `bad` on. Does
// nothing if it can be read to its end. `loses` is told what is lost before the log is cut. Errors: kUnimplemented as
// RepairImage; the device's.
absl::StatusOr<MendedLog> MendLog(Inspection& image, std::optional<Lsn> bad = std::nullopt,
                                  const TellLosses& loses = nullptr);

// Opens the store read-only, which replays the log. Cuts the log at the record that the state cannot take, such as one
// of a tree that is lost. Requires: no findings are left. Errors: those of opening, except for those of log records.
absl::StatusOr<MendedLog> MendReplay(BlockDevice& device, StoreOptions options, const TellLosses& loses = nullptr);

}  // namespace betr::store
