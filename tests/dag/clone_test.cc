// SPDX-License-Identifier: Apache-2.0
// The cases in which range clones and renames are known to go wrong, each by itself, with every invariant and all
// contents checked before and after everything has moved down.
#include "dag/change/clone.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/status.h"
#include "dag/change/flush.h"
#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

// Keys `prefix`000 to `prefix`n.
void PutMany(DagHarness& dag, const std::string& prefix, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(1000 + i).substr(1);
    dag.Put(0, prefix + number, "value of " + number);
  }
}

// A tree of some height with the directories a, b and c.
class Prepared : public DagHarness {
 public:
  Prepared() : DagHarness(SmallShape(), false) {
    for (const char* prefix : {"a/", "b/", "c/"}) PutMany(*this, prefix, 200);
    FlushAll(0);
    REQUIRE(HeightOf(0) >= 2);
  }

  size_t GotosIn(NodeId id) const {
    size_t gotos = 0;
    for (const dag::Edge& edge : (*dag::LoadNode(table(), id))->edges) {
      for (const dag::Goto& message : edge.partition.gotos) gotos += !message.Erases();
    }
    return gotos;
  }
};

}  // namespace

TEST_CASE("a clone of what is not there names nothing", "[dag][clone]") {
  Prepared dag;  // whose leaves have keys beside it
  dag.Clone(0, "a/no such", 0, "d/");
  size_t shared = 0;
  dag.table().ForEach([&](NodeId, const dag::NodeRecord& record) { shared += record.references > 1 ? 1 : 0; });
  CHECK(shared == 0);
  dag.VerifyThroughout();
}

TEST_CASE("a clone of a clone is a copy of its own", "[dag][clone]") {
  Prepared dag;
  dag.Clone(0, "a/", 0, "d/");
  dag.Clone(0, "d/", 0, "e/");
  dag.Put(0, "a/001", "changed in a");
  dag.Put(0, "d/002", "changed in d");
  dag.Put(0, "e/003", "changed in e");
  dag.VerifyThroughout();
  REQUIRE(dag.Oracle(0).at("e/001") == "value of 001");
  REQUIRE(dag.Oracle(0).at("e/002") == "value of 002");
  for (int generation = 0; generation < 20; ++generation) {
    const auto name = [](int n) { return "g" + std::to_string(n) + "/"; };
    dag.Clone(0, generation == 0 ? "e/" : name(generation - 1), 0, name(generation));
    dag.Put(0, name(generation) + "new", "of generation " + std::to_string(generation));
    dag.Verify({});
  }
  dag.VerifyThroughout();
}

TEST_CASE("the source of a clone lies under a goto that is still pending", "[dag][clone]") {
  Prepared dag;
  // The target is a leaf or a low node, so that the goto is buffered above it.
  dag.Clone(0, "a/00", 0, "b/00");
  REQUIRE(dag.GotosIn(dag.root(0)) > 0);
  SECTION("all of it") {
    dag.Clone(0, "b/00", 0, "c/x");
    dag.Clone(0, "b/003", 0, "c/y");
  }
  SECTION("part of it: the goto is cut at the bounds of the source") {
    dag.Clone(0, "b/0", 0, "c/z");
    dag.Clone(0, "b/", 0, "f/");
  }
  SECTION("newer messages lie over the pending goto") {
    dag.Put(0, "b/005", "newer than the goto");
    dag.EraseRange(0, Range::Prefix("b/007"));
    dag.Clone(0, "b/00", 0, "c/x");
    dag.Rename(0, "b/005", 0, "c/w");
  }
  dag.VerifyThroughout();
}

TEST_CASE("a clone into itself holds the state before the call", "[dag][clone]") {
  Prepared dag;
  SECTION("of a directory") {
    dag.Clone(0, "a/", 0, "a/deep/");
    dag.Clone(0, "a/", 0, "a/deep/");
    REQUIRE(dag.Oracle(0).contains("a/deep/deep/000"));
    REQUIRE_FALSE(dag.Oracle(0).contains("a/deep/deep/deep/000"));
  }
  SECTION("of everything") {
    dag.Clone(0, "", 0, "copy/");
    dag.Clone(0, "", 0, "copy/");
  }
  SECTION("onto itself") {
    dag.Clone(0, "a/", 0, "a/");
    dag.Clone(0, "", 0, "");
  }
  dag.VerifyThroughout();
}

