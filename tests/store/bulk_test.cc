// SPDX-License-Identifier: Apache-2.0
// What reaches the device of what nobody syncs: large values that come in bulk once, and small changes no more often
// than if all had gone through the log.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/coding.h"
#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr Bytes kLog = MiB(32);

// A sixteenth of the usual sizes, so that a few dozen MiB are much.
class Bulk {
 public:
  Bulk() : device_(MiB(512)) {
    FormatOptions format;
    format.node_size = KiB(256);
    format.basement_size = KiB(16);
    format.log_size = kLog;
    REQUIRE(Store::Format(device_, format).ok());
    Reopen({});
    tree = *store().CreateTree("tree");
  }

  void Reopen(Bytes log_memory, const Experiments& experiments = {}, Bytes bulk_change = {}) {
    if (store_ != nullptr) REQUIRE(store_->Close().ok());
    StoreOptions options;
    options.cache_size = MiB(32);
    options.background = false;
    options.log_memory = log_memory;
    options.experiments = experiments;
    options.bulk_change = bulk_change;
    store_ = *Store::Open(std::make_unique<store::BorrowedDevice>(device_), options);
  }

  // A value that does not compress, at a number's key.
  void Put(WriteBatch& batch, uint64_t number, size_t size) {
    std::string key;
    PutBigEndian64(&key, number);
    batch.Put(tree, key, random.String(size));
  }
  void Write(WriteBatch& batch) {
    REQUIRE(store().Write(batch).ok());
    batch = {};
  }

  Store& store() { return *store_; }

  // The number of the first key that is missing after a crash now, before which none is; nothing if that is not so.
  std::optional<uint64_t> LeftByCrash() {
    MemoryDevice crashed(device_.Size(), device_.Pages());
    StoreOptions options;
    options.background = false;
    const auto store = *Store::Open(std::make_unique<store::BorrowedDevice>(crashed), options);
    uint64_t next = 0;
    const auto cursor = *store->NewCursor(tree);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++next) {
      std::string key;
      PutBigEndian64(&key, next);
      if (cursor->Key() != key) return std::nullopt;
    }
    REQUIRE(cursor->status().ok());
    return next;
  }

  TreeId tree;
  Random random{TestSeed()};

 private:
  MemoryDevice device_;
  std::unique_ptr<Store> store_;
};

Bytes Written(const StoreStats& stats) { return stats.bytes_log + stats.bytes_checkpoint + stats.bytes_eviction; }

}  // namespace

TEST_CASE("large values that are written in bulk reach the device once", "[store][cost]") {
  const Bytes total = MiB(96);
  const auto written = [&](Bytes log_memory, const Experiments& experiments = {}) {
    Bulk bulk;
    bulk.Reopen(log_memory, experiments);
    WriteBatch batch;
    for (uint64_t block = 0; block < total / KiB(4); ++block) {
      bulk.Put(batch, block, KiB(4).value);
      if (batch.Size() >= KiB(256)) bulk.Write(batch);
    }
    REQUIRE(bulk.store().Sync().ok());
    return bulk.store().Stats();
  };
  const StoreStats usual = written({});
  INFO("log " << usual.bytes_log.value << ", all " << Written(usual).value);
  CHECK(usual.bytes_log <= total / 8);
  CHECK(Written(usual) <= total * 3 / 2);
  // Without memory for that, all goes through the log as well.
  CHECK(written(Bytes{1}).bytes_log >= total);
  CHECK(written({}, {.early_binding = true}).bytes_log >= total);
}

TEST_CASE("small changes on many nodes are no more to write if the log may be held", "[store][cost]") {
  const auto written = [](Bytes log_memory) {
    Bulk bulk;
    constexpr uint64_t kKeys = 200'000;
    WriteBatch batch;
    for (uint64_t key = 0; key < kKeys; ++key) {
      bulk.Put(batch, key, 200);
      if (batch.Size() >= KiB(256) || key + 1 == kKeys) bulk.Write(batch);
    }
    bulk.Reopen(log_memory);
    while (bulk.store().Stats().bytes_batches < MiB(8)) {
      for (int i = 0; i < 100; ++i) bulk.Put(batch, bulk.random.Uniform(kKeys), 20);
      bulk.Write(batch);
    }
    REQUIRE(bulk.store().Sync().ok());
    return bulk.store().Stats();
  };
  const StoreStats usual = written({});
  const StoreStats eager = written(Bytes{1});
  CHECK(eager.bytes_log >= eager.bytes_batches);
  INFO("usual " << Written(usual).value << " (log " << usual.bytes_log.value << "), eager " << Written(eager).value);
  CHECK(Written(usual) <= Written(eager) * 11 / 10);
}

TEST_CASE("bulk writes that the log forgets need few checkpoints, and a sync is durable all the same",
          "[store][cost]") {
  Bulk bulk;
  bulk.Reopen({}, {}, KiB(1));
  const uint64_t before = bulk.store().Stats().checkpoints;
  WriteBatch batch;
  uint64_t blocks = 0;
  uint64_t synced = 0;
  while (blocks < MiB(96) / KiB(4)) {
    bulk.Put(batch, blocks++, KiB(4).value);
    if (batch.Size() < KiB(256)) continue;
    bulk.Write(batch);
    if (blocks % 1024 != 0) continue;
    if (blocks % 8192 == 0) {
      REQUIRE(bulk.store().Sync().ok());
      synced = blocks;
    }
    const std::optional<uint64_t> left = bulk.LeftByCrash();
    REQUIRE(left.has_value());
    CHECK(*left >= synced);
    CHECK(*left <= blocks);
  }
  REQUIRE(synced > 0);
  // 8 MiB of log memory, so without forgetting each 6 MiB would take a checkpoint.
  CHECK(bulk.store().Stats().checkpoints - before <= 6);
}

}  // namespace betr::test
