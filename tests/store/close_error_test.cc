// SPDX-License-Identifier: Apache-2.0
// Closing a store of which something cannot be read any more: what was written is durable all the same.
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

// Fails every read behind the log from the nth on, once it is told to.
class WornDevice final : public ForwardingDevice {
 public:
  explicit WornDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  absl::Status Read(Bytes offset, std::span<char> into) override {
    if (armed_ && offset >= layout::kLogOffset + kLogSize && ++reads_ >= failing_) {
      has_failed_ = true;
      return absl::UnavailableError("cannot be read");
    }
    return ForwardingDevice::Read(offset, into);
  }

  void FailFrom(int nth) {
    armed_ = true;
    failing_ = nth;
  }
  bool HasFailed() const { return has_failed_; }

 private:
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

}  // namespace
}  // namespace betr::test
