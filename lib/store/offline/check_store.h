// SPDX-License-Identifier: Apache-2.0
// The checker as a library: fsck.betr prints what this finds, tests demand that it finds nothing.
//
// What is checked, and the kinds of findings:
//   superblock  both slots are intact, of one image, with features that are known; the copy is, and not newer
//   table       every page is intact; as many nodes as the superblock says; ids and versions below the next ones
//   space       extents lie inside the device, behind the log, and do not overlap
//   catalog     both copies are intact; every root is an interior node that is alive and holds all keys
//   log         the frames to be replayed follow each other and hold batches that can be read
//   unreadable, missing, height, shape, image, order, references, unreachable
//               of the DAG (dag/read/check.h); every block of every node is read
// Free space is the complement of what the above use, so nothing can leak but nodes: those that nobody names.
//
// What a damaged part would have named cannot be told from what nobody names. So reference counts and unreachable nodes
// are only reported if everything else can be read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "store/offline/inspect.h"

namespace betr::store {

struct Finding {
  enum class Repair : uint8_t {
    kNone,             // cannot be mended without guessing
    kSuperblock,       // the state of the intact slot is the newest; checkpoints write the rest anew
    kOlderSuperblock,  // the same, but nobody knows whether the other slot held a newer state
    kCatalog,          // is written anew, as the other copy has it
    kReferences,       // the count becomes what was counted
    kRemove,           // the node leaves the table
  };
  std::string_view kind;  // as listed above
  std::string what{};     // names the place: "node 5: reference count is 3, but 2 name it"
  Repair repair = Repair::kNone;
  NodeId node{};
  uint32_t references = 0;  // as counted
};

using ReportFinding = std::function<void(const Finding&)>;

struct CheckFigures {
  uint64_t nodes = 0;
  uint64_t dead_nodes = 0;
  uint64_t table_pages = 0;
  uint64_t trees = 0;
  uint64_t log_records = 0;  // to be replayed
  bool is_log_torn = false;  // behind them there is a part of a frame, as a crash leaves it
  Bytes used{0};
};

enum class CheckDepth : uint8_t {
  kQuick,  // superblocks, table, catalog, log
  kFull,   // also every node and block
};

// Checks what the newest superblock names, and the log behind it. Cost: a full check reads everything. Memory: as of
// Inspection, and a few bytes for each node.
CheckFigures CheckStore(Inspection& image, CheckDepth depth, const ReportFinding& report);

// Checks a state without regard to where it is stored. It may be in memory only, as after a replay.
void CheckState(const State& state, const ReportFinding& report);

}  // namespace betr::store
