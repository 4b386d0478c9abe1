// SPDX-License-Identifier: Apache-2.0
// What there is to do at one node, and doing it: the parts of background work (work.h says when and in which order).
// A job changes the node and at most two of its children. Looking for one reads nothing but children for which range
// erases or clones wait: they may hide space, and only the child tells how much; with Reach::kDisk also whatever tells
// how much of a child its edge shows, but no leaf for that. What is left out (left_out.h) is no job.
#pragma once

#include <absl/status/status.h>

#include <optional>

#include "dag/edit.h"
#include "dag/flush.h"
#include "dag/heal.h"
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

// Flushing what an over-full node loses most by (choose_flush.h): one whose blocks, each once, are more than a node, or
// that has too much beside them (storable.h). A shared child is copied for it only if that is worth it (child.h), and
// never with Sharing::kKeep; with kBreak also if there is twice too much. With kBreak also of any node, if the policy
// says so.
std::optional<Job> FlushIfOverfull(const Edit& edit, NodeId id, const Node& node, Sharing sharing);

// Flushing the first edge of which the erases that wait are an eighth of the entries below it, as the table knows them,
// or as many as an ordinary flush moves: to a private child, or if seven eighths are erased to a shared leaf. Reads
// nothing.
std::optional<Job> FlushErases(const Edit& edit, NodeId id, const Node& node);

// Tidying the child of one edge, if that is private, and in memory; with Reach::kDisk interior children are read.
std::optional<Job> TidyIfNeeded(const Edit& edit, NodeId id, const Node& node, size_t index, Reach reach);

// Ok, or why the messages of an edge stay where they are: moving them failed because something cannot be read
// (left_out.h); or the child, as far as it is in memory, would get too long bounds (storable.h): kOutOfRange; or it has
// too much already that stays there.
absl::Status WhyLeftOut(const Edit& edit, NodeId id, const Edge& edge);

// Which jobs are looked for.
enum class Effort {
  kFrugal,      // those that make the tree smaller rather than larger
  kErases,      // these, and flushes of every erase to a private child, however few they are
  kAll,         // what a tree needs in the long run
  kEverything,  // this, and flushes of whatever waits for a private child
};

// What the sweep does first at an interior node, which may be shared.
std::optional<Job> FindJob(const Edit& edit, NodeId id, const Node& node, HealMode mode, Effort effort);

// Requires: the job was found at this node; `node` is a copy of it or the caller's alone. The node says the same as
// before. Reads the child of a flush.
absl::Status DoJob(Edit& edit, Node& node, const Job& job, HealMode mode);

}  // namespace betr::dag
