// SPDX-License-Identifier: Apache-2.0
// Edges for which the same messages wait: they are moved into one child for all of them.
#include "dag/alike.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dag/change/choose_flush.h"
#include "dag/change/flush.h"
#include "dag/change/job.h"
#include "dag/read/lookup.h"
#include "dag/storable.h"
#include "support/dag/dag_harness.h"
#include "support/dag/lone_node.h"

namespace betr::test {
namespace {

constexpr int kEntries = 10;

// A node with the edges a/, b/, c/, which show the same leaf, and d/, which shows a part of it.
class Clones : private LoneNode {
 public:
  explicit Clones(const dag::Shape& shape) : LoneNode(shape) {
    dag::Node leaf = dag::EmptyNode(0, Range::All(), {});
    leaf.basements.push_back(Entries("live/", 'o'));
    leaf_ = edit_.Create(std::move(leaf));
    for (int i = 0; i < 3; ++i) edit_.Retain(leaf_);
    node_.edges.clear();
    Bound from = Range::All().lo;
    for (const std::string name : {"a/", "b/", "c/", "d/"}) {
      const Range range = Range::Prefix(name);
      node_.edges.push_back({{{from, range.lo}, kNoNode, ""}, {}});
      node_.edges.push_back({{range, leaf_, "live/"}, {}});
      from = range.hi;
    }
    node_.edges.push_back({{{from, Range::All().hi}, kNoNode, ""}, {}});
    EdgeOf("d/").link = EdgeOf("d/").link.Cut({Bound::At("d/"), Bound::At("d/5")});
    node_.edges[8].link.range.lo = Bound::At("d/5");
  }

  dag::Edge& EdgeOf(const std::string& name) { return node_.edges[node_.EdgeOf(name)]; }
  size_t IndexOf(const std::string& name) const { return node_.EdgeOf(name); }

  // Ten entries under a prefix.
  dag::BlockView Entries(const std::string& prefix, char content) {
    dag::BlockBuilder builder;
    for (int i = 0; i < kEntries; ++i) {
      builder.Add(prefix + std::to_string(i), {dag::MessageKind::kPut, 0, std::string(100, content)});
    }
    return dag::BlockView::Whole(source_.Adopt(builder.Finish()), Range::Prefix(prefix));
  }

  // The same run, written to live/, for each of some edges.
  void Wait(const std::vector<std::string>& names, char content) {
    const dag::BlockView run = Entries("live/", content);
    for (const std::string& name : names) {
      EdgeOf(name).partition.runs.push_back(run.Replace("live/", name).Cut(EdgeOf(name).link.range));
    }
  }

  std::string Read(const std::string& key) {
    dag::ValueBuilder value;
    const dag::Edge& edge = EdgeOf(key);
    const absl::StatusOr<const dag::Goto*> erase = dag::LookUpInPartition(edge.partition, key, value);
    REQUIRE(erase.ok());
    if (!value.Done() && *erase == nullptr) {
      const dag::NodePtr leaf = edit_.Load(edge.link.target).value();
      const std::string below = edge.link.Map(key);
      const size_t basement = leaf->BasementOf(below);
      REQUIRE(basement < leaf->basements.size());
      REQUIRE(dag::LookUpInView(leaf->basements[basement], below, value).ok());
    }
    return value.Resolve(functions_, key)->value_or("nothing").substr(0, 1);
  }

  void Flush(const std::string& name, size_t runs = dag::kAllRuns) {
    REQUIRE(dag::FlushEdge(edit_, node_, IndexOf(name), runs).ok());
    REQUIRE(edit_.status().ok());
  }

  uint32_t References(const std::string& name) { return edit_.References(EdgeOf(name).link.target); }
  dag::Edit& edit() { return edit_; }
  dag::Node& node() { return node_; }
  NodeId leaf() const { return leaf_; }

