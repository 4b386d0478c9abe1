// SPDX-License-Identifier: Apache-2.0
// Generations of a directory, each a clone of the one before and changed a little, of which the last few are kept: that
// is how backups rotate. However many there were, the tree is as tall as what it holds explains.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr int kKept = 10;
constexpr int kKeys = 8'000;  // of a generation: some 1 MiB

class Generations {
 public:
  explicit Generations(StoreOptions options) : options_(std::move(options)) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = KiB(1);
    format.log_size = MiB(8);
    format.compression = "none";
    REQUIRE(Store::Format(device_, format).ok());
    Open();
    tree_ = store_->CreateTree("t").value();
    Fill("a0/");
    Fill("z/");
    REQUIRE(store_->Checkpoint().ok());
  }

  void Open() {
    auto store = Store::Open(std::make_unique<store::BorrowedDevice>(device_), options_);
    INFO(store.status());
    REQUIRE(store.ok());
    store_ = *std::move(store);
  }

  void Close() {
    REQUIRE(store_->Close().ok());
    store_.reset();
    REQUIRE(CheckImage(device_, MiB(16)).value().empty());
  }

  void Rotate() {
    const std::string from = fmt::format("a{}/", last_);
    const std::string to = fmt::format("a{}/", ++last_);
    const absl::Status cloned = store_->ClonePrefix(tree_, from, tree_, to);
    INFO("generation " << last_ << ": " << cloned);
    REQUIRE(cloned.ok());
    for (int i = 0; i < 5; ++i) {
      REQUIRE(store_->Put(tree_, to + Key(random_.Uniform(kKeys)), fmt::format("changed in {}", last_)).ok());
    }
    if (last_ >= kKept) REQUIRE(store_->EraseRange(tree_, Range::Prefix(fmt::format("a{}/", last_ - kKept))).ok());
    tallest_ = std::max(tallest_, Height());
  }

  int Height() const {
    const store::StatePtr state = store_->impl().fronts().state();
    return state->table.Find(state->trees.Find(tree_)->root)->height;
  }
  int tallest() const { return tallest_; }
  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }

 private:
  static std::string Key(uint64_t i) { return fmt::format("{:012}", i); }

  void Fill(const std::string& prefix) {
    for (uint64_t i = 0; i < kKeys; ++i) REQUIRE(store_->Put(tree_, prefix + Key(i), std::string(120, 'v')).ok());
  }

  StoreOptions options_;
  MemoryDevice device_{MiB(128)};
  std::unique_ptr<Store> store_;
  TreeId tree_;
  Random random_{TestSeed()};
  int last_ = 0;
  int tallest_ = 0;
};

StoreOptions SmallCache(bool background) {
  StoreOptions options;
  options.cache_size = KiB(512);
  options.background = background;
  options.checkpoint_period = std::chrono::seconds(background ? 1 : 0);
  return options;
}

}  // namespace

TEST_CASE("generations that rotate do not make a tree taller, whatever is in memory", "[store]") {
  Generations generations(SmallCache(false));
  for (int i = 0; i < 400; ++i) generations.Rotate();
  CHECK(generations.tallest() <= 10);
  generations.Close();
}

TEST_CASE("generations that rotate do not make a tree tall that the background cannot keep low", "[store]") {
  Generations generations(SmallCache(true));
  for (int i = 0; i < 400; ++i) generations.Rotate();
  CHECK(generations.tallest() <= 30);
  for (int i = 0; i < 100 && generations.Height() > 8; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(generations.Height() <= 8);
  generations.Close();
}

}  // namespace betr::test
