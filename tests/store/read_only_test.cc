// SPDX-License-Identifier: Apache-2.0
// A store becomes read-only with the first write or flush that fails, whoever does it, though the device is well again
// at once: nobody knows what of all that was written before has reached storage.
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "betr/store.h"
#include "device/fault_device.h"
#include "device/memory_device.h"
#include "device/recording_device.h"
#include "store/borrowed_device.h"
#include "support/device/hook_device.h"
#include "support/must.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

std::string Key(int number) { return "key" + std::to_string(10000 + number); }

class Fixture {
 public:
  Fixture() {
    FormatOptions format = SmallFormat();
    format.log_size = MiB(1);
    Must(Store::Format(memory_, format));
    StoreOptions options;
    options.background = false;
    options.cache_size = KiB(256);
    options.checkpoint_period = std::chrono::seconds(0);
    store_ = Must(Store::Open(std::make_unique<store::BorrowedDevice>(hooked_), options));
    tree_ = Must(store_->CreateTree("t"));
    Must(store_->Put(tree_, Key(0), "value"));
    Must(store_->Checkpoint());
  }

  void FailNext(Fault::On on) { device_.Arm({on, 1}); }
  bool HasFailed() const { return device_.Hits() > 0; }
  // Is done once, before the next write of the device.
  void BeforeNextWrite(std::function<void()> act) { before_write_ = std::move(act); }

  void CheckReadOnly() {
    CHECK(HasFailed());
    CHECK(store_->ReadOnly());
    CHECK_FALSE(store_->Put(tree_, "more", "value").ok());
    CHECK_FALSE(store_->Sync().ok());
    CHECK_FALSE(store_->Checkpoint().ok());
    CHECK(Must(store_->Get(tree_, Key(0))) == "value");
    CHECK_FALSE(Must(store_->Get(tree_, "more")).has_value());
  }

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }

 private:
  absl::Status OnWrite() {
    if (const auto act = std::exchange(before_write_, nullptr)) act();
    return absl::OkStatus();
  }

  MemoryDevice memory_{MiB(16)};
  FaultDevice device_{memory_};
  HookDevice hooked_{device_, nullptr, [this] { return OnWrite(); }};
  std::function<void()> before_write_;
  std::unique_ptr<Store> store_;
  TreeId tree_;
};

}  // namespace

TEST_CASE("a failed sync or checkpoint makes the store read-only", "[store]") {
  Fixture fixture;
  const Fault::On on = GENERATE(Fault::On::kWrite, Fault::On::kFlush);
  const bool syncs = GENERATE(true, false);
  Must(fixture.store().Put(fixture.tree(), Key(1), "value"));
  fixture.FailNext(on);
  CHECK_FALSE((syncs ? fixture.store().Sync() : fixture.store().Checkpoint()).ok());
  fixture.CheckReadOnly();
}

TEST_CASE("a write that fails after a batch makes the store read-only, and the batch has happened", "[store]") {
  Fixture fixture;
  fixture.FailNext(Fault::On::kWrite);
  int last = 0;
  while (!fixture.HasFailed()) {
    Must(fixture.store().Put(fixture.tree(), Key(++last), std::string(500, 'v')));
    REQUIRE(last < 10'000);
  }
  CHECK(Must(fixture.store().Get(fixture.tree(), Key(last))).has_value());
  fixture.CheckReadOnly();
}

TEST_CASE("a checkpoint does not trust its flush where another one has failed meanwhile", "[store]") {
  Fixture fixture;
  Must(fixture.store().Put(fixture.tree(), Key(1), "value"));
  fixture.BeforeNextWrite([&] {
    Must(fixture.store().Put(fixture.tree(), Key(2), "value"));
    fixture.FailNext(Fault::On::kFlush);
    CHECK_FALSE(fixture.store().Sync().ok());
  });
  CHECK_FALSE(fixture.store().Checkpoint().ok());
  fixture.CheckReadOnly();
}

TEST_CASE("what is formatted, or closed, is flushed", "[store]") {
  MemoryDevice memory(MiB(4));
  RecordingDevice device(memory);
  const auto is_flushed = [&] { return device.History().Unflushed(device.History().EventCount()).empty(); };
  Must(Store::Format(device, SmallFormat()));
  CHECK(is_flushed());
  const auto store = OpenOn(device);
  Must(store->Put(Must(store->CreateTree("t")), "key", "value"));
  Must(store->Close());
  CHECK(is_flushed());
}

}  // namespace betr::test