 private:
  NodeId leaf_{0};
};

}  // namespace

TEST_CASE("what waits for several clones is moved into one child for all of them", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  clones.Wait({"a/", "b/", "c/", "d/"}, '1');
  clones.Wait({"b/", "c/"}, '2');
  clones.Flush("a/");
  CHECK(clones.EdgeOf("a/").link.target == clones.EdgeOf("b/").link.target);
  CHECK(clones.EdgeOf("a/").link.target == clones.EdgeOf("c/").link.target);
  CHECK(clones.References("a/") == 3);
  CHECK(clones.EdgeOf("d/").link.target == clones.leaf());  // which shows another part of it
  CHECK(clones.References("d/") == 1);
  CHECK(clones.EdgeOf("a/").partition.runs.empty());
  CHECK(clones.EdgeOf("b/").partition.runs.size() == 1);
  CHECK(clones.EdgeOf("d/").partition.runs.size() == 1);
  CHECK(clones.Read("a/3") == "1");
  CHECK(clones.Read("b/3") == "2");
  CHECK(clones.Read("c/9") == "2");
  CHECK(clones.Read("d/3") == "1");
}

TEST_CASE("the oldest runs alone are moved for those that have them", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  clones.Wait({"a/", "b/", "c/"}, '1');
  clones.Wait({"a/"}, '2');
  clones.Wait({"b/"}, '3');
  CHECK(dag::RunsAlike(clones.EdgeOf("a/"), clones.EdgeOf("b/")) == 1);
  CHECK(dag::RunsAlike(clones.EdgeOf("a/"), clones.EdgeOf("d/")) == 0);
  clones.Flush("a/", 1);
  CHECK(clones.References("a/") == 3);
  CHECK(clones.EdgeOf("a/").partition.runs.size() == 1);
  CHECK(clones.EdgeOf("c/").partition.runs.empty());
  CHECK(clones.Read("a/0") == "2");
  CHECK(clones.Read("b/0") == "3");
  CHECK(clones.Read("c/0") == "1");
}

TEST_CASE("clones follow a child that is split", "[dag][alike]") {
  Clones clones(SmallShape(Bytes{600}, Bytes{250}));
  clones.Wait({"a/", "c/"}, '1');
  clones.Wait({"c/"}, '2');
  const size_t before = clones.node().LiveEdges();
  clones.Flush("a/");
  CHECK(clones.node().LiveEdges() >= before + 2);
  for (int i = 0; i < kEntries; ++i) {
    CHECK(clones.Read("a/" + std::to_string(i)) == "1");
    CHECK(clones.Read("b/" + std::to_string(i)) == "o");
    CHECK(clones.Read("c/" + std::to_string(i)) == "2");
    const dag::Edge& a = clones.EdgeOf("a/" + std::to_string(i));
    const dag::Edge& c = clones.EdgeOf("c/" + std::to_string(i));
    CHECK(a.link.target == c.link.target);
    CHECK(clones.edit().References(a.link.target) == 2);
  }
}

TEST_CASE("what is newer than an erase is not moved below it", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  clones.Wait({"a/", "b/"}, '1');
  dag::Goto erase{{Range::Prefix("b/2"), kNoNode, ""}, 0, 1};
  clones.EdgeOf("b/").partition.gotos = {erase};
  CHECK(dag::RunsAlike(clones.EdgeOf("a/"), clones.EdgeOf("b/")) == 1);
  clones.EdgeOf("b/").partition.gotos[0].over = 0;
  CHECK(dag::RunsAlike(clones.EdgeOf("a/"), clones.EdgeOf("b/")) == 0);
  clones.EdgeOf("b/").partition.gotos[0].over = 1;
  clones.Flush("a/");
  CHECK(clones.EdgeOf("b/").link.target == clones.EdgeOf("a/").link.target);
  CHECK(clones.EdgeOf("b/").partition.gotos[0].over == 0);
  CHECK(clones.Read("b/2") == "n");
  CHECK(clones.Read("b/3") == "1");
}

TEST_CASE("a node flushes what it loses most by, for all that begin alike", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  const std::vector<size_t> all = {clones.IndexOf("a/"), clones.IndexOf("b/"), clones.IndexOf("c/"),
                                   clones.IndexOf("d/")};
  clones.Wait({"a/", "b/", "c/"}, '1');
  clones.Wait({"a/"}, '2');
  clones.Wait({"b/"}, '3');
  const auto choose = [&](dag::Sharing sharing) {
    return dag::ChooseFlush(clones.edit(), clones.node(), all, sharing);
  };
  // d/ keeps the child: it is copied, for one edge, or for three.
  REQUIRE(choose(dag::Sharing::kBreak));
  CHECK(choose(dag::Sharing::kBreak)->runs == dag::kAllRuns);
  CHECK(!choose(dag::Sharing::kKeep));
  clones.edit().Release(clones.leaf());
  clones.EdgeOf("d/").link = {clones.EdgeOf("d/").link.range, kNoNode, ""};
  // Now the child of the three is theirs alone.
  const auto choice = choose(dag::Sharing::kKeep);
  REQUIRE(choice);
  CHECK(choice->runs == 1);
}

TEST_CASE("a block that several edges show is held once", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  clones.Wait({"a/", "b/"}, '1');
  const dag::BlockShares shares(clones.node());
  const dag::BlockView& run = clones.EdgeOf("a/").partition.runs[0];
  CHECK(shares.Views(run) == 2);
  CHECK(shares.Of(clones.EdgeOf("a/").partition) == run.Size() / 2);
  CHECK(shares.Of(clones.EdgeOf("a/").partition, 0) == Bytes{0});
}

TEST_CASE("a small block that very many views show is not nothing", "[dag][alike]") {
  Clones clones(SmallShape(KiB(8), KiB(1)));
  clones.Wait({"a/"}, '1');
  dag::Partition& partition = clones.EdgeOf("a/").partition;
  const dag::BlockView run = partition.runs[0];
  partition.runs.resize(2 * run.Size().value, run);
  const dag::BlockShares shares(clones.node());
  CHECK(shares.Of(partition) >= run.Size());
  CHECK(shares.Of(partition, 1) > Bytes{0});
}

TEST_CASE("a node with very many views of little is over-full", "[dag][alike]") {
  Clones clones(SmallShape(MiB(4), KiB(64)));
  clones.Wait({"a/"}, '1');
  const auto job = [&] {
    return dag::FlushIfOverfull(clones.edit(), NodeId{1'000}, clones.node(), dag::Sharing::kBreak);
  };
  dag::Partition& partition = clones.EdgeOf("a/").partition;
  const dag::BlockView run = partition.runs[0];
  CHECK(!job());
  partition.runs.resize(dag::kMostItems, run);
  REQUIRE(job());
  CHECK(job()->edge == clones.IndexOf("a/"));
}

TEST_CASE("a child that holds little, which many of its edges show, does not keep others waiting", "[dag][alike]") {
  constexpr Bytes kNode{1'000};
  DagHarness dag(SmallShape(kNode), true);
  const auto block = [&] {
    dag::BlockBuilder builder;
    builder.Add("", {dag::MessageKind::kPut, 0, std::string(400, 'v')});
    return dag.source().Adopt(builder.Finish());
  };
  // For each of some keys, which lie in `bounds`, an edge that leads nowhere, and a block that waits for it.
  const auto node_for = [&](const Range& bounds, const std::vector<std::string>& keys, bool is_same_block) {
    dag::Node node{1, bounds, {}, {}, {}};
    const std::shared_ptr<const dag::BlockSlot> first = block();
    Bound from = bounds.lo;
    for (const std::string& key : keys) {
      const Bound to = key == keys.back() ? bounds.hi : Bound::Past(key);
      const dag::BlockView run = dag::BlockView::Whole(is_same_block ? first : block(), Range::All()).Prepend(key);
      node.edges.push_back({{{from, to}, kNoNode, ""}, {{run}, {}}});
      from = to;
    }
    return node;
  };
  NodeId full;
  dag.Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    const Range left{Range::All().lo, Bound::At("m")};
    const Range right{Bound::At("m"), Range::All().hi};
    full = edit.Create(node_for(right, {"w", "x", "y", "z"}, false));
    dag::Node root = dag::EmptyNode(2, Range::All(), {});
    root.edges = {{{left, edit.Create(node_for(left, {"a", "b", "c", "d"}, true)), ""}, {}}, {{right, full, ""}, {}}};
    edit.Release(roots[0]);
    roots[0] = edit.Create(std::move(root));
    return absl::OkStatus();
  });
  const auto waits = [&] { return dag::LoadNode(dag.table(), full).value()->Size(); };
  const Bytes before = waits();
  CHECK(dag.Work(0).pressing);
  CHECK(waits() < before);
}

}  // namespace betr::test
