// SPDX-License-Identifier: Apache-2.0
// The space map against one bit per unit; next fit, the reserve, claims, threads.
#include "layout/space_map.h"

#include <catch2/catch.hpp>
#include <list>
#include <thread>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr UnitRange kArea{100, 1000};

// The oracle: which units are used.
class Bitmap {
 public:
  bool IsFree(const ExtentAddress& extent) const {
    for (uint64_t unit = extent.start; unit < extent.end(); ++unit) {
      if (unit < kArea.start || unit >= kArea.end() || used_[unit - kArea.start]) return false;
    }
    return true;
  }
  void Set(const ExtentAddress& extent, bool used) {
    for (uint64_t unit = extent.start; unit < extent.end(); ++unit) used_[unit - kArea.start] = used;
  }
  std::vector<UnitRange> FreeRanges() const {
    std::vector<UnitRange> ranges;
    for (uint64_t i = 0; i < kArea.units; ++i) {
      if (used_[i]) continue;
      if (i == 0 || used_[i - 1]) ranges.push_back({kArea.start + i, 0});
      ++ranges.back().units;
    }
    return ranges;
  }

 private:
  std::vector<bool> used_ = std::vector<bool>(kArea.units);
};

void CheckSame(const SpaceMap& space, const Bitmap& bitmap) {
  const std::vector<UnitRange> expected = bitmap.FreeRanges();
  REQUIRE((space.FreeRanges() == expected));
  uint64_t free = 0;
  uint64_t largest = 0;
  for (const UnitRange& range : expected) {
    free += range.units;
    largest = std::max(largest, range.units);
  }
  const SpaceFigures figures = space.Figures();
  REQUIRE(figures.free == UnitBytes(free));
  REQUIRE(figures.largest == UnitBytes(largest));
  REQUIRE(figures.ranges == expected.size());
}

TEST_CASE("space is used once at a time", "[layout]") {
  Random random(TestSeed());
  const auto space = SpaceMap::Create(kArea);
  Bitmap bitmap;
  std::vector<ExtentRef> held;
  for (int i = 0; i < 5000 * TestScale(); ++i) {
    const auto units = static_cast<uint32_t>(1 + random.Skewed(6));
    const ExtentAddress place{random.Uniform(1200), units};
    absl::StatusOr<ExtentRef> got = absl::UnknownError("freed");
    if (random.OneIn(3)) {
      const bool was_free = bitmap.IsFree(place);
      got = space->Claim(place);
      REQUIRE(got.ok() == was_free);
      REQUIRE((was_free || got.status().code() == absl::StatusCode::kDataLoss));
    } else if (random.OneIn(2)) {
      const uint64_t largest = space->Figures().largest / kUnit;
      got = space->Allocate(units, random.OneIn(2) ? place.start : SpaceMap::kNoHint);
      REQUIRE(got.ok() == (largest >= units));
      REQUIRE((!got.ok() || bitmap.IsFree((*got)->address())));
    } else if (!held.empty()) {
      std::swap(random.Pick(held), held.back());
      bitmap.Set(held.back()->address(), false);
      held.pop_back();
    }
    if (got.ok()) {
      REQUIRE((*got)->address().units == units);
      bitmap.Set((*got)->address(), true);
      held.push_back(*std::move(got));
    }
    CheckSame(*space, bitmap);
  }
  held.clear();
  CHECK((space->FreeRanges() == std::vector<UnitRange>{kArea}));
}

TEST_CASE("no extent is claimed that is larger than any", "[layout]") {
  const auto space = SpaceMap::Create({100, kMaxExtentUnits + 10});
  CHECK(space->Claim({100, kMaxExtentUnits + 1}).status().code() == absl::StatusCode::kDataLoss);
  CHECK(space->Claim({100, kMaxExtentUnits}).ok());
}

TEST_CASE("what is allocated one after another is adjacent", "[layout]") {
  const auto space = SpaceMap::Create(kArea);
  std::vector<ExtentRef> held;
  uint64_t next = 200;
  for (const uint32_t units : {3, 1, 7, 2}) {
    held.push_back(*space->Allocate(units, next));
    CHECK(held.back()->address() == ExtentAddress{next, units});
    next += units;
  }
  CHECK((*space->Allocate(5))->address().start == next);
  const ExtentRef beyond = *space->Claim({next + 2, 1});
  CHECK((*space->Allocate(3, next))->address().start == next + 3);
  CHECK((*space->Allocate(2, next))->address().start == next);
}

