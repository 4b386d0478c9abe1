// SPDX-License-Identifier: Apache-2.0
// Closing a store of which something cannot be read any more: what was written is durable all the same.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "layout/superblock.h"
#include "store/borrowed_device.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr int kKeys = 3000;

std::string Key(int number) { return "key" + std::to_string(10000 + number); }

constexpr Bytes kLogSize = KiB(256);

enum class Worn : uint8_t {
  kError,
  kZeros,  // are read, of the superblocks, too, and nobody says so
  kShort,  // only the first half is read
};

// Fails every read behind the log from the nth on, once it is told to.
class WornDevice final : public ForwardingDevice {
 public:
  explicit WornDevice(BlockDevice& inner, Worn worn = Worn::kError) : ForwardingDevice(inner), worn_(worn) {}

  absl::Status Read(Bytes offset, std::span<char> into) override {
    const bool is_behind = offset >= layout::kLogOffset + kLogSize;
    const bool is_hit = is_behind || (worn_ == Worn::kZeros && offset < layout::kLogOffset);
    if (armed_ && is_hit && (reads_ += is_behind ? 1 : 0) >= failing_) {
      has_failed_ = true;
      return Fail(offset, into);
    }
    return ForwardingDevice::Read(offset, into);
  }

  void FailFrom(int nth) {
    armed_ = true;
    failing_ = nth;
  }
  bool HasFailed() const { return has_failed_; }

 private:
  absl::Status Fail(Bytes offset, std::span<char> into) {
    switch (worn_) {
      case Worn::kError:
        break;
      case Worn::kZeros:
        std::ranges::fill(into, '\0');
        return absl::OkStatus();
      case Worn::kShort:
        return ForwardingDevice::Read(offset, into.first(into.size() / 2));
    }
    return absl::UnavailableError("cannot be read");
  }

  const Worn worn_;
  bool armed_ = false;
  bool has_failed_ = false;
  int reads_ = 0;
  int failing_ = 0;
};

absl::StatusOr<std::unique_ptr<Store>> Open(BlockDevice& device, Bytes log_memory = {}) {
  StoreOptions options;
  options.log_memory = log_memory;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  options.cache_size = KiB(64);
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
}

void Format(MemoryDevice& memory) {
  FormatOptions format;
  format.node_size = KiB(4);
  format.basement_size = Bytes{512};
  format.fanout = 8;
  format.log_size = kLogSize;
  REQUIRE(Store::Format(memory, format).ok());
}

// What a crash leaves: clones, of which the log takes a part away.
PageMap CrashedImage(Random& random, Bytes log_memory, TreeId* tree) {
  MemoryDevice memory(MiB(64));
  Format(memory);
  {
    const auto store = *Open(memory, log_memory);
    *tree = *store->CreateTree("tree");
    for (int i = 0; i < kKeys; ++i) REQUIRE(store->Put(*tree, Key(i), random.String(200)).ok());
    REQUIRE(store->ClonePrefix(*tree, "key1", *tree, "copy").ok());
    REQUIRE(store->Close().ok());
  }
  const auto store = *Open(memory, log_memory);
  REQUIRE(store->EraseRange(*tree, {Bound::At(Key(100)), Bound::At(Key(2000))}).ok());
  REQUIRE(store->EraseRange(*tree, Range::Prefix("copy")).ok());
  REQUIRE(store->Sync().ok());
  return memory.Pages();
}

TEST_CASE("closing makes durable what was written, though nodes cannot be read", "[store]") {
  Random random(TestSeed());
  TreeId tree;
  // With the second, the last checkpoint is the first that cannot read something.
  const Bytes log_memory = GENERATE(Bytes{0}, KiB(64) / 3);
  const PageMap image = CrashedImage(random, log_memory, &tree);
  int failed = 0;
  bool reads_more = true;
  for (int nth = 1; reads_more; ++nth) {
    INFO("read " << nth << " of the end");
    MemoryDevice memory(MiB(64), image);
    WornDevice device(memory);
    absl::Status closed;
    {
      const auto store = *Open(device, log_memory);
      REQUIRE(store->Put(tree, "new", "value").ok());
      device.FailFrom(nth);
      closed = store->Close();
      failed += closed.ok() ? 0 : 1;
      reads_more = device.HasFailed();
    }
    INFO(closed);
    const auto store = Open(memory);
    INFO(store.status());
    REQUIRE(store.ok());
    CHECK((*store)->Get(tree, "new").value() == "value");
    CHECK((*store)->Get(tree, Key(99)).value().has_value());
    CHECK_FALSE((*store)->Get(tree, Key(100)).value().has_value());
  }
  CHECK(failed > 0);
}

TEST_CASE("what a device reads wrong for a while is not taken for lost", "[store]") {
  Random random(TestSeed());
  TreeId tree;
  const PageMap image = CrashedImage(random, {}, &tree);
  const Worn worn = GENERATE(Worn::kZeros, Worn::kShort);
  int failed = 0;
  bool reads_more = true;
  for (int nth = 1; reads_more; nth += 1 + nth / 4) {
    INFO("from read " << nth << " of the end on");
    MemoryDevice memory(MiB(64), image);
    WornDevice device(memory, worn);
    {
      const auto store = *Open(device);
      REQUIRE(store->Put(tree, "new", "value").ok());
      device.FailFrom(nth);
      failed += store->Close().ok() ? 0 : 1;
      reads_more = device.HasFailed();
    }
    const auto store = Open(memory);
    INFO(store.status());
    REQUIRE(store.ok());
    CHECK((*store)->Get(tree, "new").value() == "value");
    for (int i = 0; i < kKeys; ++i) {
      const auto value = (*store)->Get(tree, Key(i));
      REQUIRE(value.ok());
      REQUIRE(value->has_value() == (i < 100 || i >= 2000));
    }
  }
  CHECK(failed > 0);
}

}  // namespace
}  // namespace betr::test
