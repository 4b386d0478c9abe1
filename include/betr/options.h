// SPDX-License-Identifier: Apache-2.0
// Options for making and opening a store. What shapes the image is stored in it; the rest is said at each open.
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

// Fixed when the image is made, kept in its superblock; but for what TuneOptions has, too. Defaults fit any device.
struct FormatOptions {
  Bytes node_size{0};               // target, uncompressed: 512 bytes to 16 MiB. 0: 4 MiB, less on a small device
  Bytes basement_size{0};           // target, uncompressed: 64 bytes to node_size. 0: 64 KiB, at most node_size
  uint32_t fanout = 16;             // 4 to 256; with less than 8 clones make trees taller
  Bytes log_size{0};                // whole 4 KiB, from 64 KiB. 0: 1/16 of the device, 1 to 256 MiB, at most a quarter
  std::string compression = "lz4";  // of new trees: "none", "lz4", "lz4:LEVEL" (1 to 12; usually 1), "zstd",
                                    // "zstd:LEVEL" (1 to 22; usually 3)
  std::string label;                // at most 64 bytes
  std::string uuid;                 // canonical text; empty: random
  // What is kept of the space for nodes, at most half of it, so that a full store takes deletes (docs/durability.md):
  // at least 16 nodes and 272 KiB, with nodes below 64 KiB a 64th, of a small image a quarter. 0: a 64th.
  BasisPoints reserve;
};

// What can be changed of an image. What is not set stays as it is.
struct TuneOptions {
  std::optional<std::string> label;  // as in FormatOptions, all three
  std::optional<std::string> uuid;
  std::optional<BasisPoints> reserve;
};

// Whether batches go to the log.
enum class Logging : uint8_t {
  kFull,  // every batch is logged: Sync costs one log write
  kBulk,  // nothing is logged and Sync is a checkpoint: for filling an image
};

// Times: any value is allowed. One below zero means 0, one of more than a hundred years as good as for ever.
struct StoreOptions {
  Bytes cache_size{0};  // 0: an eighth of the machine's memory
  bool read_only = false;
  // Needs read_only: what the last checkpoint has, without a lock and without the log, so also while another process
  // writes. When that process has made a newer checkpoint and used the space of this one, reading gives kDataLoss:
  // never something else, as every node and block is known by its version or checksum.
  bool stale = false;
  Logging logging = Logging::kFull;
  // Batches that nobody has synced stay in memory up to this size. Before there are more they are written to the log
  // or, if that is about as much to write, a checkpoint writes what they have changed: so what comes in bulk reaches
  // the device once. 0: half of the cache, at most 64 MiB. Never more than a quarter of the log. It is
  // part of the cache's budget.
  Bytes log_memory{0};
  std::chrono::seconds checkpoint_period{60};  // or sooner, after erases; 0: only on demand and under pressure
  // Runs flushing, eviction, checkpoints and reclaim in two threads of their own, with up to three more that help to
  // compress; who clones faster than they work does a part of it. Without it all that happens inside the calls that
  // make it necessary, in a fixed order: for tests that must be repeatable.
  bool background = true;
  // How long Close goes on with background work if ranges were erased, cloned or renamed: what that frees comes back
  // during this time, or when the image is next open for a while.
  std::chrono::milliseconds settle_time{1000};
  Experiments experiments;   // off: for comparisons with earlier designs only
  UpsertRegistry functions;  // all that the image uses, and that are to be used
  std::string program;       // for the owner record that others see while the store is open
  // Is told, once each, what could not be read when nobody waited for it: background work leaves it out, and the store
  // goes on (StoreStats::unreadable). Called from any thread, and with locks held: it must not call the store.
  std::function<void(const absl::Status&)> on_unreadable;
  // How long a checkpoint goes on trying to read what the device says it cannot, while it can read elsewhere: what is
  // given up then stays unreadable, as its place is used for something else (docs/durability.md). Meanwhile what waits
  // for the checkpoint waits, Close among it: for ever, if that is the time.
  std::chrono::milliseconds read_patience{10'000};
};

}  // namespace betr
