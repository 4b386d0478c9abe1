// SPDX-License-Identifier: Apache-2.0
#include "dag/read/explain.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

dag::Route RouteOf(const DagHarness& dag, const std::string& key) {
  return dag::Explain(dag.table(), dag.root(0), key, dag.functions());
}

}  // namespace

TEST_CASE("a route shows every message that applies, newest first", "[dag][explain]") {
  DagHarness dag(SmallShape(), false);
  for (int i = 1000; i < 1400; ++i) dag.Put(0, "a/" + std::to_string(i), "put");
  dag.FlushAll(0);
  REQUIRE(dag.HeightOf(0) >= 2);
  dag.Append(0, "a/1200", "+1");
  dag.Seal(0);
  dag.Append(0, "a/1200", "+2");
  dag.Seal(0);

  const dag::Route route = RouteOf(dag, "a/1200");
  REQUIRE(route.status.ok());
  REQUIRE(route.value == "put+1+2");
  REQUIRE(route.steps.size() == dag.HeightOf(0) + 1U);
  const dag::RouteStep& root = route.steps.front();
  REQUIRE(root.node == dag.root(0));
  REQUIRE(root.key == "a/1200");
  REQUIRE(root.messages.size() == 2);
  REQUIRE(root.messages[0].value == "+2");
  REQUIRE(root.messages[0].run > root.messages[1].run);
  REQUIRE(root.messages[1].function == AppendFunction::kNumber);
  const dag::RouteStep& leaf = route.steps.back();
  REQUIRE(leaf.Leaf());
  REQUIRE(leaf.messages.size() == 1);
  REQUIRE(leaf.messages[0].value == "put");
  for (size_t i = 0; i + 1 < route.steps.size(); ++i) {
    REQUIRE(route.steps[i].link.range.Contains(route.steps[i].key));
    REQUIRE(route.steps[i].link.Map(route.steps[i].key) == route.steps[i + 1].key);
    REQUIRE(route.steps[i].link.target == route.steps[i + 1].node);
  }
}

TEST_CASE("a route goes through a pending goto, and ends at a terminal message", "[dag][explain]") {
  DagHarness dag(SmallShape(), false);
  for (int i = 1000; i < 4000; ++i) dag.Put(0, (i % 2 == 0 ? "a/" : "b/") + std::to_string(i), "put");
  dag.FlushAll(0);
  dag.Clone(0, "a/120", 0, "b/x");
  dag.Append(0, "b/x4", "+newer");
  dag.Seal(0);

  const dag::Route through = RouteOf(dag, "b/x4");
  REQUIRE(through.value == "put+newer");
  REQUIRE(through.steps[0].covering.has_value());
  REQUIRE(through.steps[0].covering->link.range == Range::Prefix("b/x"));
  REQUIRE(through.steps[1].height < dag.HeightOf(0) - 1);
  REQUIRE(through.steps[1].references > 1);

  dag.Put(0, "b/x6", "terminal");
  dag.Seal(0);
  const dag::Route ended = RouteOf(dag, "b/x6");
  REQUIRE(ended.value == "terminal");
  REQUIRE(ended.steps.size() == 1);

  const dag::Route nothing = RouteOf(dag, "c");
  REQUIRE(nothing.status.ok());
  REQUIRE_FALSE(nothing.value.has_value());
}

TEST_CASE("a route agrees with lookups, and says how far it came", "[dag][explain]") {
  Random random(TestSeed());
  DagHarness dag(SmallShape(), true);
  const auto key = [&] { return std::to_string(random.Uniform(30)) + "/" + std::to_string(random.Uniform(30)); };
  for (int i = 0; i < 2'000; ++i) {
    dag.Append(0, key(), "+" + std::to_string(i));
    if (random.OneIn(40)) {
      dag.Clone(0, std::to_string(random.Uniform(30)), 0, std::to_string(random.Uniform(30)));
      dag.Work(0);
    }
  }
  dag.Seal(0);
  for (int i = 0; i < 500; ++i) {
    const std::string sought = key();
    const auto found = dag.Oracle(0).find(sought);
    REQUIRE(RouteOf(dag, sought).value ==
            (found == dag.Oracle(0).end() ? std::nullopt : std::optional<std::string>(found->second)));
  }
  dag.FlushAll(0);
  dag.source().FailAfter(2);
  const dag::Route broken = RouteOf(dag, dag.Oracle(0).begin()->first);
  REQUIRE(absl::IsUnavailable(broken.status));
  REQUIRE_FALSE(broken.steps.empty());
}

}  // namespace betr::test
