// SPDX-License-Identifier: Apache-2.0
#include "support/dag/dag_harness.h"

#include <catch2/catch.hpp>
#include <utility>

#include "dag/check.h"
#include "dag/clone.h"
#include "dag/flush.h"
#include "dag/lookup.h"
#include "dag/reclaim.h"
#include "dag/tree_cursor.h"

namespace betr::test {
namespace {

void CloneInOracle(Contents& from_oracle, std::string_view from, Contents& to_oracle, std::string_view to,
                   bool rename) {
  const auto under = [](const std::string& key, std::string_view prefix) { return key.starts_with(prefix); };
  Contents copied;
  for (const auto& [key, value] : from_oracle) {
    if (under(key, from)) {
      copied[std::string(to) + key.substr(from.size())] = value;
    }
  }
  if (rename) {
    std::erase_if(from_oracle, [&](const auto& entry) { return under(entry.first, from); });
  }
  std::erase_if(to_oracle, [&](const auto& entry) { return under(entry.first, to); });
  to_oracle.merge(copied);
}

}  // namespace

DagHarness::DagHarness(dag::Shape shape, bool composing_upserts) : shape_(shape) {
  REQUIRE(functions_.Add(std::make_shared<AppendFunction>(composing_upserts)).ok());
  AddTree();
}

dag::Edit DagHarness::Begin() { return {table_, next_id_, dag::Context{source_, functions_, shape_, counters_}}; }

void DagHarness::Publish(const dag::Edit& edit) {
  table_ = edit.table();
  next_id_ = edit.next_id();
  for (const NodeId id : edit.dead()) {
    dead_.insert(id);
  }
  std::erase_if(dead_, [&](NodeId id) { return table_.Find(id) == nullptr; });
}

size_t DagHarness::AddTree() {
  dag::Edit edit = Begin();
  Tree tree;
  tree.root = edit.Create(dag::EmptyNode(1, Range::All(), Codec{}));
  tree.buffer = std::make_unique<dag::MessageBuffer>(functions_);
  Publish(edit);
  trees_.push_back(std::move(tree));
  return trees_.size() - 1;
}

void DagHarness::Put(size_t tree, std::string_view key, std::string_view value) {
  trees_[tree].buffer->Put(key, value);
  trees_[tree].oracle[std::string(key)] = value;
}

void DagHarness::Erase(size_t tree, std::string_view key) {
  trees_[tree].buffer->Erase(key);
  trees_[tree].oracle.erase(std::string(key));
}

void DagHarness::Append(size_t tree, std::string_view key, std::string_view delta) {
  trees_[tree].buffer->Upsert(key, AppendFunction::kNumber, delta);
  trees_[tree].oracle[std::string(key)] += delta;
}

void DagHarness::EraseRange(size_t tree, const Range& range) {
  trees_[tree].buffer->EraseRange(range);
  std::erase_if(trees_[tree].oracle, [&](const auto& entry) { return range.Contains(entry.first); });
}

void DagHarness::Clone(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to) {
  Seal(from_tree);
  Seal(to_tree);
  dag::Edit edit = Begin();
  REQUIRE(dag::ClonePrefix(edit, trees_[from_tree].root, from, trees_[to_tree].root, to).ok());
  Publish(edit);
  CloneInOracle(trees_[from_tree].oracle, from, trees_[to_tree].oracle, to, false);
}

bool DagHarness::Rename(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to) {
  if (from_tree == to_tree && from == to) {
    return true;
  }
  Seal(from_tree);
  Seal(to_tree);
  dag::Edit edit = Begin();
  const absl::Status status = dag::RenamePrefix(edit, trees_[from_tree].root, from, trees_[to_tree].root, to);
  if (from_tree == to_tree && to.starts_with(from)) {
    REQUIRE(absl::IsInvalidArgument(status));
    return false;
  }
  REQUIRE(status.ok());
  Publish(edit);
  CloneInOracle(trees_[from_tree].oracle, from, trees_[to_tree].oracle, to, true);
  return true;
}

void DagHarness::Snapshot(size_t tree) {
  Seal(tree);
  dag::Edit edit = Begin();
  edit.Retain(trees_[tree].root);
  Publish(edit);
  snapshots_.push_back({trees_[tree].root, trees_[tree].oracle});
}

void DagHarness::DropSnapshot(size_t index) {
  dag::Edit edit = Begin();
  edit.Release(snapshots_[index].root);
  Publish(edit);
  snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(index));
}

