// SPDX-License-Identifier: Apache-2.0
// Which trees get turns of background work, and what one tree's round spares the others.
#include "store/sweeps.h"

#include <catch2/catch.hpp>

#include "dag/change/heal.h"

namespace betr::test {
namespace {

using store::Sweeps;

constexpr TreeId kFirst{1};
constexpr TreeId kSecond{2};
constexpr dag::Height kLow = 2;
constexpr dag::Height kTall = dag::kHeightToReadFor + 1;

// A round without news, of one step, that finds nothing. Whether another step is due.
bool RoundWithoutFinds(Sweeps& sweeps, TreeId tree) {
  Sweeps::Restless& restless = sweeps.restless().at(tree);
  sweeps.Prepare(tree, kLow, false, restless);
  return sweeps.GoesOn(false, restless);
}

bool LooksAtRootOnly(Sweeps& sweeps, TreeId tree) {
  Sweeps::Restless& restless = sweeps.restless().at(tree);
  sweeps.Prepare(tree, kLow, false, restless);
  return restless.sweep.root_only;
}

}  // namespace

TEST_CASE("a round that finds nothing serves all trees that were stirred before it", "[store]") {
  Sweeps sweeps;
  sweeps.Stir(kFirst);
  sweeps.Stir(kSecond);
  CHECK_FALSE(LooksAtRootOnly(sweeps, kFirst));
  CHECK_FALSE(LooksAtRootOnly(sweeps, kSecond));
  CHECK_FALSE(RoundWithoutFinds(sweeps, kFirst));
  CHECK(LooksAtRootOnly(sweeps, kSecond));
  sweeps.Stir(kSecond);
  CHECK_FALSE(LooksAtRootOnly(sweeps, kSecond));
  CHECK(LooksAtRootOnly(sweeps, kFirst));
}

TEST_CASE("a tree that is stirred within a round of another is not served by it", "[store]") {
  Sweeps sweeps;
  Sweeps::Restless& first = sweeps.Stir(kFirst);
  sweeps.Prepare(kFirst, kLow, false, first);
  first.sweep.next = NodeId{7};  // in the midst of it
  CHECK(sweeps.GoesOn(true, first));
  sweeps.Stir(kSecond);
  sweeps.Prepare(kFirst, kLow, false, first);
  CHECK(first.sweep.next == NodeId{7});
  CHECK_FALSE(sweeps.GoesOn(false, first));
  CHECK_FALSE(LooksAtRootOnly(sweeps, kSecond));
}

TEST_CASE("a sweep that another's round has served begins with the root again", "[store]") {
  Sweeps sweeps;
  Sweeps::Restless& second = sweeps.Stir(kSecond);
  second.sweep.next = NodeId{7};
  sweeps.Stir(kFirst);
  CHECK_FALSE(RoundWithoutFinds(sweeps, kFirst));
  CHECK(LooksAtRootOnly(sweeps, kSecond));
  CHECK(second.sweep.next == kNoNode);
}

TEST_CASE("of trees with news one looks around", "[store]") {
  Sweeps sweeps;
  Sweeps::Restless& first = sweeps.Stir(kFirst);
  Sweeps::Restless& second = sweeps.Stir(kSecond);
  sweeps.Prepare(kFirst, kLow, true, first);
  sweeps.Prepare(kSecond, kLow, true, second);
  CHECK_FALSE(first.sweep.root_only);
  CHECK(second.sweep.root_only);
}

TEST_CASE("a sweep that is to begin anew looks around, whatever was served", "[store]") {
  Sweeps sweeps;
  sweeps.Look(dag::Reach::kDisk);
  sweeps.Stir(kFirst).sweep.next = NodeId{7};
  sweeps.StirAnew(kFirst);
  Sweeps::Restless& restless = sweeps.restless().at(kFirst);
  sweeps.Prepare(kFirst, kLow, false, restless);
  CHECK(restless.sweep.next == kNoNode);
  CHECK(restless.sweep.reach == dag::Reach::kDisk);
  CHECK_FALSE(restless.sweep.root_only);
}

TEST_CASE("for space, one tree's sweep comes by all nodes", "[store]") {
  Sweeps sweeps;
  CHECK_FALSE(sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, true).sweep.root_only);
  dag::Sweep& second = sweeps.SweepForSpace(kSecond, kLow, dag::Effort::kErases, false).sweep;
  CHECK(second.root_only);
  second.next = NodeId{7};
  CHECK(sweeps.SweepForSpace(kSecond, kLow, dag::Effort::kFrugal, false).sweep.next == NodeId{7});
  sweeps.Forget(kSecond);
  CHECK(sweeps.SweepForSpace(kSecond, kLow, dag::Effort::kFrugal, false).sweep.next == kNoNode);
}

TEST_CASE("a round for space that looks for more than before, or further, has not looked at all", "[store]") {
  Sweeps sweeps;
  sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kFrugal, true).is_whole = true;
  CHECK(sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kFrugal, true).is_whole);
  CHECK_FALSE(sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, true).is_whole);
  sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, true).is_whole = true;
  sweeps.Look(dag::Reach::kDisk);
  CHECK_FALSE(sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, true).is_whole);
  sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, true).is_whole = true;
  CHECK_FALSE(sweeps.SweepForSpace(kFirst, kLow, dag::Effort::kErases, false).is_whole);
}

TEST_CASE("trees have news when they get restless, until they are looked at or calm", "[store]") {
  Sweeps sweeps;
  CHECK(sweeps.WithNewsFrom(kFirst) == std::nullopt);
  sweeps.Stir(kFirst);
  sweeps.Stir(kSecond);
  CHECK(sweeps.WithNewsFrom(kFirst) == kFirst);
  sweeps.SetNews(kFirst, false);
  CHECK(sweeps.WithNewsFrom(kFirst) == kSecond);
  sweeps.Stir(kFirst);
  CHECK_FALSE(sweeps.HasNews(kFirst));
  sweeps.StirWithNews(kFirst);
  CHECK(sweeps.HasNews(kFirst));
  sweeps.Calm(kFirst);
  CHECK_FALSE(sweeps.HasNews(kFirst));
  CHECK(sweeps.restless().size() == 1);
}

TEST_CASE("a tree is searched for levels again when it is taller, and after some times", "[store]") {
  Sweeps sweeps;
  CHECK(sweeps.LowerAgainOf(kFirst, kLow) == nullptr);
  dag::LowerAgain* again = sweeps.LowerAgainOf(kFirst, kTall);
  REQUIRE(again != nullptr);
  CHECK(again->Due(100));
  again->Note(100, true);
  CHECK(again->Due(100));  // there may be more
  again->Note(100, false);
  CHECK_FALSE(again->Due(100));
  CHECK_FALSE(again->Due(112));
  CHECK(again->Due(113));
  int passed = 0;
  again->Note(100, false);
  while (!again->Due(100)) {
    ++passed;
    REQUIRE(passed < 1000);
  }
  CHECK(passed > 1);
  again->Note(100, false);
  CHECK_FALSE(again->Due(100));
  sweeps.SearchAgain();
  CHECK(sweeps.LowerAgainOf(kFirst, kTall)->Due(100));
}

}  // namespace betr::test
