// SPDX-License-Identifier: Apache-2.0
// A step of background work holds the structural writer's turn for a bounded number of reads, whatever is on disk and
// however many trees there are: clones and the end of a store wait for it. No step is made beside a writer who makes
// room.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "device/counting_device.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

StoreOptions WithoutThreads() {
  StoreOptions options;
  options.background = false;
  options.cache_size = MiB(1);
  return options;
}

struct Steps {
  uint64_t count = 0;
  uint64_t most_reads = 0;  // of one
  uint64_t reads = 0;
};

// A store that is opened anew, and all of its background work done as for a full one.
class Settling {
 public:
  explicit Settling(BlockDevice& device)
      : counted_(device),
        store_(Must(Store::Open(std::make_unique<store::BorrowedDevice>(counted_), WithoutThreads()))) {}

  Steps Run(dag::Reach reach) {
    store::Structure& structure = store_->impl().structure();
    structure.Look(reach);
    Steps steps;
    for (bool more = true; more; ++steps.count) {
      const uint64_t before = counted_.Stats().reads;
      more = Must(structure.Step(store::Purpose::kGrow, {dag::Effort::kErases, store::Purpose::kDelete}));
      const uint64_t reads = counted_.Stats().reads - before;
      steps.most_reads = std::max(steps.most_reads, reads);
      steps.reads += reads;
      REQUIRE(steps.count < 100'000);  // it comes to an end
    }
    return steps;
  }

 private:
  CountingDevice counted_;
  std::unique_ptr<Store> store_;
};

}  // namespace

TEST_CASE("a sweep over all that is on disk reads some nodes a step", "[store]") {
  MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = Bytes{512}, .log = MiB(1)});
  fixture.Open(WithoutThreads());
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  for (int i = 0; i < 40'000; ++i) {
    Must(fixture.store->Put(tree, "key " + std::to_string(i * 7919 % 40'000), std::string(50, 'v')));
  }
  fixture.Close();
  const Steps steps = Settling(fixture.device()).Run(dag::Reach::kDisk);
  CHECK(steps.reads > 100);
  CHECK(steps.most_reads < 20);
}

TEST_CASE("of many trees a step looks at some", "[store]") {
  MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = Bytes{512}, .log = MiB(1)});
  fixture.Open(WithoutThreads());
  constexpr int kTrees = 600;
  for (int i = 0; i < kTrees; ++i) {
    const TreeId tree = Must(fixture.store->CreateTree("tree " + std::to_string(i)));
    Must(fixture.store->Put(tree, "key", "value"));
  }
  fixture.Close();
  const Steps steps = Settling(fixture.device()).Run(dag::Reach::kMemory);
  CHECK(steps.reads >= kTrees);
  CHECK(steps.most_reads < 60);
}

// What they make would take the space that the writer makes.
TEST_CASE("buffers are absorbed for a checkpoint while no writer is alone", "[store][signals]") {
  MemoryStore fixture({.device = MiB(64), .node = KiB(4), .basement = Bytes{512}, .log = MiB(1)});
  fixture.Open(WithoutThreads());
  Store::Impl& impl = fixture.store->impl();
  const TreeId tree = Must(fixture.store->CreateTree("tree"));
  Must(fixture.store->Put(tree, "key", "value"));
  store::Signals signals;
  auto alone = std::make_unique<store::Signals::Alone>(signals);
  absl::Status absorbed;
  std::thread checkpoint([&] { absorbed = impl.structure().AbsorbBuffers(signals); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // long enough for what must not happen
  CHECK(impl.fronts().Size() > Bytes{0});
  CHECK(impl.fronts().SealedCount() == 0);
  alone.reset();
  checkpoint.join();
  CHECK(absorbed.ok());
  CHECK(impl.fronts().Size() == Bytes{0});
  const store::Signals::Alone next(signals);  // no step is left
  fixture.CheckSound();
}

}  // namespace betr::test