TEST_CASE("without space behind the hint the smallest place that fits is taken", "[layout]") {
  const auto space = SpaceMap::Create(kArea);
  std::vector<ExtentRef> held;
  for (const ExtentAddress taken : {ExtentAddress{110, 1}, {115, 1}, {131, 969}}) held.push_back(*space->Claim(taken));
  CHECK((*space->Allocate(8, 131))->address().start == 100);
  CHECK((*space->Allocate(4, 131))->address().start == 111);
  CHECK((*space->Allocate(15, 131))->address().start == 116);
  CHECK(space->Allocate(16, 131).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("what uses little of a large area stays at its beginning", "[layout]") {
  Random random(TestSeed());
  const UnitRange area{100, UnitsFor(GiB(16))};
  const size_t count = GENERATE(size_t{10}, size_t{1000});
  const auto space = SpaceMap::Create(area);
  std::vector<ExtentRef> held;
  uint64_t most_used = 0;
  uint64_t reached = area.start;
  for (uint64_t allocated = 0; allocated <= area.units; allocated += held.back()->address().units) {
    if (held.size() >= count) {
      std::swap(held[random.Uniform(held.size())], held.back());
      held.pop_back();
    }
    held.push_back(space->Allocate(static_cast<uint32_t>(1 + random.Uniform(128))).value());
    reached = std::max(reached, held.back()->address().end());
    most_used = std::max(most_used, area.units - UnitsFor(space->Figures().free));
  }
  CHECK(reached - area.start <= std::max(most_used + UnitsFor(MiB(65)), 4 * most_used + UnitsFor(MiB(1))));
  CHECK(reached - area.start >= most_used + UnitsFor(MiB(60)));
}

TEST_CASE("what is promised has to be free", "[layout]") {
  const auto space = SpaceMap::Create(kArea);
  const auto most = space->Allocate(990);
  REQUIRE(most.ok());
  CHECK(space->Fits(10));
  CHECK_FALSE(space->Fits(11));
  space->Promise(7);
  CHECK(space->Figures().promised == UnitBytes(7));
  CHECK(space->Fits(3));
  CHECK_FALSE(space->Fits(4));
  space->TakeBack(7);
  CHECK(space->Fits(10));
}

TEST_CASE("what finds no piece that is large enough is scattered", "[layout]") {
  const auto space = SpaceMap::Create(kArea);
  std::vector<ExtentRef> held;
  for (uint64_t unit = kArea.start; unit < kArea.end(); unit += 4) held.push_back(*space->Claim({unit, 2}));
  const ExtentRef whole = *space->AllocateAnyhow(2);
  CHECK_FALSE(whole->address().scattered);
  const ExtentRef scattered = *space->AllocateAnyhow(480);
  CHECK(scattered->address().scattered);
  CHECK(scattered->address().units == 480);
  CHECK(scattered->map_pages().size() == 1);
  CHECK(scattered->address().start == scattered->map_pages()[0]->address().start);
  uint64_t units = 0;
  for (const ExtentRef& piece : scattered->pieces()) units += piece->address().units;
  CHECK(units == 480);
  CHECK(space->Figures().free == UnitBytes(500 - 2 - 481));
  CHECK(space->AllocateAnyhow(17).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(space->AllocateAnyhow(16).ok());
}

TEST_CASE("impossible places are not claimed", "[layout]") {
  const auto space = SpaceMap::Create(kArea);
  for (const ExtentAddress bad : {ExtentAddress{0, 1},
                                  {99, 2},
                                  {1099, 2},
                                  {1100, 1},
                                  {150, 0},
                                  {UINT64_MAX, 1},
                                  {UINT64_MAX - 1, 3},
                                  {100, UINT32_MAX}}) {
    CHECK(space->Claim(bad).status().code() == absl::StatusCode::kDataLoss);
  }
  CHECK(space->Claim({100, 1000}).ok());
}

TEST_CASE("of what is partly in use, or outside, the rest can be claimed", "[layout]") {
  Random random(TestSeed());
  for (int round = 0; round < 200; ++round) {
    const std::shared_ptr<SpaceMap> space = SpaceMap::Create(kArea);
    Bitmap bitmap;
    std::vector<ExtentRef> held;
    for (int i = 0; i < 20; ++i) {
      const ExtentAddress some{random.Uniform(kArea.end() + 50), static_cast<uint32_t>(1 + random.Uniform(200))};
      for (ExtentRef& piece : space->ClaimRest(some)) {
        REQUIRE(bitmap.IsFree(piece->address()));
        bitmap.Set(piece->address(), true);
        held.push_back(std::move(piece));
      }
      for (uint64_t unit = std::max(some.start, kArea.start); unit < std::min(some.end(), kArea.end()); ++unit) {
        REQUIRE_FALSE(bitmap.IsFree({unit, 1}));
      }
      CheckSame(*space, bitmap);
    }
    held.clear();
    CheckSame(*space, Bitmap());
  }
}

TEST_CASE("an extent outlives all but itself", "[layout]") {
  auto space = SpaceMap::Create(kArea);
  const ExtentRef extent = *space->Allocate(1);
  const std::weak_ptr<SpaceMap> weak = space;
  space.reset();
  CHECK_FALSE(weak.expired());
}

TEST_CASE("threads allocate and free beside each other", "[layout]") {
  const auto space = SpaceMap::Create({0, 1 << 16});
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(TestSeed() + thread);
      std::list<ExtentRef> held;
      for (int i = 0; i < 5000; ++i) {
        if (auto got = space->Allocate(static_cast<uint32_t>(1 + random.Uniform(20))); got.ok()) {
          held.push_back(*std::move(got));
        }
        if (held.size() > 200) held.pop_front();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK((space->FreeRanges() == std::vector<UnitRange>{{0, 1 << 16}}));
}

}  // namespace
}  // namespace betr::layout
