// SPDX-License-Identifier: Apache-2.0
#include "base/persistent_map.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Map = PersistentMap<uint64_t, std::string>;
using Model = std::map<uint64_t, std::string>;

void RequireSame(const Map& map, const Model& model) {
  REQUIRE(map.Size() == model.size());
  REQUIRE(map.Empty() == model.empty());
  auto expected = model.begin();
  for (const auto& [key, value] : map) {
    REQUIRE(expected != model.end());
    REQUIRE(key == expected->first);
    REQUIRE(value == expected->second);
    ++expected;
  }
  REQUIRE(expected == model.end());
}

int HighestOf(size_t size) { return static_cast<int>(1.45 * std::log2(static_cast<double>(size) + 2)); }

}  // namespace

TEST_CASE("persistent maps agree with maps, and so do old copies of them", "[base][random]") {
  const uint64_t seed = TestSeed();
  INFO("seed " << seed);
  Random random(seed);
  Map map;
  Model model;
  std::vector<std::pair<Map, Model>> copies;
  for (int step = 0; step < 20000; ++step) {
    const uint64_t key = random.Uniform(1 + static_cast<uint64_t>(step % 1000));
    if (random.OneIn(2)) {
      map.Set(key, std::to_string(step));
      model[key] = std::to_string(step);
    } else {
      REQUIRE(map.Remove(key) == (model.erase(key) == 1));
    }
    const std::string* found = map.Find(key);
    REQUIRE((found != nullptr) == model.contains(key));
    REQUIRE(map.Height() <= HighestOf(map.Size()));
    if (random.OneIn(500)) copies.emplace_back(map, model);
    if (random.OneIn(100)) RequireSame(map, model);
  }
  for (const auto& [old_map, old_model] : copies) RequireSame(old_map, old_model);
}

TEST_CASE("a changed copy of a persistent map shares all but the way to the change", "[base]") {
  Map map;
  for (uint64_t key = 0; key < 100000; ++key) {  // in order, as ids come
    map.Set(key, "x");
  }
  REQUIRE(map.Height() <= 18);
  for (const uint64_t key : {uint64_t{0}, uint64_t{777}, uint64_t{99999}}) {
    Map changed = map;
    changed.Set(key, "y");
    CHECK(changed.NodesNotIn(map) <= 18);
    CHECK(*map.Find(key) == "x");
    Map removed = map;
    CHECK(removed.Remove(key));
    CHECK(removed.NodesNotIn(map) <= 3 * 18);
    CHECK(map.Contains(key));
    CHECK(!removed.Contains(key));
  }
}

}  // namespace betr::test
