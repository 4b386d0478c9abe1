// SPDX-License-Identifier: Apache-2.0
// What is erased or cloned in the midst of a clone that waits in a buffer. Each cut makes a part that has the clone's
// whole translation, so there must not be many of them where translations are long.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/storable.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr size_t kPrefixSize = 1000;
constexpr int kKeys = 60;

// In the midst of others, so that the lowest node that holds it whole is not a child of the root.
std::string Directory() { return "b500" + std::string(kPrefixSize, 'a') + "/"; }

std::string Number(int i) { return std::to_string(1000 + i).substr(1); }

// A tree in which a directory with a long path was cloned to "t/", and the clone waits in the root.
class WithClone : public DagHarness {
 public:
  WithClone() : DagHarness(SmallShape(KiB(4), KiB(1)), false) {
    const std::string directory = Directory();
    for (int i = 0; i < kKeys; ++i) Put(0, directory + Number(i), "value of " + Number(i));
    for (const char* prefix : {"b", "c", "z"}) {
      for (int i = 0; i < 1000; ++i) Put(0, prefix + Number(i), std::string(400, 'v') + Number(i));
    }
    FlushAll(0);
    Clone(0, directory, 0, "t/");
    CAPTURE(HeightOf(0));
    REQUIRE(Waiting() == 1);
  }

  // The number of clones that wait in the root.
  size_t Waiting() const {
    size_t clones = 0;
    for (const dag::Edge& edge : Root()->edges) {
      for (const dag::Goto& message : edge.partition.gotos) clones += message.Erases() ? 0 : 1;
    }
    return clones;
  }
  Bytes Bounds() const { return dag::BoundSizesOf(*Root()).together; }

 private:
  dag::NodePtr Root() const { return *dag::LoadNode(table(), root(0)); }
};

// The numbers of the keys, each once.
std::vector<int> Order(const std::string& kind) {
  std::vector<int> order;
  for (int i = 1; i + 1 < kKeys; ++i) order.push_back(kind == "descending" ? kKeys - 1 - i : i);
  if (kind == "random") {
    Random random(TestSeed());
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Uniform(i)]);
  }
  return order;
}

}  // namespace

TEST_CASE("range erases in the midst of a clone that waits do not multiply its translation", "[dag][clone]") {
  const std::string kind = GENERATE("ascending", "descending", "random");
  const bool at_once = GENERATE(false, true);
  CAPTURE(kind, at_once);
  WithClone dag;
  const Bytes before = dag.Bounds();
  for (const int i : Order(kind)) {
    dag.EraseRange(0, {Bound::At("t/" + Number(i)), Bound::At("t/" + Number(i) + "a")});
    if (!at_once) dag.Seal(0);
  }
  dag.Seal(0);
  CHECK(dag.Bounds() < before + Bytes{20 * kPrefixSize});
  dag.VerifyThroughout();
}

TEST_CASE("clones into the midst of a clone that waits do not multiply its translation", "[dag][clone]") {
  WithClone dag;
  const Bytes before = dag.Bounds();
  for (const int i : Order("random")) dag.Clone(0, "b/" + Number(i), 0, "t/" + Number(i) + "/");
  CHECK(dag.Bounds() < before + Bytes{20 * kPrefixSize});
  dag.VerifyThroughout();
}

TEST_CASE("what was written over a clone that waits stays over it when it becomes an edge", "[dag][clone]") {
  WithClone dag;
  const auto key = [](int i) { return "t/" + Number(i); };
  dag.Put(0, key(10), "written after the clone");
  dag.Put(0, key(11) + "/new", "new");
  dag.Erase(0, key(12));
  dag.Append(0, key(13), " and more");
  dag.Seal(0);
  dag.EraseRange(0, {Bound::At(key(20)), Bound::At(key(30))});
  dag.Seal(0);
  CHECK(dag.Waiting() == 0);
  dag.Put(0, key(25), "written after the erase");
  dag.Verify({key(10), key(11) + "/new", key(12), key(13), key(22), key(25), key(40)});
  dag.VerifyThroughout();
}

TEST_CASE("the source of a clone that became an edge stays what it is", "[dag][clone]") {
  WithClone dag;
  dag.Snapshot(0);
  dag.EraseRange(0, {Bound::At("t/020"), Bound::At("t/030")});
  dag.Put(0, Directory() + "040", "changed in the source");
  dag.Put(0, "t/041", "changed in the clone");
  dag.VerifyThroughout();
}

}  // namespace betr::test
