// SPDX-License-Identifier: Apache-2.0
// What differs between two prefixes: exactly that, and found without reading what they share.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/random.h"
#include "dag/read/tree_difference.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Values = std::pair<std::optional<std::string>, std::optional<std::string>>;
using Differences = std::map<std::string, Values>;

dag::Side SideOf(const DagHarness& dag, const std::string& prefix, size_t tree = 0) {
  return {{dag.table(), dag.root(tree), {dag.Layer(tree)}}, prefix};
}

// A key that is told twice, or out of order, fails.
Differences Found(const DagHarness& dag, const dag::Side& before, const dag::Side& after, const Bound& from) {
  dag::TreeDifference cursor(before, after, dag.functions(), nullptr);
  Differences found;
  for (cursor.Seek(from); cursor.Valid(); cursor.Next()) {
    const std::string key(cursor.Key());
    REQUIRE((found.empty() || found.rbegin()->first < key));
    found[key] = Values(cursor.Before(), cursor.After());
  }
  INFO(cursor.status());
  REQUIRE(cursor.status().ok());
  return found;
}

void AddBelow(const Contents& contents, const std::string& prefix, std::optional<std::string> Values::*side,
              Differences& all) {
  for (auto at = contents.lower_bound(prefix); at != contents.end() && at->first.starts_with(prefix); ++at) {
    all[at->first.substr(prefix.size())].*side = at->second;
  }
}

// By the oracle.
Differences Expected(const DagHarness& dag, const std::string& before, const std::string& after, const Bound& from) {
  Differences all;
  AddBelow(dag.Oracle(0), before, &Values::first, all);
  AddBelow(dag.Oracle(0), after, &Values::second, all);
  std::erase_if(
      all, [&](const auto& entry) { return entry.second.first == entry.second.second || !from.Before(entry.first); });
  return all;
}

}  // namespace

TEST_CASE("what differs between a clone and its source is what was changed in one of them", "[dag][difference]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), true);
  for (int i = 1000; i < 3000; ++i) dag.Put(0, "tree/" + std::to_string(i), "value");
  dag.Settle(0);
  dag.Clone(0, "tree/", 0, "copy/");
  const auto differences = [&] { return Found(dag, SideOf(dag, "tree/"), SideOf(dag, "copy/"), Bound::At("")); };
  CHECK(differences().empty());

  dag.Put(0, "copy/1500", "changed");
  dag.Erase(0, "copy/1600");
  dag.Put(0, "copy/1600x", "new");
  dag.Append(0, "tree/2000", "+");
  dag.Put(0, "copy/2100", "value");  // what is there already
  const Differences expected = {{"1500", {"value", "changed"}},
                                {"1600", {"value", std::nullopt}},
                                {"1600x", {std::nullopt, "new"}},
                                {"2000", {"value+", "value"}}};
  CHECK(differences() == expected);
  dag.Seal(0);
  CHECK(differences() == expected);
  dag.Settle(0);
  CHECK(differences() == expected);
  dag.FlushAll(0);
  CHECK(differences() == expected);
}

TEST_CASE("differences of overlapping, nested and moved clones are those of their contents", "[dag][difference]") {
  Random random(TestSeed());
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), true);
  const auto prefix = [&] { return std::string(1, static_cast<char>('a' + random.Uniform(3))) + "/"; };
  const auto place = [&] { return random.OneIn(8) ? "" : random.OneIn(2) ? prefix() : prefix() + prefix(); };
  size_t few = 0;  // comparisons of contents that are much alike
  for (int step = 0; step < 4'000; ++step) {
    switch (random.Uniform(10)) {
      case 0:
        dag.Clone(0, place(), 0, random.OneIn(2) ? prefix() : prefix() + prefix());
        break;
      case 1:
        dag.Rename(0, prefix() + prefix(), 0, prefix() + prefix());
        break;
      case 2:
        dag.EraseRange(0, Range::Prefix(prefix() + prefix() + std::to_string(random.Uniform(10))));
        break;
      case 3:
        dag.Put(0, prefix() + prefix() + std::to_string(random.Uniform(1000)), "v");
        break;
      default:
        dag.Append(0, prefix() + prefix() + std::to_string(random.Uniform(1000)), "x");
    }
    if (random.OneIn(4)) {
      dag.Seal(0);
      dag.Work(0);
    }
    if (dag.Oracle(0).size() > 20'000) dag.EraseRange(0, Range::Prefix(prefix()));
    if (step % 10 != 0) continue;
    const std::string before = place();
    const std::string after = place();
    const Bound from = random.OneIn(3) ? Bound::At(prefix() + std::to_string(random.Uniform(1000))) : Bound::At("");
    INFO("step " << step << ": " << before << " and " << after << " from " << ToString(from));
    const Differences expected = Expected(dag, before, after, from);
    REQUIRE(Found(dag, SideOf(dag, before), SideOf(dag, after), from) == expected);
    few += before != after && expected.size() < 10 ? 1 : 0;
  }
  CHECK(few > 10);
}

TEST_CASE("differences with a snapshot in another tree of the same state", "[dag][difference]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  const size_t other = dag.AddTree();
  for (int i = 1000; i < 2000; ++i) dag.Put(0, std::to_string(i), "value");
  dag.Settle(0);
  dag.Clone(0, "", other, "");
  dag.Put(0, "1234", "changed");
  dag.Erase(other, "1999");
  CHECK(Found(dag, SideOf(dag, "", other), SideOf(dag, "", 0), Bound::At("")) ==
        Differences{{"1234", {"value", "changed"}}, {"1999", {std::nullopt, "value"}}});
}

// Reads are counted: with ten times as many keys there are about as many.
TEST_CASE("the cost of a difference is that of what is not shared", "[dag][difference]") {
  const auto reads = [](int keys) {
    DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
    for (int i = 0; i < keys; ++i) dag.Put(0, "tree/" + std::to_string(100'000 + i), "value");
    dag.Settle(0);
    dag.Clone(0, "tree/", 0, "copy/");
    for (int i = 0; i < 10; ++i) dag.Put(0, "copy/" + std::to_string(100'000 + i * keys / 10), "changed");
    dag.Settle(0);
    dag.source().ResetReads();
    REQUIRE(Found(dag, SideOf(dag, "tree/"), SideOf(dag, "copy/"), Bound::At("")).size() == 10);
    return dag.source().reads().Nodes() + dag.source().reads().blocks;
  };
  const uint64_t of_few = reads(1'000);
  const uint64_t of_many = reads(10'000);
  CAPTURE(of_few, of_many);
  CHECK(of_many < 3 * of_few);
}

}  // namespace betr::test
