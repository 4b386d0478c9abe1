// SPDX-License-Identifier: Apache-2.0
// What the checker must find, and what everybody else must survive: tables and nodes that are each well-formed but
// contradict each other.
#include "dag/read/check.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>

#include "dag/change/clone.h"
#include "dag/change/job.h"
#include "dag/change/reclaim.h"
#include "dag/change/work.h"
#include "dag/left_out.h"
#include "dag/read/estimate.h"
#include "dag/read/explain.h"
#include "dag/read/lookup.h"
#include "dag/read/tree_cursor.h"
#include "support/dag/dag_harness.h"
#include "support/dag/prefix_ops.h"

namespace betr::test {
namespace {

using Kind = dag::Finding::Kind;

// Background work until it changes something, or there is none.
absl::Status WorkOnce(dag::Edit& edit, NodeId root) {
  dag::Sweep sweep;
  for (;;) {
    const absl::StatusOr<dag::WorkResult> result = dag::Work(edit, root, sweep);
    if (!result.ok() || result->changed || !result->done) return result.status();
  }
}

// A tree of height 2 with a clone and a pending goto in it, to be damaged.
class Patient : public DagHarness {
 public:
  Patient() : DagHarness(SmallShape(Bytes{300}), false) {
    for (int i = 1000; i < 1400; ++i) Put(0, (i % 2 == 0 ? "a/" : "b/") + std::to_string(i), "some value");
    FlushAll(0);
    while (HeightOf(0) < 3) Clone(0, "", 0, "copy/");
    Clone(0, "a/110", 0, "b/x");
    Put(0, "b/pending", "value");
    Seal(0);
    VerifyInvariants();
    damaged_ = table();
    damaged_.StartChanging();
  }

  // Changes one node behind everybody's back. It stays what it was in the harness.
  void Damage(NodeId id, const std::function<void(dag::Node&, dag::NodeRecord&)>& change) {
    dag::NodeRecord record = *damaged_.Find(id);
    dag::Node node = **record.slot->Get();
    change(node, record);
    record.slot = source().Adopt(id, std::move(node));
    damaged_.Set(id, std::move(record));
  }
  void Remove(NodeId id) { damaged_.Remove(id); }

  // What background work gets of a node that is in memory.
  dag::NodePtr Peek(NodeId id) {
    const dag::Shape shape = SmallShape(Bytes{300});
    return dag::Edit(damaged_, NodeId{1'000'000}, dag::Context{source(), functions(), shape, counters()}).Peek(id);
  }

  // What it says who moves everything down.
  absl::Status Flush() {
    const dag::Shape shape = SmallShape(Bytes{300});
    dag::Edit edit(damaged_, NodeId{1'000'000}, dag::Context{source(), functions(), shape, counters()});
    const absl::Status flushed = test::FlushAll(edit, root(0)).status();
    return flushed.ok() ? edit.status() : flushed;
  }

  std::set<Kind> Findings() const {
    std::set<Kind> kinds;
    dag::CheckDag(damaged_, {{root(0), 1}}, {}, [&](const dag::Finding& finding) { kinds.insert(finding.kind); });
    return kinds;
  }

  // Reads and changes everything: errors are fine, the end of the process is not.
  void Survive() {
    for (const auto& [key, value] : Oracle(0)) {
      dag::ValueBuilder builder;
      static_cast<void>(dag::LookUp(damaged_, root(0), key, builder));
      static_cast<void>(dag::Explain(damaged_, root(0), key, functions()));
    }
    dag::TreeCursor cursor({damaged_, root(0), {}}, Range::All(), functions(), nullptr);
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    }
    for (cursor.SeekToLast(); cursor.Valid(); cursor.Prev()) {
    }
    static_cast<void>(dag::Estimate(damaged_, root(0), Range::All()));
    const dag::Shape shape = SmallShape(Bytes{300});
    const auto attempt = [&](const std::function<absl::Status(dag::Edit&, NodeId&)>& change) {
      dag::Edit edit(damaged_, NodeId{1'000'000}, dag::Context{source(), functions(), shape, counters()});
      NodeId id = root(0);
      static_cast<void>(change(edit, id));
    };
    attempt([](dag::Edit& edit, NodeId& id) { return ClonePrefix(edit, id, "a/", id, "d/"); });
    attempt([](dag::Edit& edit, NodeId& id) { return RenamePrefix(edit, id, "copy/", id, "e/"); });
    attempt([](dag::Edit& edit, NodeId& id) { return dag::InsertGotos(edit, id, {dag::EraseOf(Range::All())}); });
    attempt([](dag::Edit& edit, NodeId& id) { return test::FlushAll(edit, id).status(); });
    attempt([](dag::Edit& edit, NodeId& id) { return WorkOnce(edit, id); });
  }

  // Some node of that height.
  NodeId NodeOf(dag::Height height) const {
    NodeId found = kNoNode;
    damaged_.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (record.height == height && !record.Dead()) found = id;
    });
    REQUIRE(found != kNoNode);
    return found;
  }

 private:
  dag::NodeTable damaged_;
};

}  // namespace

TEST_CASE("the checker finds nothing in a sound DAG", "[dag][check]") {
  const Patient patient;
  REQUIRE(patient.Findings().empty());
}

