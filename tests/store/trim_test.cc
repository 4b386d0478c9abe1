// SPDX-License-Identifier: Apache-2.0
// Free space that is given back to the storage: all of it, nothing else, and in nobody's way.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "device/counting_device.h"
#include "device/fault_device.h"
#include "device/forwarding_device.h"
#include "device/recording_device.h"
#include "store/borrowed_device.h"
#include "store/headroom.h"
#include "store/impl.h"
#include "store/offline/trim_image.h"
#include "support/device/hook_device.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr MemoryStore::Sizes kSizes{.device = MiB(64), .node = KiB(16), .basement = KiB(2), .log = MiB(1)};

std::string Noise(Random& random) {
  std::string value(1000, '\0');
  for (char& c : value) c = static_cast<char>(random.Uniform(256));
  return value;
}

std::string Key(int number) { return "key" + std::to_string(100'000 + number); }

void Fill(Store& store, TreeId tree, int count) {
  Random random(1);
  for (int i = 0; i < count; ++i) Must(store.Put(tree, Key(i), Noise(random)));
}

// Every `step`th key that Fill has put.
void CheckFilled(const Store& store, TreeId tree, int count, int step = 1) {
  Random random(1);
  for (int i = 0; i < count; ++i) {
    const std::string value = Noise(random);
    if (i % step == 0) REQUIRE(Must(store.Get(tree, Key(i))) == value);
  }
}

Bytes Free(const Store& store) { return store.Space().free; }

Bytes OnHost(const std::string& path) {
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  return Bytes{512} * static_cast<uint64_t>(found.st_blocks);
}

TEST_CASE("what is trimmed is the free space, and nothing of what is stored", "[store][trim]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  Fill(*fixture.store, tree, 20'000);
  Must(fixture.store->EraseRange(tree, Range::Prefix("key1100")));
  fixture.Close();
  fixture.Open({});
  CountingDevice counted(fixture.device());
  fixture.store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(counted), {}));
  Store& store = *fixture.store;
  Must(store.Checkpoint());
  const Bytes free = Free(store);
  const Bytes trimmed = Must(store.Trim());
  CHECK(trimmed == counted.Stats().discarded_bytes);
  CHECK(trimmed <= free);
  CHECK(trimmed + MiB(2) > free);
  CHECK(Free(store) == free);
  CHECK(Must(store.Trim({MiB(60), MiB(62), {}})) <= MiB(2));
  CHECK(Must(store.Trim({{}, {UINT64_MAX}, MiB(64)})) == Bytes{0});
  Must(store.Put(tree, "later", "value"));
  Must(store.Sync());
  fixture.Open({});  // without closing
  CHECK(Must(fixture.store->Get(tree, "later")) == "value");
  CHECK_FALSE(Must(fixture.store->Get(tree, "key110012")).has_value());
  Must(fixture.store->Erase(tree, "later"));
  CheckFilled(*fixture.store, tree, 10'000);
  fixture.CheckSound();
}

TEST_CASE("a file takes less space on the host when its image was trimmed", "[store][trim]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  FormatOptions format;
  format.log_size = MiB(1);
  Must(Store::CreateImage(path, MiB(256), format));
  TreeId tree;
  {
    const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
    tree = Must(store->CreateTree("tree"));
    Fill(*store, tree, 60'000);
    Must(store->Checkpoint());
    CHECK(Store::TrimImage(path).status().code() == absl::StatusCode::kFailedPrecondition);
    Must(store->EraseRange(tree, Range{Bound::At(Key(20'000)), Bound::Past("")}));
    Must(store->Close());
  }
  const Bytes before = OnHost(path);
  CHECK(before > MiB(60));
  CHECK(Must(Store::TrimImage(path)) > MiB(200));
  CHECK(OnHost(path) < MiB(32));
  const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
  CheckFilled(*store, tree, 20'000);
  Fill(*store, tree, 60'000);
  CheckFilled(*store, tree, 60'000);
  // What was written over what is there becomes free with the next checkpoints.
  Must(store->Compact(tree));
  Must(store->Checkpoint());
  CHECK(Must(store->Trim()) > MiB(100));
  CHECK(OnHost(path) < MiB(100));
  Must(store->Close());
}

TEST_CASE("after a crash an image is trimmed beside its log", "[store][trim]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  FormatOptions format;
  format.log_size = MiB(16);
  format.node_size = KiB(64);
  Must(Store::CreateImage(path, MiB(64), format));
  TreeId tree;
  {
    StoreOptions options;
    options.checkpoint_period = std::chrono::seconds(0);
    const std::unique_ptr<Store> store = Must(Store::OpenImage(path, options));
    tree = Must(store->CreateTree("tree"));
    Fill(*store, tree, 3'000);
    Must(store->Sync());
  }
  CHECK(Must(Store::TrimImage(path)) > MiB(20));
  const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
  CheckFilled(*store, tree, 3'000);
}

// Its superblock may have been written and not flushed by who was killed: another crash would bring back the one
// before.
TEST_CASE("before an image is trimmed after a crash, what it is opened with is durable", "[store][trim]") {
  using Kind = WriteHistory::Kind;
  MemoryStore fixture(kSizes);
  fixture.Open({});
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  Fill(*fixture.store, tree, 1'000);
  const auto kinds_of_trimming = [&] {
    fixture.store.reset();
    RecordingDevice recorder(fixture.device());
    Must(store::TrimImage(recorder, {}));
    std::vector<Kind> kinds;
    for (size_t i = 0; i < recorder.History().EventCount(); ++i) kinds.push_back(recorder.History().GetEvent(i).kind);
    return kinds;
  };
  Must(fixture.store->Checkpoint());
  const std::vector<Kind> unclean = kinds_of_trimming();
  REQUIRE(unclean.size() > 2);
  CHECK(unclean[0] == Kind::kWrite);
  CHECK(unclean[1] == Kind::kFlush);
  CHECK(std::count(unclean.begin(), unclean.end(), Kind::kDiscard) == static_cast<ptrdiff_t>(unclean.size()) - 2);
  fixture.Open({});
  CheckFilled(*fixture.store, tree, 1'000);
  Must(fixture.store->Put(tree, "later", "value"));
  fixture.Close();
  // After a clean end the state before is the same.
  const std::vector<Kind> clean = kinds_of_trimming();
  CHECK(std::count(clean.begin(), clean.end(), Kind::kDiscard) == static_cast<ptrdiff_t>(clean.size()));
  fixture.Open({});
  CheckFilled(*fixture.store, tree, 1'000);
}

TEST_CASE("what may not be written to is not trimmed, and errors are told", "[store][trim]") {
  MemoryStore fixture(kSizes);
  fixture.Open({});
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  fixture.Close();
  StoreOptions read_only;
  read_only.read_only = true;
  fixture.Open(read_only);
  CHECK(fixture.store->Trim().status().code() == absl::StatusCode::kFailedPrecondition);
  fixture.store.reset();
  FaultDevice faults(fixture.device());
  const std::unique_ptr<Store> store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(faults), {}));
  Must(store->Checkpoint());
  faults.Arm({.on = Fault::On::kAny});
  CHECK(store->Trim().status().code() == absl::StatusCode::kUnavailable);
  Must(store->Trim());
  Must(store->Put(tree, "key", "value"));
  Must(store->Close());
  CHECK(store->Trim().status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(Store::TrimImage("/nowhere/at/all").status().code() == absl::StatusCode::kNotFound);
}

TEST_CASE("what was erased is trimmed though the store begins to give it back by itself", "[store][trim]") {
  MemoryStore fixture(kSizes);
  // While it is slow, the first write of each thread takes longer than it takes until the store begins.
  std::atomic<bool> is_slow = false;
  HookDevice device(fixture.device(), nullptr, [&] {
    thread_local bool has_written = false;
    if (is_slow && !std::exchange(has_written, true)) std::this_thread::sleep_for(std::chrono::seconds(1));
    return absl::OkStatus();
  });
  StoreOptions options;
  options.settle_time = std::chrono::hours(1);
  const auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), options));
  const TreeId tree = Must(store->CreateTree("tree"));
  Fill(*store, tree, 20'000);
  Must(store->Checkpoint());
  const Bytes free = Free(*store);
  Must(store->EraseRange(tree, Range::All()));
  Free(*store);  // who asks has it begin soon
  is_slow = true;
  const Bytes trimmed = Must(store->Trim());
  INFO(trimmed.value << " bytes, of which " << free.value << " were free before");
  CHECK(trimmed > free + MiB(15));
  is_slow = false;
  Must(store->Close());
}

// Does something before each discard.
class DiscardHook final : public ForwardingDevice {
 public:
  explicit DiscardHook(BlockDevice& inner) : ForwardingDevice(inner) {}

  absl::Status Discard(Bytes offset, Bytes length) override {
    if (on_discard) on_discard();
    return ForwardingDevice::Discard(offset, length);
  }

  std::function<void()> on_discard;
};

// What is free beside what is promised, the reserve, and what a checkpoint may need besides.
int64_t UnitsToSpare(const Store& store) {
  Store::Impl& impl = store.impl();
  const layout::SpaceFigures space = impl.core().space->Figures();
  const uint64_t kept = layout::UnitsFor(space.promised + impl.core().reserve) +
                        store::CheckpointUnits(impl.core(), impl.fronts(), *impl.fronts().state());
  return static_cast<int64_t>(layout::UnitsFor(space.free)) - static_cast<int64_t>(kept);
}

TEST_CASE("a store that trims keeps the space for a checkpoint, beside the reserve", "[store][trim]") {
  MemoryStore fixture({.device = MiB(16), .node = KiB(4), .basement = KiB(1), .log = MiB(1)});
  DiscardHook device(fixture.device());
  StoreOptions options;
  options.background = false;
  const auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), options));
  // Trees that a checkpoint will have to make new roots for.
  std::vector<TreeId> trees;
  for (int i = 0; i < 100; ++i) {
    trees.push_back(Must(store->CreateTree(Key(i))));
    Fill(*store, trees.back(), 2);
  }
  const TreeId filling = Must(store->CreateTree("filling"));
  for (int count = 0; UnitsToSpare(*store) > 200; count += 10) {
    Random random(TestSeed());
    for (int i = count; i < count + 10; ++i) Must(store->Put(filling, Key(i), Noise(random)));
    Must(store->Checkpoint());
  }
  bool is_first = true;
  int64_t least = INT64_MAX;
  device.on_discard = [&] {
    least = std::min(least, is_first ? 0 : UnitsToSpare(*store));
    if (!std::exchange(is_first, false)) return;
    for (size_t i = 0; UnitsToSpare(*store) >= 0; ++i) Must(store->Erase(trees.at(i), Key(0)));
  };
  Must(store->Trim());
  CHECK_FALSE(is_first);
  CHECK(least >= 0);
  device.on_discard = nullptr;
  Must(store->Checkpoint());
  Must(store->Close());
}

// How many entries a store takes, filled and emptied some times over; beside somebody who trims all the time, if
// wanted.
std::vector<int> Capacities(bool trims) {
  MemoryStore fixture(kSizes);
  StoreOptions options;
  options.cache_size = MiB(8);
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("tree"));
  std::atomic<bool> stops = false;
  std::atomic<int> trimmed = 0;
  std::thread trimmer([&] {
    while (trims && !stops) trimmed += store.Trim().ok() ? 1 : 0;
  });
  std::vector<int> capacities;
  Random random(TestSeed());
  for (int round = 0; round < 3; ++round) {
    int count = 0;
    absl::Status status;
    for (; status.ok(); ++count) status = store.Put(tree, Key(count), Noise(random));
    CHECK(absl::IsResourceExhausted(status));
    capacities.push_back(count);
    status = absl::OkStatus();
    for (int i = 0; i < count && status.ok(); i += 3) status = store.Erase(tree, Key(i));
    CHECK(status.ok());
    CHECK(store.EraseRange(tree, Range::All()).ok());
    CHECK(store.Compact(tree).ok());
    CHECK(store.Checkpoint().ok());
  }
  stops = true;
  trimmer.join();
  CHECK((trimmed > 0) == trims);
  fixture.CheckSound();
  return capacities;
}

TEST_CASE("writers find all the space that there is while others trim", "[store][trim]") {
  const std::vector<int> alone = Capacities(false);
  const std::vector<int> beside = Capacities(true);
  for (size_t round = 0; round < alone.size(); ++round) {
    INFO("round " << round << ": " << beside[round] << " entries instead of " << alone[round]);
    CHECK(beside[round] > alone[round] * 19 / 20);
  }
}

}  // namespace
}  // namespace betr::test
