// SPDX-License-Identifier: Apache-2.0
// Stacks of upserts and their copies, against vectors.
#include "dag/upsert_stack.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::MessageKind;
using dag::OwnedMessage;
using dag::UpsertStack;

struct Checked {
  UpsertStack stack;
  std::vector<std::string> expected;

  void Verify() const {
    REQUIRE(stack.Empty() == expected.empty());
    REQUIRE(stack.Size() == expected.size());
    Bytes memory{0};
    for (size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(stack[i].value == expected[i]);
      memory += Bytes{sizeof(OwnedMessage) + expected[i].size()};
    }
    REQUIRE(stack.Memory() == memory);
    REQUIRE((expected.empty() || stack.Newest().value == expected.back()));
  }
};

void Step(Random& random, Checked& one) {
  const std::string value(random.Uniform(20), 'v');
  switch (random.Uniform(8)) {
    case 0:
      if (random.OneIn(20)) {
        one.stack.Clear();
        one.expected.clear();
      }
      return;
    case 1:
      if (!one.expected.empty()) {
        one.stack.ReplaceNewest(value);
        one.expected.back() = value;
      }
      return;
    default:
      for (uint64_t n = random.Uniform(100); n > 0; --n) {
        one.stack.Push({MessageKind::kUpsert, 1, value});
        one.expected.push_back(value);
      }
  }
}

}  // namespace

TEST_CASE("a stack of upserts and its copies agree with vectors", "[dag][buffer][random]") {
  Random random(TestSeed());
  std::vector<Checked> all(3);
  for (int step = 0; step < 2'000; ++step) {
    Checked& one = all[random.Uniform(all.size())];
    Step(random, one);
    one.Verify();
    if (random.OneIn(4)) all[random.Uniform(all.size())] = Checked(one);
    all[random.Uniform(all.size())].Verify();
  }
}

TEST_CASE("a copy of a large stack of upserts shares all but its end", "[dag][buffer]") {
  constexpr size_t kMany = 10'000;
  UpsertStack stack;
  for (size_t i = 0; i < kMany; ++i) stack.Push({MessageKind::kUpsert, 1, std::to_string(i)});
  UpsertStack copy = stack;
  copy.Push({MessageKind::kUpsert, 1, "more"});
  copy.ReplaceNewest("other");
  size_t copied = 0;
  for (size_t i = 0; i < kMany; ++i) {
    REQUIRE(copy[i].value == stack[i].value);
    copied += &copy[i] != &stack[i];
  }
  CHECK(copied <= UpsertStack::kChunkSize);
  CHECK(stack.Size() == kMany);
}

}  // namespace betr::test
