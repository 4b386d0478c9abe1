// SPDX-License-Identifier: Apache-2.0
// What is left of erases for good, where some of a tree is shared.
#include "dag/change/residue.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "dag/change/flush.h"
#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

std::string Key(const std::string& prefix, int number) { return prefix + std::to_string(1000 + number).substr(1); }

// A tree with keys below "a/", all in leaves.
class Prepared : public DagHarness {
 public:
  Prepared() : DagHarness(SmallShape(), false) {
    for (int i = 0; i < 200; ++i) Put(0, Key("a/", i), "value");
    FlushAll(0);
  }

  // Of erasing what lies between two keys.
  dag::Residue Residue(const std::string& before, const std::string& after) {
    auto residue = dag::ResidueOf(table(), root(0), before, after, functions());
    REQUIRE(residue.ok());
    return *residue;
  }

  // Of erasing single keys below a prefix, so often each.
  std::map<dag::Residue, int> OfSingleKeys(const std::string& prefix) {
    std::map<dag::Residue, int> residues;
    for (int i = 1; i < 199; ++i) ++residues[Residue(Key(prefix, i - 1), Key(prefix, i + 1))];
    return residues;
  }
};

}  // namespace

TEST_CASE("nothing is left of erases of what nobody shares", "[dag][residue]") {
  Prepared dag;
  CHECK(dag.OfSingleKeys("a/")[dag::Residue::kNone] == 198);
}

TEST_CASE("of what a clone shares something is left, but at the ends of edges", "[dag][residue]") {
  Prepared dag;
  dag.Clone(0, "a/", 0, "b/");
  dag.FlushAll(0);
  for (const char* prefix : {"a/", "b/"}) {
    INFO(prefix);
    auto residues = dag.OfSingleKeys(prefix);
    CHECK(residues[dag::Residue::kMore] > 150);
    CHECK(residues[dag::Residue::kSame] == 0);
  }
  // All of it, between keys that nobody shares.
  dag.Put(0, "a", "before");
  dag.Put(0, "c", "after");
  dag.FlushAll(0);
  CHECK(dag.Residue("a", "c") == dag::Residue::kNone);
}

TEST_CASE("an erase beside one that waits takes its place", "[dag][residue]") {
  Prepared dag;
  dag.Clone(0, "a/", 0, "b/");
  dag.FlushAll(0);
  int beside = 0;
  for (int i = 10; i < 190; i += 10) {
    const std::string before = Key("b/", i - 1);
    const std::string after = Key("b/", i + 2);
    if (dag.Residue(before, after) != dag::Residue::kMore) continue;  // an edge ends there
    dag.Erase(0, Key("b/", i));
    dag.Settle(0);
    beside += dag.Residue(before, after) == dag::Residue::kSame ? 1 : 0;
  }
  CHECK(beside > 10);
}

}  // namespace betr::test