TEST_CASE("the checker names each kind of damage, and nobody falls over it", "[dag][check]") {
  Patient patient;
  const NodeId root = patient.root(0);
  SECTION("a count too high") {
    patient.Damage(patient.NodeOf(1), [](dag::Node&, dag::NodeRecord& record) { ++record.references; });
    REQUIRE(patient.Findings() == std::set{Kind::kReferences});
  }
  SECTION("a node marked dead that is named") {
    const NodeId child = (*dag::LoadNode(patient.table(), root))->edges.front().link.target;
    patient.Damage(child, [](dag::Node&, dag::NodeRecord& record) { record.references = 0; });
    REQUIRE(patient.Findings().contains(Kind::kReferences));
    CHECK(absl::IsDataLoss(patient.Flush()));
  }
  SECTION("a node that nobody names") {
    patient.Damage(root, [](dag::Node& node, dag::NodeRecord&) {
      for (dag::Edge& edge : node.edges) edge = {dag::Link{edge.link.range, kNoNode, {}}, {}};
    });
    REQUIRE(patient.Findings() == std::set{Kind::kUnreachable});
  }
  SECTION("a child that is not in the table") {
    patient.Remove(patient.NodeOf(1));
    REQUIRE(patient.Findings().contains(Kind::kMissing));
  }
  SECTION("a table that disagrees with a node about its height") {
    const NodeId id = patient.NodeOf(1);
    REQUIRE(patient.Peek(id) != nullptr);
    patient.Damage(id, [](dag::Node&, dag::NodeRecord& record) { record.height = 2; });
    REQUIRE(patient.Findings().contains(Kind::kUnreadable));
    CHECK(patient.Peek(id) == nullptr);
  }
  SECTION("a cycle") {
    patient.Damage(root, [&](dag::Node& node, dag::NodeRecord&) {
      for (dag::Edge& edge : node.edges) edge.link.target = root;
    });
    REQUIRE(patient.Findings().contains(Kind::kHeight));
  }
  SECTION("a child one level too low") {
    patient.Damage(root, [&](dag::Node& node, dag::NodeRecord&) { node.edges[0].link.target = patient.NodeOf(0); });
    REQUIRE(patient.Findings().contains(Kind::kHeight));
  }
  SECTION("an edge that reaches outside its child") {
    patient.Damage(patient.NodeOf(1), [](dag::Node& node, dag::NodeRecord&) { node = Prepend(node, "x"); });
    REQUIRE(patient.Findings().contains(Kind::kImage));
  }
  SECTION("a root that does not hold all keys") {
    patient.Damage(root, [](dag::Node& node, dag::NodeRecord&) { node = Prepend(node, "x"); });
    patient.Survive();
    return;
  }
  SECTION("basements out of order") {
    patient.Damage(patient.NodeOf(0), [](dag::Node& node, dag::NodeRecord&) {
      REQUIRE(node.basements.size() > 1);
      std::swap(node.basements.front(), node.basements.back());
    });
    REQUIRE(patient.Findings().contains(Kind::kShape));
  }
  patient.Survive();
}

TEST_CASE("the checker finds what a node that was read cannot have", "[dag][check]") {
  Patient patient;
  const NodeId root = patient.root(0);
  SECTION("edges that end before their node does") {
    patient.Damage(root, [](dag::Node& node, dag::NodeRecord&) { node.edges.back().link.range.hi = Bound::At("z"); });
  }
  SECTION("a goto over runs that are not there") {
    patient.Damage(root, [](dag::Node& node, dag::NodeRecord&) {
      dag::Edge& edge = node.edges.front();
      const auto runs = static_cast<uint32_t>(edge.partition.runs.size());
      edge.partition.gotos = {{dag::Link{edge.link.range, kNoNode, {}}, 0, runs + 1}};
    });
  }
  // Layout refuses such nodes (layout/node_check.h), so nobody else has to survive them.
  REQUIRE(patient.Findings().contains(Kind::kShape));
}

TEST_CASE("a leaf where a node above the leaves belongs is found by who takes it", "[dag][check]") {
  Patient patient;
  const NodeId id = patient.NodeOf(1);
  patient.Damage(id, [](dag::Node& node, dag::NodeRecord& record) {
    node = dag::EmptyNode(0, node.bounds, node.codec);
    record.height = 0;
  });
  REQUIRE(patient.Findings().contains(Kind::kHeight));
  CHECK(absl::IsDataLoss(patient.Flush()));
  patient.Survive();
}

TEST_CASE("a node that names itself, and has much, keeps nobody who asks why it is left out", "[dag][check]") {
  TestSource source;
  const UpsertRegistry functions;
  const dag::Shape shape = SmallShape(Bytes{300});
  dag::Counters counters;
  dag::LeftOut left_out;
  left_out.AddEdge(NodeId{7}, Bound::At(""), absl::DataLossError("another one"));
  dag::BlockBuilder builder;
  builder.Add("key", {dag::MessageKind::kPut, 0, std::string(1'000'000, 'v')});
  dag::Node node = dag::EmptyNode(1, Range::All(), {});
  node.edges[0].link.target = NodeId{1};
  node.edges[0].partition.runs = {dag::BlockView::Whole(source.Adopt(builder.Finish()), Range::All())};
  dag::NodeTable table;
  table.StartChanging();
  table.Set(NodeId{1}, {1, 1, {}, source.Adopt(NodeId{1}, dag::Node(node))});
  const dag::Edit edit(table, NodeId{9}, {source, functions, shape, counters, dag::kUsualPolicy, &left_out});
  CHECK(dag::WhyLeftOut(edit, NodeId{1}, node.edges[0]).ok());
}

}  // namespace betr::test
