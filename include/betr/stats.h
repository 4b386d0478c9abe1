// SPDX-License-Identifier: Apache-2.0
// Figures: what a store has done since it was opened, how its space is used, and what a range holds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "betr/units.h"

namespace betr {

struct StoreStats {
  // Structure.
  std::array<uint64_t, 16> flushes_by_height{};  // height of the node flushed from
  uint64_t unshares = 0;                         // private copies of shared nodes
  uint64_t relifts = 0;                          // nodes whose keys lost their translation
  uint64_t splits = 0;
  uint64_t merges = 0;           // of small neighbouring nodes
  uint64_t gotos_buffered = 0;   // clones and range erases put into a partition
  uint64_t gotos_converted = 0;  // clones that became an edge
  uint64_t clones = 0;
  uint64_t nodes_created = 0;
  uint64_t nodes_reclaimed = 0;
  uint64_t nodes_touched = 0;  // by clones, renames, range erases
  uint64_t nodes_swept = 0;    // that background work looked at to find out whether they need work
  // I/O.
  uint64_t node_reads = 0;   // node headers read
  uint64_t block_reads = 0;  // blocks read: one run of messages or one basement each
  uint64_t node_writes = 0;
  uint64_t checkpoints = 0;
  uint64_t log_syncs = 0;
  uint64_t log_wraps = 0;  // times that the log reached its end and went on at its beginning
  Bytes bytes_read{0};
  Bytes bytes_log{0};         // written to the log
  Bytes bytes_checkpoint{0};  // written by checkpoints: nodes, table pages, superblock
  Bytes bytes_eviction{0};    // written to make room in the cache
  Bytes bytes_batches{0};     // keys and values that callers wrote
  uint64_t unreadable = 0;    // damaged things that background work has come across and leaves alone
  // Memory.
  Bytes cache_clean{0};
  Bytes cache_dirty{0};
  Bytes buffers{0};  // messages in front of the roots
  // Writers that waited for memory, or for room in the log.
  uint64_t write_stalls = 0;
  uint64_t write_stall_ns = 0;

  // Calls `visit(name, value)` for every figure, for printing and JSON. Elements of an array are named name.index.
  void ForEach(const std::function<void(std::string_view, uint64_t)>& visit) const;
};

// An estimate of what a range holds, made without reading all of it. Messages that have not reached their leaf yet
// count as entries of their own, erases among them. More than 2^50 keys or 2^62 bytes, as clones of clones of
// everything may hold, are reported as 2^50 keys or 2^62 bytes.
struct RangeEstimate {
  uint64_t keys = 0;
  Bytes bytes{0};      // of keys and values, about
  Bytes shared{0};     // the part of `bytes` in nodes that other paths also lead to
  bool exact = false;  // `keys` is exact: nothing was extrapolated, and nothing pending may change it
};

// The space taken by what lies under some prefixes.
struct Footprint {
  Bytes stored{0};     // of the nodes that hold it, or of its part of them, whoever else uses them
  Bytes exclusive{0};  // of that, what nothing else shows: what comes back when all of it is erased
};

// Identifies what lies under a prefix of a tree.
struct ContentId {
  std::string id;       // opaque
  bool shared = false;  // whether another prefix may have the same id
};

struct SpaceStats {
  Bytes total{0};  // for nodes and tables: the device without superblocks and log
  Bytes free{0};   // used by neither the last checkpoint nor the present state
  // The part of `free` that new entries may take, with their share of nodes. The next checkpoint needs the rest, or it
  // is kept so that deletes find room.
  Bytes available{0};
  Bytes reserve{0};  // kept for erases, and for batches that may use it (WriteBatch::MayUseReserve)
  uint64_t nodes = 0;
  uint64_t dead_nodes = 0;  // waiting for reclaim
};

}  // namespace betr
