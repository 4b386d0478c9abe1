// SPDX-License-Identifier: Apache-2.0
// Jobs: what there is to do at one node, and how it is done. They are the parts of background work; work.h says when
// and in which order. A job changes the node and at most two of its children.
//
// Looking for a job reads only children for which range erases or clones wait: these may hide space, and only the child
// tells how much. With Reach::kDisk it also reads what tells how much of a child its edge shows, but no leaf for that.
// What is left out (left_out.h) is no job.
#pragma once

#include <absl/status/status.h>

#include <optional>

#include "dag/change/edit.h"
#include "dag/change/flush.h"
#include "dag/change/heal.h"
#include "dag/node.h"

namespace betr::dag {

struct Job {
  enum Kind {
    kFlush,       // flush the edge
    kTidyChild,   // the child is too large, or empty, or holds more than the edge shows
    kClear,       // the edge shows nothing
    kDropErases,  // range erases over nothing are pending
    kNarrow,      // a range erase reaches an end of the edge's range
    kHeal,        // some neighbours may be merged
  };
  Kind kind;
  size_t edge = 0;
  size_t runs = kAllRuns;  // of a flush
};

// Finds the flush by which an over-full node loses most (choose_flush.h). A node is over-full if its blocks, each
// counted once, are more than a node, or if it has too much beside them (storable.h). A shared child is copied only if
// that is worth it (child.h), and never with Sharing::kKeep. With kBreak it is also copied if there is twice too much,
// and nodes that are not over-full are flushed too if the policy says so.
std::optional<Job> FlushIfOverfull(const Edit& edit, NodeId id, const Node& node, Sharing sharing);

// Finds the first edge whose waiting erases are an eighth of the entries below it, as the table knows them, or as many
// as an ordinary flush moves. The child must be private, or a shared leaf of which seven eighths are erased. Reads
// nothing.
std::optional<Job> FlushErases(const Edit& edit, NodeId id, const Node& node);

// Finds what there is to tidy in the child of one edge, if that is private and in memory. With Reach::kDisk interior
// children are read.
std::optional<Job> TidyIfNeeded(const Edit& edit, NodeId id, const Node& node, size_t index, Reach reach);

// Returns why the messages of an edge stay where they are, or ok if they do not. Moving them failed because something
// cannot be read (left_out.h). Or the child, as far as it is in memory, would get too long bounds (storable.h):
// kOutOfRange. Or the child already has too much that stays there.
absl::Status WhyLeftOut(const Edit& edit, NodeId id, const Edge& edge);

// Which jobs to look for.
enum class Effort {
  kFrugal,      // those that make the tree smaller rather than larger
  kErases,      // those, and flushes of erases to a private child, however few there are
  kAll,         // what a tree needs in the long run
  kEverything,  // that, and flushes of whatever waits for a private child
};

// Finds what the sweep does first at an interior node, which may be shared.
std::optional<Job> FindJob(const Edit& edit, NodeId id, const Node& node, HealMode mode, Effort effort);

// Does a job. The node says the same as before. Reads the child of a flush. Requires: the job was found at this node,
// and `node` is a copy of it or the caller's alone.
absl::Status DoJob(Edit& edit, Node& node, const Job& job, HealMode mode);

}  // namespace betr::dag
