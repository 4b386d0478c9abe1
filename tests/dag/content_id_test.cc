// SPDX-License-Identifier: Apache-2.0
// Content ids: equal for clones, never equal for contents that differ.
#include "dag/content_id.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

ContentId IdOf(const DagHarness& dag, const std::string& prefix) {
  const auto id = dag::FindContentId(dag.table(), dag.root(0), prefix);
  REQUIRE(id.ok());
  return *id;
}

// What the oracle has under a prefix, without the prefix.
Contents Below(const DagHarness& dag, const std::string& prefix) {
  Contents below;
  for (auto at = dag.Oracle(0).lower_bound(prefix); at != dag.Oracle(0).end() && at->first.starts_with(prefix); ++at) {
    below[at->first.substr(prefix.size())] = at->second;
  }
  return below;
}

}  // namespace

TEST_CASE("a clone and its source have one content id until one of them changes", "[dag][content_id]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  for (int i = 1000; i < 3000; ++i) dag.Put(0, "tree/" + std::to_string(i % 10) + "/" + std::to_string(i), "value");
  dag.Settle(0);
  for (const std::string copy : {"copy/", "other/", "zoo/"}) dag.Clone(0, "tree/", 0, copy);
  const ContentId source = IdOf(dag, "tree/");
  REQUIRE(source.shared);
  for (const std::string copy : {"copy/", "other/", "zoo/"}) REQUIRE(IdOf(dag, copy).id == source.id);
  REQUIRE(IdOf(dag, "copy/3/").id == IdOf(dag, "zoo/3/").id);
  REQUIRE(IdOf(dag, "copy/3/").id != IdOf(dag, "copy/4/").id);

  dag.Put(0, "copy/3/1013", "changed");
  dag.Seal(0);
  REQUIRE(IdOf(dag, "copy/").id != source.id);
  REQUIRE(IdOf(dag, "copy/3/").id != IdOf(dag, "zoo/3/").id);
  REQUIRE(IdOf(dag, "copy/4/").id == IdOf(dag, "zoo/4/").id);
}

TEST_CASE("equal content ids mean equal contents, whatever happened", "[dag][content_id]") {
  Random random(TestSeed());
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), true);
  const auto prefix = [&] { return std::string(1, static_cast<char>('a' + random.Uniform(4))) + "/"; };
  size_t equal = 0;
  for (int step = 0; step < 3'000; ++step) {
    const std::string deep = prefix() + prefix();
    switch (random.Uniform(8)) {
      case 0:
        dag.Clone(0, random.OneIn(2) ? prefix() : deep, 0, random.OneIn(2) ? prefix() : prefix() + prefix());
        break;
      case 1:
        dag.EraseRange(0, Range::Prefix(deep + std::to_string(random.Uniform(10))));
        break;
      default:
        dag.Append(0, deep + std::to_string(random.Uniform(1000)), "x");
    }
    if (random.OneIn(4)) {
      dag.Seal(0);
      dag.Work(0);
    }
    if (step % 20 != 0) continue;
    dag.Seal(0);
    std::map<std::string, std::string> seen;  // the prefix that had an id first
    for (char a = 'a'; a < 'e'; ++a) {
      for (char b = 'a' - 1; b < 'e'; ++b) {
        const std::string at = b < 'a' ? std::string{a, '/'} : std::string{a, '/', b, '/'};
        const auto [first, fresh] = seen.try_emplace(IdOf(dag, at).id, at);
        if (!fresh) {
          INFO("step " << step << ": " << first->second << " and " << at);
          REQUIRE(Below(dag, first->second) == Below(dag, at));
          equal += Below(dag, at).empty() ? 0 : 1;
        }
      }
    }
  }
  REQUIRE(equal > 0);
}

}  // namespace betr::test
