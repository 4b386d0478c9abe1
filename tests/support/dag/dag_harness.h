// SPDX-License-Identifier: Apache-2.0
// A DAG in memory beside a std::map that is the oracle. Every operation is done to both; Verify compares everything.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dag/edit.h"
#include "dag/memory_source.h"
#include "dag/message_buffer.h"
#include "dag/shape.h"
#include "support/dag/upserts.h"

namespace betr::test {

using Contents = std::map<std::string, std::string>;

class DagHarness {
 public:
  DagHarness(dag::Shape shape, bool composing_upserts);

  // Adds an empty tree and returns its number. The first tree exists from the start.
  size_t AddTree();

  void Put(size_t tree, std::string_view key, std::string_view value);
  void Erase(size_t tree, std::string_view key);
  void Append(size_t tree, std::string_view key, std::string_view delta);
  void EraseRange(size_t tree, const Range& range);
  void Clone(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to);
  // False if it was refused, as it must be for a rename into itself.
  bool Rename(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to);

  // Keeps the tree as it is now; Verify compares it from now on.
  void Snapshot(size_t tree);
  void DropSnapshot(size_t index);
  size_t Snapshots() const { return snapshots_.size(); }

  // Moves the buffer of a tree into its root; one step of background work; reclaims one dead node; flushes all.
  void Seal(size_t tree);
  bool Work(size_t tree);
  bool ReclaimOne();
  void FlushAll(size_t tree);

  // All invariants and all contents of every tree and snapshot, by cursor in both directions; `gets` point lookups.
  // Fails the running test case.
  void Verify(const std::vector<std::string>& gets) const;
  void VerifyContents(size_t tree) const;

  const Contents& Oracle(size_t tree) const { return trees_[tree].oracle; }
  dag::Height HeightOf(size_t tree) const;
  size_t NodeCount() const { return table_.Count(); }
  const dag::NodeTable& table() const { return table_; }
  NodeId root(size_t tree) const { return trees_[tree].root; }
  dag::Counters& counters() { return counters_; }

 private:
  struct Tree {
    NodeId root;
    Contents oracle;
    std::unique_ptr<dag::MessageBuffer> buffer;
  };
  struct Kept {
    NodeId root;
    Contents oracle;
  };

  dag::Edit Begin();
  void Publish(const dag::Edit& edit);
  void VerifyTree(NodeId root, const Contents& oracle, std::vector<std::shared_ptr<const dag::Layer>> layers,
                  const std::vector<std::string>& gets) const;

  dag::Shape shape_;
  UpsertRegistry functions_;
  dag::MemorySource source_;
  dag::Counters counters_;
  dag::NodeTable table_;
  NodeId next_id_{1};
  std::set<NodeId> dead_;
  std::vector<Tree> trees_;
  std::vector<Kept> snapshots_;
};

}  // namespace betr::test
