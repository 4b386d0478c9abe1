// SPDX-License-Identifier: Apache-2.0
#include "dag/key_sample.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/bound.h"
#include "support/seed.h"

namespace betr::dag {
namespace {

// Keys with much in common, many of which have one number; some stand there several times.
std::vector<std::string> SomeKeys(Random& random) {
  static constexpr std::string_view kBytes("\0\1a\xfe\xff", 5);
  std::string prefix;
  for (uint64_t n = random.Uniform(12); n > 0; --n) prefix += kBytes[random.Uniform(kBytes.size())];
  std::vector<std::string> keys;
  for (uint64_t n = random.Uniform(200); n > 0; --n) {
    std::string key = prefix;
    for (uint64_t size = random.Uniform(12); size > 0; --size) key += kBytes[random.Uniform(kBytes.size())];
    keys.push_back(key.substr(0, random.OneIn(20) ? random.Uniform(key.size() + 1) : key.size()));
    if (random.OneIn(8)) keys.push_back(keys.back());
  }
  std::ranges::sort(keys);
  return keys;
}

}  // namespace

TEST_CASE("a position lies in its window among the keys", "[dag][block]") {
  Random random(TestSeed());
  for (int round = 0; round < 2000; ++round) {
    const std::vector<std::string> keys = SomeKeys(random);
    const KeySample sample(keys.size(), [&](size_t index) -> std::string_view { return keys[index]; });
    for (int i = 0; i < 50; ++i) {
      std::string bytes = keys.empty() ? "" : keys[random.Uniform(keys.size())];
      bytes.resize(random.Uniform(bytes.size() + 3), random.OneIn(2) ? '\xff' : '\0');
      const Bound bound{bytes, random.OneIn(2)};
      const auto [begin, end] = sample.Around(bound.bytes, bound.past);
      CAPTURE(ToString(bound), keys.size(), begin, end);
      REQUIRE(begin <= end);
      REQUIRE(end <= keys.size());
      REQUIRE((begin == 0 || !bound.Before(keys[begin - 1])));
      REQUIRE((end == keys.size() || bound.Before(keys[end])));
    }
  }
}

TEST_CASE("the window is small among keys that differ", "[dag][block]") {
  constexpr size_t kKeys = 1000;
  const auto key_of = [](size_t index) { return "all of them begin like this: " + std::to_string(kKeys + index); };
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) keys.push_back(key_of(i));
  const KeySample sample(keys.size(), [&](size_t index) -> std::string_view { return keys[index]; });
  for (const std::string& key : keys) {
    const auto [begin, end] = sample.Around(key, false);
    REQUIRE(end - begin <= 2 * KeySample::kStride);
  }
  CHECK(sample.Around("all of them", false).end == 0);
  CHECK(sample.Around("all of them", true).begin == kKeys);
  CHECK(sample.Around("b", false).begin == kKeys);
  CHECK(sample.Around("a", false).end == 0);
}

}  // namespace betr::dag
