// SPDX-License-Identifier: Apache-2.0
// A store that is full: every kind of change is refused cleanly; checkpoints, syncs and deletes go on; and what is
// deleted comes back, every time.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "device/memory_device.h"
#include "layout/format_options.h"
#include "support/seed.h"
#include "support/torture/full_store.h"

namespace betr::test {
namespace {

const FullShape kShapes[] = {
    {MiB(2), Bytes{512}, 100},
    {MiB(3), KiB(4), 300},
    {MiB(8), KiB(64), 1000, "lz4"},
    {MiB(24), KiB(256), 20'000},
};

// So many that their erases need more than what is kept for erases, if nothing comes free meanwhile.
const FullShape kManyKeys{MiB(2), Bytes{512}, 8};

std::string Describe(const FullShape& shape, FillKind kind, bool background, int cycle) {
  return fmt::format("device {}, node {}, value {}, {}{}, cycle {}", shape.device.value, shape.node.value, shape.value,
                     NameOf(kind), background ? " beside threads" : "", cycle);
}

// Table pages and the catalog come and go; in a small image two nodes more or less are much. Beside threads
// it depends on what they are at: what they make anew keeps its old space, too, up to the next checkpoint.
void RequireSame(Bytes now, Bytes before, Bytes total, Bytes node, bool background) {
  INFO(now.value << " bytes free, " << before.value << " before, of " << total.value);
  REQUIRE(now + std::max(total / 32, node * (background ? 4 : 2)) >= before);
}

void FillAndDelete(const FullShape& shape, FillKind kind, bool background, int cycles) {
  FullStore full(shape, background);
  Bytes free{0};
  for (int cycle = 0; cycle < cycles; ++cycle) {
    INFO(Describe(shape, kind, background, cycle));
    REQUIRE(full.Fill(kind, "f") > 20);
    full.RequireLife();
    // Keys that clones share need copies to be erased one by one; they go by ranges.
    if (cycle % 2 == 1 && kind != FillKind::kClone) {
      // So do those of snapshots; beside threads it depends on their progress how much the last one shares.
      if (background) full.DropTrees();
      full.EraseKeys("f");
      full.RequireLife();
    }
    full.EraseAll("f");
    full.DropTrees();
    const Bytes now = full.FreeAfterClosing();
    const Bytes total = full.store().Space().total;
    if (cycle == 0) {
      free = now;
      REQUIRE(free > total * 3 / 4);
    }
    RequireSame(now, free, total, shape.node, background);
  }
}

// Without closing in between.
void FillAgain(const FullShape& shape, FillKind kind, bool background) {
  FullStore full(shape, background);
  const size_t first = full.Fill(kind, "f");
  for (int cycle = 0; cycle < 3; ++cycle) {
    INFO(Describe(shape, kind, background, cycle));
    full.EraseAll("f");
    full.DropTrees();
    const size_t again = full.Fill(kind, "f");
    INFO(first << " changes the first time, " << again << " again");
    // With nodes of less than a unit, how much of a unit is used depends on chance; with clones, how much is shared;
    // beside threads, how far they have come.
    const size_t eighths = kind == FillKind::kClone || background ? 1 : shape.node < KiB(4) ? 2 : 6;
    REQUIRE(again > first * eighths / 8);
    full.RequireLife();
  }
}

// One of several that fill a store, each below a prefix of its own; then it makes a little room, and syncs.
struct Filler {
  FillKind kind = FillKind::kPut;
  std::string prefix;
  size_t accepted = 0;
  absl::Status end;

  void Run(FullStore& full) {
    for (;; ++accepted) {
      end = full.Change(kind, prefix, accepted);
      if (!end.ok()) break;
    }
    const absl::Status erased = full.store().EraseRange(full.tree(), Range::Prefix(prefix + "0"));
    const absl::Status synced = full.store().Sync();
    end = !erased.ok() ? erased : !synced.ok() ? synced : end;
  }
};

// One who sees all that there is, for some time; and then all that there is then.
class Reader {
 public:
  explicit Reader(const Store& store) : thread_([this, &store] { Run(store); }) {}
  ~Reader() {
    stopped_ = true;
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  void Run(const Store& store) const {
    while (!stopped_) {
      const std::shared_ptr<const ReadView> view = store.Pin();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

int Cycles() { return static_cast<int>(2 * TestScale()) + 1; }

}  // namespace

TEST_CASE("a full store refuses changes and takes deletes, and space comes back", "[torture][full]") {
  for (const FullShape& shape : kShapes) {
    for (const FillKind kind : kFillKinds) FillAndDelete(shape, kind, false, Cycles());
  }
}

TEST_CASE("the same beside background threads", "[torture][full]") {
  for (const FullShape& shape : kShapes) {
    for (const FillKind kind : kFillKinds) FillAndDelete(shape, kind, true, Cycles());
  }
}

TEST_CASE("what was deleted can be written again at once", "[torture][full]") {
  for (const FullShape& shape : kShapes) {
    for (const FillKind kind : kFillKinds) {
      FillAgain(shape, kind, false);
      FillAgain(shape, kind, true);
    }
  }
}

TEST_CASE("new trees fill a store, and can be dropped", "[torture][full]") {
  for (const bool background : {false, true}) {
    FillAndDelete(kShapes[0], FillKind::kTree, background, Cycles());
    FillAndDelete(kShapes[1], FillKind::kTree, background, Cycles());
    FillAgain(kShapes[0], FillKind::kTree, background);
  }
}

TEST_CASE("several threads fill a store and delete from it", "[torture][full]") {
  for (const FullShape& shape : kShapes) {
    FullStore full(shape, true);
    for (int cycle = 0; cycle < Cycles(); ++cycle) {
      std::vector<Filler> fillers(4);
      std::vector<std::thread> threads;
      for (size_t i = 0; i < fillers.size(); ++i) {
        constexpr FillKind kKinds[] = {FillKind::kPut, FillKind::kRename, FillKind::kUpsert};
        fillers[i].kind = kKinds[(i + static_cast<size_t>(cycle)) % 3];
        fillers[i].prefix = fmt::format("f{}", i);
        threads.emplace_back([&, i] { fillers[i].Run(full); });
      }
      for (std::thread& thread : threads) thread.join();
      for (const Filler& filler : fillers) {
        INFO(Describe(shape, filler.kind, true, cycle) << ": " << filler.end);
        REQUIRE(absl::IsResourceExhausted(filler.end));
        for (size_t number = 0; number < filler.accepted; ++number) full.Accept(filler.kind, filler.prefix, number);
        full.EraseAll(filler.prefix + "0");  // known now
      }
      full.RequireLife();
      full.EraseAll("f");
      REQUIRE(full.FreeAfterClosing() > full.store().Space().total * 3 / 4);
    }
  }
}

TEST_CASE("the smallest images take deletes when they are full", "[torture][full]") {
  constexpr struct {
    Bytes node;
    size_t value;
  } kSmallest[] = {{Bytes{512}, 100}, {Bytes{512}, 1000}, {KiB(4), 300}, {KiB(64), 1000}, {KiB(256), 20'000}};
  for (const auto& [node, value] : kSmallest) {
    for (const FillKind kind : kFillKinds) {
      const FullShape shape{layout::MinDeviceSize(node, kFullLog), node, value};
      FillAndDelete(shape, kind, false, Cycles());
      FillAndDelete(shape, kind, true, Cycles());
    }
  }
}

// How far the threads have come differs each time: what they leave to be moved on when space is short, and how large a
// root becomes by that.
TEST_CASE("what makes room for a delete leaves room for the delete", "[torture][full]") {
  const FullShape shape{layout::MinDeviceSize(KiB(64), kFullLog), KiB(64), 1000};
  for (int i = 0; i < 40; ++i) FillAndDelete(shape, FillKind::kClone, true, Cycles());
}

TEST_CASE("deletes wait for those who read, on a full store", "[torture][full]") {
  for (const FullShape& shape : {kShapes[0], kShapes[1], kShapes[2], kManyKeys}) {
    for (const bool background : {false, true}) {
      FullStore full(shape, background);
      REQUIRE(full.Fill(FillKind::kPut, "f") > 20);
      INFO(Describe(shape, FillKind::kPut, background, 0));
      const Reader reader(full.store());
      full.EraseKeys("f");
      full.RequireLife();
    }
  }
}

// Which of them is refused, if any, depends on how far work has come that gives space back.
TEST_CASE("a delete does not wait for ever", "[torture][full]") {
  FullStore full(kManyKeys, false);
  full.Fill(FillKind::kPut, "f");
  std::shared_ptr<const ReadView> view = full.store().Pin();
  absl::Status erased;
  for (const std::string& key : full.ShuffledKeys("f")) {
    erased = full.store().Erase(full.tree(), key);
    if (!erased.ok()) break;
    full.Forget(key);
  }
  INFO(erased);
  REQUIRE((erased.ok() || absl::IsResourceExhausted(erased)));
  view.reset();
  full.EraseKeys("f");
  full.RequireLife();
}

// What is not there cannot be kept from deletes.
TEST_CASE("a reserve that is given to a full store keeps nobody from deleting", "[torture][full]") {
  const FullShape shapes[] = {
      {MiB(64), KiB(4), 20'000, "none", BasisPoints{1}},
      {MiB(128), KiB(64), 50'000, "none", BasisPoints{1}},
  };
  for (const FullShape& shape : shapes) {
    for (const bool background : {false, true}) {
      INFO(Describe(shape, FillKind::kPut, background, 0));
      FullStore full(shape, background);
      REQUIRE(full.Fill(FillKind::kPut, "f") > 20);
      full.Keep(BasisPoints{5000});
      REQUIRE(full.store().Space().free < full.store().Space().reserve / 8);
      full.EraseKeys("f");
      full.RequireLife();
      full.EraseAll("f");
      const Bytes free = full.FreeAfterClosing();
      INFO(free.value << " bytes are free");
      REQUIRE(free > full.store().Space().total * 3 / 4);
      REQUIRE(full.Fill(FillKind::kPut, "f") > 20);
      REQUIRE(full.store().Space().free >= full.store().Space().reserve * 9 / 10);
    }
  }
}

TEST_CASE("with the least reserve what was erased can be written again at once", "[torture][full]") {
  const FullShape shape{MiB(64), KiB(64), 3'000, "none", BasisPoints{1}};
  for (const bool background : {false, true}) {
    INFO(Describe(shape, FillKind::kPut, background, 0));
    FullStore full(shape, background);
    const size_t before = full.Fill(FillKind::kPut, "f");
    full.EraseKeys("f");
    const size_t again = full.Fill(FillKind::kPut, "g");
    INFO(again << " of " << before);
    REQUIRE(again > before / 2);
    full.RequireLife();
  }
}

// So many nodes that what a checkpoint needs and what erases become is more than is left of the reserve: writers have
// the erases moved all the same.
TEST_CASE("a store of many small nodes that was emptied key by key takes writes", "[torture][full]") {
  for (const bool background : {false, true}) {
    const FullShape shape{MiB(64), KiB(4), 1'500};
    INFO(Describe(shape, FillKind::kPut, background, 0));
    FullStore full(shape, background);
    Random random(TestSeed());
    const auto put = [&](size_t number) {
      WriteBatch batch;
      batch.Put(full.tree(), fmt::format("{:08}", number), random.String(shape.value));
      const absl::Status status = full.Write(batch);
      REQUIRE((status.ok() || absl::IsResourceExhausted(status)));
      return status.ok();
    };
    size_t count = 0;
    while (put(count)) ++count;
    REQUIRE(count > 10'000);
    for (size_t number = 0; number < count; ++number) {
      WriteBatch batch;
      batch.Erase(full.tree(), fmt::format("{:08}", number));
      RequireOk(full.Write(batch), "erase");
    }
    int tries = 1;
    while (!put(0) && tries < 100) ++tries;
    INFO(tries << " tries");
    REQUIRE(tries < 100);
    full.RequireLife();
  }
}

// Writers find no room while half of the space is free: it is short all the same.
TEST_CASE("with a large reserve space comes back at the end, too", "[torture][full]") {
  for (const bool background : {false, true}) {
    const FullShape shape{MiB(64), KiB(4), 20'000, "none", BasisPoints{5000}};
    INFO(Describe(shape, FillKind::kPut, background, 0));
    FullStore full(shape, background);
    REQUIRE(full.Fill(FillKind::kPut, "f") > 20);
    full.EraseKeys("f");
    const Bytes free = full.FreeAfterClosing();
    INFO(free.value << " bytes are free");
    REQUIRE(free > full.store().Space().total * 3 / 4);
  }
}

TEST_CASE("a store that is too small is not made", "[torture][full]") {
  FormatOptions format;
  format.log_size = kFullLog;
  for (const Bytes node : {Bytes{512}, KiB(64), MiB(4)}) {
    format.node_size = node;
    format.basement_size = Bytes{512};
    const Bytes least = layout::MinDeviceSize(node, kFullLog);
    MemoryDevice enough(least);
    CHECK(Store::Format(enough, format).ok());
    MemoryDevice little(least - KiB(4));
    const absl::Status refused = Store::Format(little, format);
    CHECK(absl::IsInvalidArgument(refused));
    CHECK(std::string(refused.message()).find(fmt::format("({} bytes)", least.value)) != std::string::npos);
  }
}

TEST_CASE("ten thousand times full and empty again", "[torture][full][.long]") {
  const auto times = [](int count) { return static_cast<int>(count * TestScale()); };
  FillAndDelete({MiB(2), Bytes{512}, 1000}, FillKind::kPut, false, times(8'000));
  for (const FillKind kind : kFillKinds) {
    FillAndDelete({MiB(2), KiB(4), 1000}, kind, false, times(200));
    FillAndDelete({MiB(2), KiB(4), 1000}, kind, true, times(200));
  }
}

}  // namespace betr::test
