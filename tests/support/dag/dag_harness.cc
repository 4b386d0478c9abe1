// SPDX-License-Identifier: Apache-2.0
#include "support/dag/dag_harness.h"

#include <catch2/catch.hpp>
#include <utility>

#include "base/status.h"
#include "dag/change/flush.h"
#include "dag/change/reclaim.h"
#include "dag/read/check.h"
#include "support/dag/compare.h"
#include "support/dag/prefix_ops.h"

namespace betr::test {
namespace {

void CloneInOracle(Contents& from_oracle, std::string_view from, Contents& to_oracle, std::string_view to,
                   bool rename) {
  const auto under = [](const std::string& key, std::string_view prefix) { return key.starts_with(prefix); };
  Contents copied;
  for (auto it = from_oracle.lower_bound(std::string(from)); it != from_oracle.end() && under(it->first, from); ++it) {
    copied[std::string(to) + it->first.substr(from.size())] = it->second;
  }
  if (rename) {
    std::erase_if(from_oracle, [&](const auto& entry) { return under(entry.first, from); });
  }
  std::erase_if(to_oracle, [&](const auto& entry) { return under(entry.first, to); });
  to_oracle.merge(copied);
}

}  // namespace

absl::StatusOr<NodeId> FlushAll(dag::Edit& edit, NodeId root) {
  constexpr Bytes kUnbounded{UINT64_MAX};
  BETR_ASSIGN_OR_RETURN(const dag::Flushed flushed, FlushFrom(edit, root, Range::All().lo, kUnbounded));
  return flushed.root;
}

DagHarness::DagHarness(dag::Shape shape, bool composing_upserts, const dag::Policy& policy)
    : shape_(shape), policy_(policy) {
  REQUIRE(functions_.Add(std::make_shared<AppendFunction>(composing_upserts)).ok());
  AddTree();
}

absl::Status DagHarness::TryApply(const Change& change) {
  dag::Edit edit(table_, next_id_, dag::Context{source_, functions_, shape_, counters_, policy_});
  std::vector<NodeId> roots = roots_;
  BETR_RETURN_IF_ERROR(change(edit, roots));
  Publish(edit);
  roots_ = std::move(roots);
  return absl::OkStatus();
}

void DagHarness::Apply(const Change& change) {
  for (uint64_t good_reads = 0; inject_faults_; ++good_reads) {
    source_.FailAfter(good_reads);
    const absl::Status status = TryApply(change);
    source_.FailAfter(TestSource::kNever);
    if (status.ok()) return;
    REQUIRE(absl::IsUnavailable(status));
  }
  REQUIRE(TryApply(change) == absl::OkStatus());
}

void DagHarness::Publish(const dag::Edit& edit) {
  table_ = edit.table();
  next_id_ = edit.next_id();
  dead_.insert(edit.dead().begin(), edit.dead().end());
  std::erase_if(dead_, [&](NodeId id) { return table_.Find(id) == nullptr; });
}

size_t DagHarness::AddTree() {
  Apply([](dag::Edit& edit, std::vector<NodeId>& roots) {
    roots.push_back(edit.Create(dag::EmptyNode(1, Range::All(), Codec{})));
    return absl::OkStatus();
  });
  trees_.push_back({{}, std::make_unique<dag::MessageBuffer>(functions_), {}});
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
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    return ClonePrefix(edit, roots[from_tree], from, roots[to_tree], to);
  });
  CloneInOracle(trees_[from_tree].oracle, from, trees_[to_tree].oracle, to, false);
}

bool DagHarness::Rename(size_t from_tree, std::string_view from, size_t to_tree, std::string_view to) {
  Seal(from_tree);
  Seal(to_tree);
  if (from_tree == to_tree && to.starts_with(from)) return from == to;
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    return RenamePrefix(edit, roots[from_tree], from, roots[to_tree], to);
  });
  CloneInOracle(trees_[from_tree].oracle, from, trees_[to_tree].oracle, to, true);
  return true;
}

void DagHarness::Snapshot(size_t tree) {
  Seal(tree);
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    edit.Retain(roots[tree]);
    return absl::OkStatus();
  });
  snapshots_.push_back({roots_[tree], trees_[tree].oracle});
}

void DagHarness::DropSnapshot(size_t index) {
  Apply([&](dag::Edit& edit, std::vector<NodeId>&) {
    edit.Release(snapshots_[index].root);
    return absl::OkStatus();
  });
  snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(index));
}

void DagHarness::Seal(size_t tree) {
  if (trees_[tree].buffer->Empty()) return;
  const dag::Partition news = trees_[tree].buffer->Seal(source_);
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    BETR_ASSIGN_OR_RETURN(roots[tree], dag::Insert(edit, roots[tree], news));
    return absl::OkStatus();
  });
  *trees_[tree].buffer = dag::MessageBuffer(functions_);
}

