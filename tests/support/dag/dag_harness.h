// SPDX-License-Identifier: Apache-2.0
// A DAG in memory, and a std::map as its oracle. Every operation is done to both; Verify compares everything. A
// difference, or an error that no test asked for, fails the running test case.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dag/change/edit.h"
#include "dag/change/message_buffer.h"
#include "dag/change/prune.h"
#include "dag/change/work.h"
#include "dag/layer.h"
#include "dag/shape.h"
#include "support/dag/compare.h"
#include "support/dag/test_source.h"
#include "support/dag/upserts.h"

namespace betr::test {

// Leaves of a few keys, so that a few hundred keys make trees of several levels.
inline dag::Shape SmallShape(Bytes node_size = Bytes{400}, Bytes basement_size = Bytes{100}) {
  dag::Shape shape;
  shape.node_size = node_size;
  shape.basement_size = basement_size;
  shape.fanout = 8;
  return shape;
}

// dag::FlushFrom from beginning to end.
absl::StatusOr<NodeId> FlushAll(dag::Edit& edit, NodeId root);

class DagHarness {
 public:
  DagHarness(dag::Shape shape, bool composing_upserts, const dag::Policy& policy = dag::kUsualPolicy);

  // Adds an empty tree and returns its number. The first tree exists from the start.
  size_t AddTree();

  void Put(size_t tree, std::string_view key, std::string_view value);
  void Erase(size_t tree, std::string_view key);
  void Append(size_t tree, std::string_view key, std::string_view delta);
  void EraseRange(size_t tree, const Range& range);
  void Clone(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to);
  // Returns false and does nothing if the destination lies inside the source.
  bool Rename(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to);

  // Keeps the tree as it is now. Verify compares it from now on.
  void Snapshot(size_t tree);
  void DropSnapshot(size_t index);
  size_t Snapshots() const { return snapshots_.size(); }

  // Single steps: move the buffer of a tree into its root; one step of background work; reclaim one dead node; flush
  // everything.
  void Seal(size_t tree);
  dag::WorkResult Work(size_t tree);
  bool ReclaimOne();
  // Does a step of a pass that drops what no path shows (dag/change/prune.h); begins a pass if there is none. Returns
  // whether the pass has ended.
  bool PruneStep();
  // Sets how far background work of the tree looks from now on.
  void Look(size_t tree, dag::Reach reach) { trees_[tree].sweep.reach = reach; }
  void FlushAll(size_t tree);
  // Flushes everything in steps, each an edit of its own. Returns the number of steps.
  int FlushInSteps(size_t tree, Bytes budget);
  // Works and reclaims until nothing is left to do. Fails after a number of steps that no tree should need.
  void Settle(size_t tree);
  // Forgets which nodes are dead and learns it from the table again, as after a restart.
  void RelearnDead();

  // Makes every operation first be tried with each of its reads failing in turn. A failed one is dropped.
  void InjectFaults() { inject_faults_ = true; }

  // Checks all invariants and compares all contents of every tree and snapshot, by cursor in both directions. `gets`
  // are also looked up.
  void Verify(const std::vector<std::string>& gets) const;
  // Verifies everything as it is, after background work on the first tree, and after all in it was moved to its leaves.
  void VerifyThroughout();
  void VerifyInvariants() const;
  void VerifyContents() const;
  void VerifyGets(const std::vector<std::string>& gets) const;

  const Contents& Oracle(size_t tree) const { return trees_[tree].oracle; }
  dag::Height HeightOf(size_t tree) const;
  size_t NodeCount() const { return table_.Count(); }
  const dag::NodeTable& table() const { return table_; }
  NodeId root(size_t tree) const { return roots_[tree]; }
  size_t Trees() const { return trees_.size(); }
  dag::Counters& counters() { return counters_; }
  TestSource& source() { return source_; }
  const UpsertRegistry& functions() const { return functions_; }
  // Returns what is in front of a tree's root.
  std::shared_ptr<const dag::Layer> Layer(size_t tree) const { return trees_[tree].buffer->Image(); }

  // Any other change. `change` gets an edit and the roots of all trees. If it returns ok, what it did is published.
  using Change = std::function<absl::Status(dag::Edit& edit, std::vector<NodeId>& roots)>;
  void Apply(const Change& change);

 private:
  struct Tree {
    Contents oracle;
    std::unique_ptr<dag::MessageBuffer> buffer;
    dag::Sweep sweep;
  };
  struct Kept {
    NodeId root;
    Contents oracle;
  };

  absl::Status TryApply(const Change& change);
  void Publish(const dag::Edit& edit);
  std::vector<std::shared_ptr<const dag::Layer>> LayersOf(size_t tree) const;

  dag::Shape shape_;
  const dag::Policy policy_;
  UpsertRegistry functions_;
  TestSource source_;
  dag::Counters counters_;
  dag::NodeTable table_;
  NodeId next_id_{1};
  std::set<NodeId> dead_;
  std::vector<Tree> trees_;
  std::vector<NodeId> roots_;
  std::vector<Kept> snapshots_;
  std::optional<dag::Prune> prune_;
  bool inject_faults_ = false;
};

}  // namespace betr::test
