// SPDX-License-Identifier: Apache-2.0
// Times in options, also those that are larger than can be counted with, or below zero.
#include "store/option_times.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "base/clock.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

StoreOptions WithAll(milliseconds time) {
  StoreOptions options;
  options.settle_time = time;
  options.read_patience = time;
  options.checkpoint_period = std::chrono::duration_cast<seconds>(time);
  return options;
}

std::string Key(int number) { return fmt::format("{:04}", number); }

// Nodes that are there after closing, those that nobody needs any more among them.
uint64_t LeftAfterClosing(milliseconds settle_time) {
  MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = KiB(1), .log = MiB(4)});
  StoreOptions options;
  options.background = false;
  options.checkpoint_period = seconds(0);
  options.settle_time = settle_time;
  fixture.Open(options);
  const TreeId tree = Must(fixture.store->CreateTree("tree", "none"));
  for (int i = 0; i < 3000; ++i) Must(fixture.store->Put(tree, Key(i), std::string(200, 'x')));
  Must(fixture.store->Checkpoint());
  for (int i = 0; i < 10; ++i) Must(fixture.store->ClonePrefix(tree, "0", tree, "c" + Key(i)));
  Must(fixture.store->EraseRange(tree, Range::Prefix("c")));
  for (int i = 0; i < 3000; i += 500) {
    Must(fixture.store->EraseRange(tree, {Bound::At(Key(i)), Bound::At(Key(i + 450))}));
  }
  fixture.Close();
  options.read_only = true;
  fixture.Open(options);
  return fixture.store->Space().nodes;
}

}  // namespace

TEST_CASE("times that can be counted with stay what they are", "[store]") {
  for (const milliseconds time : {milliseconds(0), milliseconds(1'000), milliseconds(3'600'000)}) {
    const StoreOptions options = store::WithCountableTimes(WithAll(time));
    CHECK(options.settle_time == time);
    CHECK(options.read_patience == time);
    CHECK(options.checkpoint_period == time);
  }
}

TEST_CASE("a time without end ends later than anything, and one below zero at once", "[store]") {
  StoreOptions options = WithAll(milliseconds::max());
  options.checkpoint_period = seconds::max();
  options = store::WithCountableTimes(options);
  const nanoseconds now = SystemClock().Monotonic();
  constexpr std::chrono::hours kLong{24 * 365 * 99};
  for (const nanoseconds time :
       {nanoseconds(options.settle_time), nanoseconds(options.read_patience), nanoseconds(options.checkpoint_period)}) {
    CHECK(time > kLong);
    CHECK(now + time > now + kLong);
  }
  // As many nanoseconds as a counter of 64 bits counts, and a few more.
  options.checkpoint_period = seconds(18'446'744'074);
  CHECK(store::WithCountableTimes(options).checkpoint_period > kLong);
  options = WithAll(milliseconds::min());
  options.checkpoint_period = seconds::min();
  options = store::WithCountableTimes(options);
  CHECK(options.settle_time == milliseconds(0));
  CHECK(options.read_patience == milliseconds(0));
  CHECK(options.checkpoint_period == seconds(0));
}

TEST_CASE("a checkpoint comes by itself when it is time for one, and never without a time", "[store]") {
  const auto checkpoints_after = [](seconds period, milliseconds wait) {
    MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = KiB(1), .log = MiB(4)});
    StoreOptions options;
    options.checkpoint_period = period;
    fixture.Open(options);
    Must(fixture.store->CreateTree("tree").status());
    const auto end = SystemClock().Monotonic() + wait;
    while (SystemClock().Monotonic() < end && fixture.store->Stats().checkpoints == 0) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return fixture.store->Stats().checkpoints;
  };
  CHECK(checkpoints_after(seconds(1), milliseconds(30'000)) > 0);
  CHECK(checkpoints_after(seconds(0), milliseconds(1'500)) == 0);
}

TEST_CASE("closing takes the time that it may take", "[store]") {
  const uint64_t at_once = LeftAfterClosing(milliseconds(0));
  CHECK(LeftAfterClosing(milliseconds::max()) < at_once);
  CHECK(LeftAfterClosing(milliseconds(-1)) == at_once);
}

}  // namespace betr::test