dag::WorkResult DagHarness::Work(size_t tree) {
  dag::WorkResult result;
  dag::Sweep sweep;
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    sweep = trees_[tree].sweep;
    BETR_ASSIGN_OR_RETURN(result, dag::Work(edit, roots[tree], sweep));
    roots[tree] = result.root;
    return absl::OkStatus();
  });
  trees_[tree].sweep = std::move(sweep);
  return result;
}

bool DagHarness::PruneStep() {
  if (!prune_) {
    std::vector<NodeId> roots = roots_;
    for (const Kept& kept : snapshots_) roots.push_back(kept.root);
    prune_.emplace(table_, roots);
  }
  dag::Prune pass = *prune_;
  Apply([&](dag::Edit& edit, std::vector<NodeId>&) {
    pass = *prune_;
    return pass.Step(edit).status();
  });
  prune_ = std::move(pass);
  if (prune_->Done()) prune_.reset();
  return !prune_;
}

bool DagHarness::ReclaimOne() {
  if (dead_.empty()) return false;
  const NodeId id = *dead_.begin();
  Apply([&](dag::Edit& edit, std::vector<NodeId>&) { return dag::Reclaim(edit, id); });
  return true;
}

void DagHarness::FlushAll(size_t tree) {
  Seal(tree);
  Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    BETR_ASSIGN_OR_RETURN(roots[tree], test::FlushAll(edit, roots[tree]));
    return absl::OkStatus();
  });
}

int DagHarness::FlushInSteps(size_t tree, Bytes budget) {
  Seal(tree);
  int steps = 0;
  for (std::optional<Bound> next = Range::All().lo; next; ++steps) {
    const Bound from = *next;
    Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) -> absl::Status {
      BETR_ASSIGN_OR_RETURN(const dag::Flushed flushed, dag::FlushFrom(edit, roots[tree], from, budget));
      roots[tree] = flushed.root;
      next = flushed.next;
      return absl::OkStatus();
    });
    REQUIRE((!next || *next > from));
  }
  return steps;
}

void DagHarness::Settle(size_t tree) {
  Seal(tree);
  // What is reclaimed leaves others private, and so gives new work.
  for (bool reclaimed = true; reclaimed;) {
    for (uint64_t steps = 0; Work(tree).done; ++steps) REQUIRE(steps < 1000 + 100 * NodeCount());
    for (reclaimed = false; ReclaimOne();) reclaimed = true;
  }
}

void DagHarness::RelearnDead() {
  dead_.clear();
  table_.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.Dead()) dead_.insert(id);
  });
}

dag::Height DagHarness::HeightOf(size_t tree) const { return table_.Find(roots_[tree])->height; }

std::vector<std::shared_ptr<const dag::Layer>> DagHarness::LayersOf(size_t tree) const {
  return {trees_[tree].buffer->Image()};
}

void DagHarness::VerifyThroughout() {
  Verify({});
  Settle(0);
  Verify({});
  FlushAll(0);
  while (ReclaimOne()) {
  }
  Verify({});
}

void DagHarness::VerifyInvariants() const {
  std::map<NodeId, uint32_t> roots;
  for (const NodeId root : roots_) ++roots[root];
  for (const Kept& kept : snapshots_) ++roots[kept.root];
  std::string findings;
  dag::CheckDag(table_, roots, {}, [&](const dag::Finding& finding) {
    findings += "node " + std::to_string(finding.node.value) + ": " + finding.what + "\n";
  });
  REQUIRE(findings == "");
}

void DagHarness::VerifyContents() const {
  for (size_t i = 0; i < trees_.size(); ++i) {
    REQUIRE(Difference({table_, roots_[i], LayersOf(i)}, trees_[i].oracle, functions_) == "");
  }
  for (const Kept& kept : snapshots_) REQUIRE(Difference({table_, kept.root, {}}, kept.oracle, functions_) == "");
}

void DagHarness::VerifyGets(const std::vector<std::string>& gets) const {
  for (size_t i = 0; i < trees_.size(); ++i) {
    REQUIRE(DifferenceOfKeys({table_, roots_[i], LayersOf(i)}, trees_[i].oracle, gets, functions_) == "");
  }
  for (const Kept& kept : snapshots_) {
    REQUIRE(DifferenceOfKeys({table_, kept.root, {}}, kept.oracle, gets, functions_) == "");
  }
}

void DagHarness::Verify(const std::vector<std::string>& gets) const {
  VerifyInvariants();
  VerifyContents();
  VerifyGets(gets);
}

}  // namespace betr::test
