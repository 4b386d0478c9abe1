// SPDX-License-Identifier: Apache-2.0
// A system may take what it could not write for written: after a failed flush its memory shows it, later flushes say
// that all is well, and a loss of power takes it back (Rebello et al., "Can Applications Recover from fsync Failures?",
// ATC 2020). What the next process syncs must survive that all the same.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/random.h"
#include "base/status.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "layout/superblock.h"
#include "store/borrowed_device.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

// A disk behind such a system's memory.
class ForgetfulSystem final : public ForwardingDevice {
 public:
  explicit ForgetfulSystem(MemoryDevice& memory) : ForwardingDevice(memory), disk_(memory.Size(), memory.Pages()) {}

  absl::Status Write(Bytes offset, std::string_view data) override {
    for (size_t at = 0; at < data.size(); at += kBlockSize.value) {
      dirty_[offset.value + at] = std::string(data.substr(at, kBlockSize.value));
    }
    return ForwardingDevice::Write(offset, data);
  }

  absl::Status Flush() override {
    const bool fails = failing_flush_ > 0 && --failing_flush_ == 0;
    for (const auto& [offset, block] : dirty_) {
      if (!fails) BETR_RETURN_IF_ERROR(disk_.Write(Bytes{offset}, block));
    }
    dirty_.clear();
    return fails ? absl::UnavailableError("flush failed") : absl::OkStatus();
  }

  // The nth from now on.
  void FailFlush(int nth) { failing_flush_ = nth; }
  bool HasFailed() const { return failing_flush_ == 0; }
  // What a loss of power leaves.
  PageMap Disk() const { return disk_.Pages(); }

 private:
  MemoryDevice disk_;
  std::map<uint64_t, std::string> dirty_;  // by offset
  int failing_flush_ = 0;
};

void FormatTiny(MemoryDevice& memory) {
  FormatOptions format;
  format.node_size = KiB(4);
  format.basement_size = Bytes{512};
  format.fanout = 8;
  format.log_size = KiB(256);
  REQUIRE(Store::Format(memory, format).ok());
}

absl::StatusOr<std::unique_ptr<Store>> Open(BlockDevice& device) {
  StoreOptions options;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
}

// Puts some, syncs or makes checkpoints now and then, until something fails.
void WorkUntilFailure(Store& store, TreeId tree, Random& random) {
  absl::Status status;
  for (int i = 0; status.ok() && i < 1000; ++i) {
    status = store.Put(tree, "old" + std::to_string(random.Uniform(50)), random.String(random.Uniform(3000)));
    if (status.ok() && random.OneIn(3)) status = random.OneIn(4) ? store.Checkpoint() : store.Sync();
  }
  REQUIRE_FALSE(status.ok());
}

TEST_CASE("what is synced after another process's flush has failed survives a loss of power", "[store][crash]") {
  Random random(TestSeed());
  for (int round = 0; round < 40; ++round) {
    INFO("round " << round);
    MemoryDevice memory(MiB(4));
    FormatTiny(memory);
    ForgetfulSystem system(memory);
    TreeId tree;
    {
      const std::unique_ptr<Store> store = *Open(system);
      tree = *store->CreateTree("tree");
      REQUIRE(store->Sync().ok());
      system.FailFlush(1 + static_cast<int>(random.Uniform(30)));
      WorkUntilFailure(*store, tree, random);
    }
    REQUIRE(system.HasFailed());
    {
      const std::unique_ptr<Store> store = *Open(system);
      for (int i = 0; i < 3; ++i) {
        REQUIRE(store->Put(tree, "new" + std::to_string(i), "value").ok());
        REQUIRE(store->Sync().ok());
      }
    }
    MemoryDevice disk(memory.Size(), system.Disk());
    const auto store = Open(disk);
    INFO(store.status());
    REQUIRE(store.ok());
    for (int i = 0; i < 3; ++i) CHECK((*store)->Get(tree, "new" + std::to_string(i)).value() == "value");
    REQUIRE((*store)->Close().ok());
    CHECK(CheckImage(disk, MiB(4)).value().empty());
  }
}

