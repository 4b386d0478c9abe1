// SPDX-License-Identifier: Apache-2.0
// Cursors that turn round, seek and are bounded, on DAGs with gotos, shared nodes and several layers, against a map.
#include <catch2/catch.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/read/tree_cursor.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

std::string SomeKey(Random& random) {
  std::string key;
  for (uint64_t n = random.Uniform(6); n > 0; --n) key.push_back("\0ab\xff"[random.Uniform(4)]);
  return key;
}

// A tree that has seen a bit of everything.
void Fill(DagHarness& dag, Random& random) {
  for (int i = 0; i < 150; ++i) {
    const std::string value = "v" + std::to_string(i);
    const uint64_t dice = random.Uniform(20);
    if (dice < 11) {
      dag.Put(0, SomeKey(random), value);
    } else if (dice < 13) {
      dag.Append(0, SomeKey(random), value);
    } else if (dice < 14) {
      dag.Erase(0, SomeKey(random));
    } else if (dice < 15) {
      dag.EraseRange(0, Range::Prefix(SomeKey(random) + "a"));
    } else if (dice < 17) {
      dag.Clone(0, SomeKey(random).substr(0, 2), 0, SomeKey(random).substr(0, 2));
    } else if (dice < 18) {
      dag.Rename(0, SomeKey(random).substr(0, 2), 0, SomeKey(random).substr(0, 2));
    } else {
      dag.Seal(0);
      dag.Work(0);
    }
  }
}

// A cursor and the place in the map where it must stand: past the end if it stands nowhere.
class Walk {
 public:
  Walk(const DagHarness& dag, Range bounds)
      : cursor_({dag.table(), dag.root(0), {dag.Layer(0)}}, bounds, dag.functions(), nullptr) {
    for (const auto& [key, value] : dag.Oracle(0)) {
      if (bounds.Contains(key)) inside_[key] = value;
    }
    at_ = inside_.end();
  }

  void Step(Random& random) {
    const std::string key = SomeKey(random);
    const uint64_t dice = random.Uniform(12);
    if (at_ != inside_.end() && dice < 5) {
      ++at_;
      cursor_.Next();
    } else if (at_ != inside_.end() && dice < 10) {
      at_ = Before(at_);
      cursor_.Prev();
    } else if (dice % 4 == 0) {
      at_ = inside_.begin();
      cursor_.SeekToFirst();
    } else if (dice % 4 == 1) {
      at_ = Before(inside_.end());
      cursor_.SeekToLast();
    } else if (dice % 4 == 2) {
      const bool past = random.OneIn(2);
      at_ = FirstAfter({key, past});
      cursor_.Seek({key, past});
    } else {
      const bool past = random.OneIn(2);
      at_ = Before(FirstAfter({key, past}));
      cursor_.SeekBefore({key, past});
    }
  }

  void Verify() const {
    REQUIRE(cursor_.status().ok());
    REQUIRE(cursor_.Valid() == (at_ != inside_.end()));
    if (cursor_.Valid()) {
      REQUIRE(cursor_.Key() == at_->first);
      REQUIRE(cursor_.Value() == at_->second);
    }
  }

 private:
  Contents::const_iterator Before(Contents::const_iterator at) const {
    return at == inside_.begin() ? inside_.end() : std::prev(at);
  }
  Contents::const_iterator FirstAfter(const Bound& bound) const {
    auto at = inside_.begin();
    while (at != inside_.end() && !bound.Before(at->first)) ++at;
    return at;
  }

  dag::TreeCursor cursor_;
  Contents inside_;
  Contents::const_iterator at_;
};

}  // namespace

TEST_CASE("a cursor walks either way, turns round and keeps to its bounds", "[dag][cursor][random]") {
  const auto seeds = static_cast<uint64_t>(150 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    INFO("seed " << TestSeed() + i);
    Random random(TestSeed() + i);
    dag::Shape shape;
    shape.node_size = Bytes{100 + random.Uniform(500)};
    shape.basement_size = Bytes{50};
    shape.fanout = 8;
    DagHarness dag(shape, false);
    Fill(dag, random);
    for (int run = 0; run < 5; ++run) {
      const Range bounds =
          run == 0 ? Range::All() : Range{{SomeKey(random), random.OneIn(2)}, {SomeKey(random), random.OneIn(2)}};
      Walk walk(dag, bounds);
      for (int step = 0; step < 100; ++step) {
        walk.Step(random);
        walk.Verify();
      }
    }
  }
}

TEST_CASE("a cursor keeps what it reads while the tree goes on", "[dag][cursor]") {
  dag::Shape shape;
  shape.node_size = Bytes{300};
  shape.basement_size = Bytes{100};
  DagHarness dag(shape, false);
  for (int i = 1000; i < 1400; ++i) dag.Put(0, std::to_string(i), "old");
  dag.FlushAll(0);
  dag::TreeCursor cursor({dag.table(), dag.root(0), {dag.Layer(0)}}, Range::All(), dag.functions(), nullptr);
  cursor.SeekToFirst();
  dag.Put(0, "1001", "new");
  dag.EraseRange(0, Range::Prefix("13"));
  dag.Clone(0, "11", 0, "10");
  dag.FlushAll(0);
  while (dag.ReclaimOne()) {
  }
  for (int i = 1000; i < 1400; ++i, cursor.Next()) {
    REQUIRE(cursor.Valid());
    REQUIRE(cursor.Key() == std::to_string(i));
    REQUIRE(cursor.Value() == "old");
  }
  REQUIRE_FALSE(cursor.Valid());
}

TEST_CASE("a cursor says what went wrong, and works again after another seek", "[dag][cursor]") {
  dag::Shape shape;
  shape.node_size = Bytes{300};
  shape.basement_size = Bytes{100};
  DagHarness dag(shape, false);
  for (int i = 1000; i < 1400; ++i) dag.Put(0, std::to_string(i), "value");
  dag.FlushAll(0);
  dag::TreeCursor cursor({dag.table(), dag.root(0), {dag.Layer(0)}}, Range::All(), dag.functions(), nullptr);
  uint64_t good_reads = 0;
  uint64_t errors = 0;
  do {
    dag.source().FailAfter(good_reads++);
    cursor.SeekToFirst();
    while (cursor.Valid()) cursor.Next();
    errors += absl::IsUnavailable(cursor.status());
  } while (!cursor.status().ok());
  REQUIRE(errors > 10);
  dag.source().FailAfter(TestSource::kNever);
  cursor.SeekToLast();
  REQUIRE(cursor.Key() == "1399");
}

}  // namespace betr::test