void DagHarness::Seal(size_t tree) {
  if (trees_[tree].buffer->Empty()) {
    return;
  }
  dag::Edit edit = Begin();
  const dag::Partition news = trees_[tree].buffer->Seal(source_);
  absl::StatusOr<NodeId> root = dag::Insert(edit, trees_[tree].root, news);
  REQUIRE(root.ok());
  trees_[tree].root = *root;
  Publish(edit);
  *trees_[tree].buffer = dag::MessageBuffer(functions_);
}

bool DagHarness::Work(size_t tree) {
  dag::Edit edit = Begin();
  absl::StatusOr<dag::WorkResult> result = dag::Work(edit, trees_[tree].root);
  REQUIRE(result.ok());
  trees_[tree].root = result->root;
  Publish(edit);
  return result->done;
}

bool DagHarness::ReclaimOne() {
  if (dead_.empty()) {
    return false;
  }
  dag::Edit edit = Begin();
  REQUIRE(dag::Reclaim(edit, *dead_.begin()).ok());
  Publish(edit);
  return true;
}

void DagHarness::FlushAll(size_t tree) {
  Seal(tree);
  dag::Edit edit = Begin();
  absl::StatusOr<NodeId> root = dag::FlushAll(edit, trees_[tree].root);
  REQUIRE(root.ok());
  trees_[tree].root = *root;
  Publish(edit);
}

dag::Height DagHarness::HeightOf(size_t tree) const { return table_.Find(trees_[tree].root)->height; }

void DagHarness::VerifyTree(NodeId root, const Contents& oracle, std::vector<std::shared_ptr<const dag::Layer>> layers,
                            const std::vector<std::string>& gets) const {
  dag::TreeCursor cursor({table_, root, layers}, Range::All(), functions_, nullptr);
  Contents forward;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    REQUIRE(forward.emplace(cursor.Key(), cursor.Value()).second);
  }
  REQUIRE(cursor.status().ok());
  REQUIRE(forward == oracle);
  Contents backward;
  for (cursor.SeekToLast(); cursor.Valid(); cursor.Prev()) {
    REQUIRE(backward.emplace(cursor.Key(), cursor.Value()).second);
  }
  REQUIRE(backward == oracle);
  for (const std::string& key : gets) {
    dag::ValueBuilder value;
    for (const auto& layer : layers) {
      if (!value.Done()) {
        layer->LookUp(key, value);
      }
    }
    if (!value.Done()) {
      REQUIRE(dag::LookUp(table_, root, key, value).ok());
    }
    const auto found = oracle.find(key);
    REQUIRE(value.Resolve(functions_) == (found == oracle.end() ? std::nullopt : std::optional(found->second)));
    cursor.Seek(Bound::At(key));
    const auto next = oracle.lower_bound(key);
    REQUIRE(cursor.Valid() == (next != oracle.end()));
    if (cursor.Valid()) {
      REQUIRE(cursor.Key() == next->first);
    }
  }
}

void DagHarness::VerifyContents(size_t tree) const {
  VerifyTree(trees_[tree].root, trees_[tree].oracle, {trees_[tree].buffer->Image()}, {});
}

void DagHarness::Verify(const std::vector<std::string>& gets) const {
  std::map<NodeId, uint32_t> roots;
  for (const Tree& tree : trees_) {
    ++roots[tree.root];
  }
  for (const Kept& kept : snapshots_) {
    ++roots[kept.root];
  }
  std::string findings;
  dag::CheckDag(table_, roots, {}, [&](const dag::Finding& finding) {
    findings += "node " + std::to_string(finding.node.value) + ": " + finding.what + "\n";
  });
  REQUIRE(findings == "");
  for (const Tree& tree : trees_) {
    VerifyTree(tree.root, tree.oracle, {tree.buffer->Image()}, gets);
  }
  for (const Kept& kept : snapshots_) {
    VerifyTree(kept.root, kept.oracle, {}, gets);
  }
}

}  // namespace betr::test
