// SPDX-License-Identifier: Apache-2.0
// A system may take what it could not write for written: after a failed flush its memory shows it, later flushes say
// that all is well, and a loss of power takes it back (Rebello et al., "Can Applications Recover from fsync Failures?",
// ATC 2020). What the next process syncs must survive that all the same.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/status.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/check_store.h"
#include "support/seed.h"

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
      if (!fails) {
        BETR_RETURN_IF_ERROR(disk_.Write(Bytes{offset}, block));
      }
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
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = KiB(256);
    REQUIRE(Store::Format(memory, format).ok());
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
    for (int i = 0; i < 3; ++i) {
      CHECK((*store)->Get(tree, "new" + std::to_string(i)).value() == "value");
    }
    REQUIRE((*store)->Close().ok());
    CHECK(store::CheckImage(disk, MiB(4)).value().empty());
  }
}

}  // namespace
}  // namespace betr::test