TEST_CASE("what is synced after a clean end whose last flushes have failed survives a loss of power",
          "[store][crash]") {
  for (int nth = 1; nth <= 6; ++nth) {
    INFO("flush " << nth << " of the end");
    MemoryDevice memory(MiB(4));
    FormatTiny(memory);
    ForgetfulSystem system(memory);
    TreeId tree;
    {
      const std::unique_ptr<Store> store = *Open(system);
      tree = *store->CreateTree("tree");
      REQUIRE(store->Put(tree, "old", "value").ok());
      REQUIRE(store->Sync().ok());
      system.FailFlush(nth);
      store->Close().IgnoreError();
      system.FailFlush(0);  // it may have needed fewer
    }
    {
      const std::unique_ptr<Store> store = *Open(system);
      REQUIRE(store->Put(tree, "new", "value").ok());
      REQUIRE(store->Sync().ok());
    }
    MemoryDevice disk(memory.Size(), system.Disk());
    const auto store = Open(disk);
    INFO(store.status());
    REQUIRE(store.ok());
    CHECK((*store)->Get(tree, "old").value() == "value");
    CHECK((*store)->Get(tree, "new").value() == "value");
  }
}

// Of which each write arrives, and flushes fail from the first one after a superblock on.
class DoubtfulDevice final : public ForwardingDevice {
 public:
  explicit DoubtfulDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  absl::Status Write(Bytes offset, std::string_view data) override {
    if (armed_ && offset < layout::kLogOffset) has_superblock_ = true;
    return ForwardingDevice::Write(offset, data);
  }
  absl::Status Flush() override {
    if (!has_superblock_) return ForwardingDevice::Flush();
    // Others go on while a disk is busy.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return absl::UnavailableError("flush failed");
  }
  void FailAfterSuperblock() { armed_ = true; }

 private:
  std::atomic<bool> armed_{false};
  std::atomic<bool> has_superblock_{false};
};

TEST_CASE("threads keep what a superblock names that nobody knows to be durable", "[store][crash][threads]") {
  constexpr int kKeys = 2000;
  const auto key = [](uint64_t number) { return "key" + std::to_string(number); };
  for (int round = 0; round < 10; ++round) {
    INFO("round " << round);
    MemoryDevice memory(MiB(8));
    FormatOptions format;
    format.node_size = KiB(16);
    format.basement_size = KiB(4);
    format.fanout = 8;
    format.log_size = MiB(1);
    format.compression = "none";
    REQUIRE(Store::Format(memory, format).ok());
    DoubtfulDevice device(memory);
    StoreOptions options;
    options.checkpoint_period = std::chrono::seconds(0);
    options.cache_size = KiB(512);
    TreeId tree;
    {
      const auto store = *Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
      tree = *store->CreateTree("tree");
      Random random(TestSeed() + static_cast<uint64_t>(round));
      for (int i = 0; i < kKeys; ++i) REQUIRE(store->Put(tree, key(i), random.String(500)).ok());
      REQUIRE(store->Checkpoint().ok());
      std::thread writer([&store, &key, tree, seed = random.Next()] {
        Random own(seed);
        while (store->Put(tree, key(own.Uniform(kKeys)), own.String(500)).ok()) {
        }
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      device.FailAfterSuperblock();
      store->Checkpoint().IgnoreError();  // ok if one that began later was done before
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      writer.join();
      CHECK_FALSE(store->Checkpoint().ok());
    }
    MemoryDevice disk(memory.Size(), memory.Pages());
    const auto store = Open(disk);
    INFO(store.status());
    REQUIRE(store.ok());
    for (int i = 0; i < kKeys; ++i) {
      const auto value = (*store)->Get(tree, key(i));
      INFO(key(i) << ": " << value.status());
      REQUIRE(value.ok());
      REQUIRE(value->has_value());
    }
  }
}

}  // namespace
}  // namespace betr::test