TEST_CASE("a rename onto a prefix of its own path keeps what it moves", "[dag][clone]") {
  Prepared dag;
  PutMany(dag, "a/sub/", 50);
  PutMany(dag, "a/sub/sub/", 50);
  dag.Rename(0, "a/sub/", 0, "a/");
  // What was a/sub/sub/ is a/sub/ now: the erase of the source must not hit it.
  REQUIRE(dag.Oracle(0).contains("a/sub/000"));
  REQUIRE(dag.Oracle(0).size() == 500);
  dag.VerifyThroughout();
  dag.Rename(0, "a/", 0, "");
  REQUIRE(dag.Oracle(0).size() == 100);
  dag.VerifyThroughout();
}

TEST_CASE("a rename to a place inside itself, but in another tree", "[dag][clone]") {
  Prepared dag;
  const size_t other = dag.AddTree();
  REQUIRE(dag.Rename(0, "a/", other, "a/deeper/"));
  dag.VerifyThroughout();
}

TEST_CASE("one edge is cut twice", "[dag][clone]") {
  Prepared dag;
  SECTION("by two clones to places inside one child") {
    dag.Clone(0, "a/", 0, "b/05");
    dag.Clone(0, "a/", 0, "b/06");
    dag.Clone(0, "c/", 0, "b/055");
  }
  SECTION("by clones of its own parts") {
    dag.Clone(0, "b/00", 0, "b/19");
    dag.Clone(0, "b/19", 0, "b/05");
    dag.Clone(0, "b/0", 0, "b/1");
  }
  SECTION("by range erases on both sides of what stays") {
    dag.EraseRange(0, {Bound::At("b/000"), Bound::At("b/080")});
    dag.EraseRange(0, {Bound::Past("b/120"), Bound::At("b/199")});
    dag.Clone(0, "b/", 0, "a/");
  }
  dag.VerifyThroughout();
}

TEST_CASE("a private copy of a node that buffers gotos names their targets too", "[dag][clone]") {
  Prepared dag;
  const NodeId root = dag.root(0);
  dag.Clone(0, "a/00", 0, "b/00");
  REQUIRE(dag.GotosIn(dag.root(0)) > 0);
  // Both trees now name the root that buffers the goto; each change makes a private copy of it.
  dag.Snapshot(0);
  dag.Put(0, "b/001", "on this side only");
  dag.Seal(0);
  REQUIRE(dag.root(0) != root);
  REQUIRE(dag.GotosIn(dag.root(0)) > 0);
  dag.Verify({});
  // The target dies only with the last goto that names it.
  dag.EraseRange(0, Range::All());
  dag.VerifyThroughout();
  dag.DropSnapshot(0);
  dag.VerifyThroughout();
  REQUIRE(dag.NodeCount() == 1);
}

TEST_CASE("an empty source clears the destination", "[dag][clone]") {
  Prepared dag;
  dag.Clone(0, "nothing/", 0, "a/");
  REQUIRE(dag.Oracle(0).size() == 400);
  dag.EraseRange(0, Range::Prefix("b/"));
  dag.Rename(0, "b/", 0, "c/");
  REQUIRE(dag.Oracle(0).empty());
  dag.VerifyThroughout();
}

TEST_CASE("what is pending for the source is in the clone, and nothing that comes later", "[dag][clone]") {
  Prepared dag;
  dag.Put(0, "a/new", "pending put");
  dag.Erase(0, "a/003");
  dag.Append(0, "a/004", " and more");
  // A range message that is only partly over the source.
  dag.EraseRange(0, {Bound::At("a/190"), Bound::At("b/010")});
  dag.Clone(0, "a/", 0, "d/");
  dag.Put(0, "a/late", "after the clone");
  dag.Append(0, "a/004", " later");
  REQUIRE(dag.Oracle(0).at("d/004") == "value of 004 and more");
  REQUIRE_FALSE(dag.Oracle(0).contains("d/195"));
  dag.VerifyThroughout();
}

TEST_CASE("trees share nodes and change independently", "[dag][clone]") {
  Prepared dag;
  const size_t other = dag.AddTree();
  dag.Clone(0, "", other, "");
  dag.Clone(0, "a/", other, "z/");
  dag.Put(other, "a/001", "in the other tree");
  dag.EraseRange(0, Range::Prefix("a/"));
  dag.Rename(other, "z/", 0, "from the other tree/");
  dag.VerifyThroughout();
  dag.Settle(other);
  dag.Verify({});
}

TEST_CASE("clones and renames leave everything as it was when a read fails", "[dag][clone]") {
  Prepared dag;
  dag.source().SetResidence(Residence::kDisk);
  dag.InjectFaults();
  dag.Put(0, "a/100", "pending");
  dag.Clone(0, "a/", 0, "d/");
  dag.Rename(0, "d/1", 0, "b/x");
  dag.EraseRange(0, Range::Prefix("b/0"));
  dag.Seal(0);
  dag.Verify({});
  dag.FlushAll(0);
  dag.Verify({});
}

}  // namespace betr::test
