// SPDX-License-Identifier: Apache-2.0
// A sparse image on a file system that has less space than the image promises: the store meets ENOSPC where it has
// space of its own. It must say so, keep what it acknowledged, and go on when there is room.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/file_device.h"
#include "support/device/small_file_system.h"
#include "support/skip.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

using Catch::Matchers::Contains;

constexpr Bytes kImage = MiB(64);
constexpr Bytes kHost = MiB(4);

std::string Key(size_t number) { return fmt::format("key {:06}", number * 7919 % 1'000'000); }
std::string Value(size_t number) { return Random(number + 1).String(1000); }

class SparseStore {
 public:
  SparseStore(const SmallFileSystem& host, Bytes node_size, bool background)
      : path_(host.File("image")), background_(background) {
    const auto device = FileDevice::Create(path_, kImage).value();
    FormatOptions format;
    format.node_size = node_size;
    format.basement_size = KiB(4);
    format.fanout = 6;
    format.log_size = MiB(1);
    format.compression = "none";
    REQUIRE(Store::Format(*device, format).ok());
  }

  absl::Status Open(bool read_only = false) {
    store_.reset();
    StoreOptions options;
    options.read_only = read_only;
    options.background = background_;
    options.cache_size = MiB(2);
    auto opened = Store::OpenImage(path_, std::move(options));
    if (opened.ok()) store_ = *std::move(opened);
    return opened.status();
  }
  void Kill() { store_.reset(); }
  Store& store() { return *store_; }

  // How many keys, from the first on, are there and right. Fails the test if one behind them is.
  size_t Contents() {
    const std::vector<TreeInfo> trees = store_->Trees();
    REQUIRE(trees.size() == 1);
    size_t count = 0;
    size_t all = 0;
    const auto cursor = store_->NewCursor(trees.front().id).value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++all;
    REQUIRE(cursor->status().ok());
    for (; count < all; ++count) {
      const auto value = store_->Get(trees.front().id, Key(count));
      REQUIRE(value.ok());
      REQUIRE(*value == Value(count));
    }
    return count;
  }

  void RequireSound() {
    const auto device = FileDevice::Open(path_, FileDevice::Access::kReadOnly).value();
    const auto findings = CheckImage(*device);
    INFO(findings.status() << (findings.ok() && !findings->empty() ? findings->front().what : ""));
    REQUIRE(findings.ok());
    REQUIRE(findings->empty());
  }

 private:
  const std::string path_;
  const bool background_;
  std::unique_ptr<Store> store_;
};

struct Filled {
  size_t written = 0;  // accepted
  size_t synced = 0;
  absl::Status end;
};

Filled FillHost(Store& store, TreeId tree) {
  Filled filled;
  while (filled.end.ok()) {
    filled.end = store.Put(tree, Key(filled.written), Value(filled.written));
    if (!filled.end.ok()) break;
    if (++filled.written % 16 == 0) {
      filled.end = store.Sync();
      if (filled.end.ok()) filled.synced = filled.written;
    }
  }
  return filled;
}

void FillTheHost(Bytes node_size, bool background) {
  SmallFileSystem host(kHost);
  if (!host.Mounted()) BETR_SKIP("no file system can be mounted");
  SparseStore sparse(host, node_size, background);
  REQUIRE(sparse.Open().ok());
  const Filled filled = FillHost(sparse.store(), sparse.store().CreateTree("tree").value());
  INFO(fmt::format("{} written, {} synced: ", filled.written, filled.synced) << filled.end);
  REQUIRE(filled.synced > 500);
  CHECK_THAT(std::string(filled.end.message()), Contains("image: write of") && Contains("No space left on device"));
  CHECK(sparse.store().ReadOnly());
  const absl::Status synced = sparse.store().Sync();
  INFO(synced);
  CHECK(absl::IsFailedPrecondition(synced));
  CHECK_THAT(std::string(synced.message()), Contains("read-only") && Contains("No space left on device"));
  CHECK(sparse.Contents() == filled.written);
  sparse.Kill();

  // While there is no room it can be read.
  REQUIRE(sparse.Open(true).ok());
  CHECK(sparse.Contents() >= filled.synced);
  sparse.Kill();
  const absl::Status opened = sparse.Open();
  INFO(opened);
  if (opened.ok()) CHECK(sparse.Contents() >= filled.synced);
  sparse.Kill();
  sparse.RequireSound();

  host.Resize(kImage * 2);
  REQUIRE(sparse.Open().ok());
  const size_t found = sparse.Contents();
  CHECK(found >= filled.synced);
  const TreeId tree = sparse.store().Trees().front().id;
  for (size_t i = found; i < found + 1000; ++i) REQUIRE(sparse.store().Put(tree, Key(i), Value(i)).ok());
  CHECK(sparse.store().Close().ok());
  REQUIRE(sparse.Open().ok());
  CHECK(sparse.Contents() == found + 1000);
  sparse.Kill();
  sparse.RequireSound();
}

}  // namespace

TEST_CASE("a sparse image on a full host keeps what it acknowledged", "[torture][fault]") {
  for (const Bytes node_size : {KiB(4), KiB(64)}) {
    FillTheHost(node_size, false);
    FillTheHost(node_size, true);
  }
}

}  // namespace betr::test
