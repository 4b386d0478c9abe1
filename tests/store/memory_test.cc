// SPDX-License-Identifier: Apache-2.0
// Memory: however much goes through a store, it takes its cache's budget and a fixed amount besides.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <iostream>
#include <string>

#include "base/free_memory.h"
#include "base/random.h"
#include "betr/store.h"
#include "device/file_device.h"
#include "support/must.h"
#include "support/process_memory.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

class ImageFile {
 public:
  ImageFile() : path_(std::filesystem::temp_directory_path() / ("betr-memory-" + std::to_string(getpid()))) {}
  ~ImageFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr size_t kClones = 20;  // that are kept

// Writes `total` bytes in values of random size at random keys, with reads, scans, and clones that come and go.
void RunThrough(Bytes total, Bytes cache) {
  TuneMalloc();
  const ImageFile file;
  {
    auto device = FileDevice::Create(file.path(), total * 2 + GiB(2));
    REQUIRE(device.ok());
    REQUIRE(Store::Format(**device, FormatOptions()).ok());
  }
  StoreOptions options;
  options.cache_size = cache;
  auto opened = Store::OpenImage(file.path(), options);
  REQUIRE(opened.ok());
  Store& store = **opened;
  const TreeId tree = *store.CreateTree("tree");
  ForgetPeakMemory();
  const Bytes before = ResidentMemory();
  Random random(TestSeed());
  const auto key = [&] { return std::to_string(random.Uniform(100)) + "/" + std::to_string(random.Next()); };
  std::deque<std::string> clones;
  for (Bytes written{0}; written < total;) {
    WriteBatch batch;
    while (batch.Size() < KiB(256)) batch.Put(tree, key(), random.String(100 + random.Uniform(8000)));
    written += batch.Size();
    const absl::Status put = store.Write(batch);
    INFO(put.ToString());
    REQUIRE(put.ok());
    if (random.OneIn(50)) {
      const auto cursor = *store.NewCursor(tree);
      cursor->Seek(Bound::At(key()));
      for (int i = 0; i < 500 && cursor->Valid(); ++i) cursor->Next();
      REQUIRE(cursor->status().ok());
    }
    if (random.OneIn(500)) {
      clones.push_back("c" + key());
      REQUIRE(store.ClonePrefix(tree, std::to_string(random.Uniform(100)) + "/", tree, clones.back()).ok());
    }
    if (clones.size() > kClones) {
      REQUIRE(store.EraseRange(tree, Range::Prefix(clones.front())).ok());
      clones.pop_front();
    }
  }
  REQUIRE(store.Sync().ok());
  const Bytes peak = PeakMemory();
  std::cout << total.value / MiB(1).value << " MiB through a cache of " << cache.value / MiB(1).value
            << " MiB: " << before.value / MiB(1).value << " MiB before, at most " << peak.value / MiB(1).value
            << " MiB\n";
  if (!kHasShadowMemory) CHECK(peak <= before + cache + MiB(256));
  REQUIRE(store.Close().ok());
}

// Random values of 4 KiB at random keys.
void PutSome(WriteBatch& batch, TreeId tree, int count, Random& random) {
  for (int i = 0; i < count; ++i) batch.Put(tree, std::to_string(random.Next()), random.String(KiB(4).value));
}

// What counts against the budget, when all has been read.
Bytes CachedAfterReading(const Store& store, TreeId tree) {
  const auto cursor = Must(store.NewCursor(tree));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
  }
  Must(cursor->status());
  const StoreStats stats = store.Stats();
  return stats.cache_clean + stats.cache_dirty;
}

}  // namespace

TEST_CASE("what is replayed stays within the cache's budget, also between snapshots", "[store][memory]") {
  MemoryStore fixture({.device = MiB(128), .node = KiB(64), .basement = KiB(4), .log = MiB(32)});
  StoreOptions options;
  options.cache_size = MiB(1);
  options.background = false;
  fixture.Open(options);
  const TreeId tree = Must(fixture.store->CreateTree("t", "none"));
  Random random(TestSeed());
  for (int i = 0; i < 1000; ++i) {
    WriteBatch batch;
    PutSome(batch, tree, 2, random);  // less than is absorbed by itself
    Must(fixture.store->Write(batch));
    Must(fixture.store->DropTree(Must(fixture.store->Snapshot(tree, "snapshot"))));
    Must(fixture.store->Sync());
  }
  REQUIRE(fixture.store->Stats().bytes_log > options.cache_size * 8);
  fixture.Open(options);
  CHECK(fixture.store->Stats().cache_dirty <= options.cache_size / 4 * 3);
  fixture.CheckSound();
}

TEST_CASE("what a sync writes of the log comes back to the cache", "[store][memory]") {
  MemoryStore fixture({.device = MiB(128), .node = KiB(64), .basement = KiB(4), .log = MiB(32)});
  StoreOptions options;
  options.cache_size = MiB(8);
  options.log_memory = MiB(6);
  options.background = false;
  fixture.Open(options);
  Store& store = *fixture.store;
  const TreeId tree = Must(store.CreateTree("t", "none"));
  Random random(TestSeed());
  const auto put = [&](Bytes bytes) {
    for (Bytes written{0}; written < bytes; written += KiB(32)) {
      WriteBatch batch;
      PutSome(batch, tree, 8, random);
      Must(store.Write(batch));
    }
  };
  put(MiB(16));
  Must(store.Checkpoint());
  put(MiB(4));
  REQUIRE(CachedAfterReading(store, tree) < MiB(5));
  Must(store.Sync());
  CHECK(CachedAfterReading(store, tree) > MiB(7));
  fixture.CheckSound();
}

TEST_CASE("memory stays within the cache's budget and 256 MiB", "[store][memory]") { RunThrough(GiB(1), MiB(64)); }

TEST_CASE("20 GiB through a cache of 256 MiB", "[store][memory][.long]") { RunThrough(GiB(20), MiB(256)); }

}  // namespace betr::test
