// SPDX-License-Identifier: Apache-2.0
// Options for making and opening a store. Those that shape an image are stored in it; the others are given at each
// open.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "betr/experiments.h"
#include "betr/units.h"
#include "betr/upsert.h"

namespace betr {

// Fixed when the image is made, except for what TuneOptions can change. Kept in its superblock. The defaults fit any
// device.
struct FormatOptions {
  Bytes node_size{0};      // target, uncompressed: 512 bytes to 16 MiB. 0: 4 MiB, less on a small device
  Bytes basement_size{0};  // target, uncompressed: 64 bytes to node_size. 0: 64 KiB, at most node_size
  uint32_t fanout = 16;    // 4 to 256. With less than 8, clones make trees taller
  // A multiple of 4 KiB, at least 64 KiB. 0: 1/16 of the device, 1 to 256 MiB, at most a quarter of the device. On the
  // smallest devices it is what the nodes leave.
  Bytes log_size{0};
  // Of new trees: "none", "lz4", "lz4:LEVEL" (1 to 12; usually 1), "zstd" or "zstd:LEVEL" (1 to 22; usually 3).
  std::string compression = "lz4";
  std::string label;  // at most 64 bytes
  std::string uuid;   // canonical text; empty: random
  // The share of the space for nodes that is kept back so that a full store still takes deletes (docs/durability.md).
  // At most half. 0: a 64th. At least 16 nodes and 272 KiB are kept, and with nodes below 64 KiB at least a 64th. Where
  // that minimum is more than a quarter of the space, it is a quarter.
  BasisPoints reserve;
};

// What can be changed in an existing image. What is not set stays as it is. Values are as in FormatOptions.
struct TuneOptions {
  std::optional<std::string> label;
  std::optional<std::string> uuid;
  std::optional<BasisPoints> reserve;
};

// Whether batches go to the log.
enum class Logging : uint8_t {
  kFull,  // every batch is logged: Sync costs one log write
  kBulk,  // nothing is logged and Sync is a checkpoint: for filling an image
};

// Times may have any value. A negative one means 0. One of more than a hundred years means, in effect, for ever.
struct StoreOptions {
  Bytes cache_size{0};  // 0: an eighth of the machine's memory
  bool read_only = false;
  // Shows what the last checkpoint has, without taking a lock and without reading the log. So it works while another
  // process writes. Once that process has made a newer checkpoint and reused the space of this one, reads return
  // kDataLoss. They never return wrong data, since every node and block is identified by its version or checksum.
  // Requires read_only.
  bool stale = false;
  Logging logging = Logging::kFull;
  // The memory for batches that nobody has synced; part of the cache's budget. Before it is exceeded, the batches are
  // written to the log. If a checkpoint would write about as much, a checkpoint is made instead: data that comes in
  // bulk then reaches the device once. 0: half of the cache, at most 64 MiB. Never more than a quarter of the log.
  Bytes log_memory{0};
  // If not 0: where the changes have this size or more on average, nodes are stored without that checkpoint, and the
  // next sync makes it. Faster on hard disks, but a crash may take more of what nobody synced (docs/log.md#forgetting).
  Bytes bulk_change{0};
  // The time between checkpoints; erases may bring one sooner. 0: only on demand and under pressure.
  std::chrono::seconds checkpoint_period{60};
  // Runs flushing, eviction, checkpoints and reclaim in two threads, with up to three more that help to compress.
  // A caller that clones faster than they can work does part of the work itself. If false, all work happens inside the
  // calls that make it necessary, in a fixed order: for tests that must be repeatable.
  bool background = true;
  // How long Close goes on with background work after ranges were erased, cloned or renamed. The space that this work
  // frees comes back during this time, or when the image is next open for a while.
  std::chrono::milliseconds settle_time{1000};
  Experiments experiments;   // off by default: for comparisons with earlier designs only
  UpsertRegistry functions;  // all that the image uses, and all that will be used
  std::string program;       // for the owner record, which others see while the store is open
  // Reports, once each, what could not be read when no caller was waiting for it. Background work leaves it out and the
  // store goes on (StoreStats::unreadable). Called from any thread and with locks held: it must not call the store.
  std::function<void(const absl::Status&)> on_unreadable;
  // How long a checkpoint keeps trying to read what the device reports as unreadable, while reads elsewhere succeed.
  // What is then given up stays unreadable, because its place is reused (docs/durability.md). Whatever waits for the
  // checkpoint, such as Close, waits that long too; it may be for ever.
  std::chrono::milliseconds read_patience{10'000};
};

}  // namespace betr
