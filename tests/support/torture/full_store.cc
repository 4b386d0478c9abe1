// SPDX-License-Identifier: Apache-2.0
#include "support/torture/full_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "base/random.h"
#include "store/borrowed_device.h"
#include "support/dag/upserts.h"
#include "support/torture/verify.h"

namespace betr::test {

std::string_view NameOf(FillKind kind) {
  constexpr std::string_view kNames[] = {"put", "overwrite", "upsert", "clone", "rename"};
  return kNames[static_cast<size_t>(kind)];
}

void RequireOk(const absl::Status& status, std::string_view what) {
  INFO(what << ": " << status);
  REQUIRE(status.ok());
}

FullStore::FullStore(const FullShape& shape, bool background) : shape_(shape), disk_(shape.device) {
  FormatOptions format;
  format.node_size = shape.node;
  format.basement_size = std::min(shape.node, KiB(4));
  format.fanout = 6;
  format.log_size = kFullLog;
  format.compression = shape.compression;
  RequireOk(Store::Format(disk_, format), "format");
  options_.cache_size = std::max(KiB(512), shape.node * 8);
  options_.background = background;
  options_.checkpoint_period = std::chrono::seconds(0);
  options_.settle_time = std::chrono::seconds(600);
  RequireOk(options_.functions.Add(std::make_shared<AppendFunction>()), "function");
  Open();
  tree_ = store_->CreateTree("tree").value();
}

void FullStore::Open() {
  store_.reset();
  auto store = Store::Open(std::make_unique<store::BorrowedDevice>(disk_), options_);
  RequireOk(store.status(), "open");
  store_ = *std::move(store);
}

std::string FullStore::Value(size_t number) const {
  std::string value(shape_.value, '\0');
  Random random(number + 1);
  for (char& byte : value) {
    byte = static_cast<char>(random.Next());
  }
  return value;
}

absl::Status FullStore::Change(FillKind kind, const std::string& prefix, size_t number) {
  const std::string key = fmt::format("{}{:06}", prefix, number * 7919 % 1'000'000);
  const auto put = [&](const std::string& where) { return store_->Put(tree_, where, Value(number)); };
  const auto hot = [&] { return fmt::format("{}s{:03}", prefix, number % 300); };
  const bool rarely = number % 20 == 19;
  switch (kind) {
    case FillKind::kPut:
      break;
    case FillKind::kOverwrite:
      return rarely && number % 300 == 299 ? store_->Snapshot(tree_, fmt::format("snapshot {}", number)).status()
                                           : put(hot());
    case FillKind::kUpsert:
      return store_->Upsert(tree_, fmt::format("{}s{:05}", prefix, number * 7919 % 2000), AppendFunction::kNumber,
                            Value(number));
    case FillKind::kClone:
      return rarely ? store_->ClonePrefix(tree_, fmt::format("{}s{}", prefix, number % 3), tree_, key) : put(hot());
    case FillKind::kRename:
      if (rarely) {
        const std::string to = fmt::format("{}moved {}", prefix, number);
        return store_->RenamePrefix(tree_, fmt::format("{}{:02}", prefix, number % 100), tree_, to);
      }
      break;
  }
  return put(key);
}

size_t FullStore::Fill(FillKind kind, const std::string& prefix) {
  constexpr size_t kEnough = 1'000'000;
  for (size_t i = 0; i < kEnough; ++i) {
    if (const absl::Status status = Change(kind, prefix, i); !status.ok()) {
      INFO(status);
      REQUIRE(absl::IsResourceExhausted(status));
      return i;
    }
  }
  FAIL("the store does not get full");
  return kEnough;
}

void FullStore::RequireLife() {
  RequireOk(store_->Sync(), "sync");
  RequireOk(store_->Checkpoint(), "checkpoint");
  REQUIRE_FALSE(store_->ReadOnly());
  RequireOk(CheckOpenStore(*store_), "check");
}

void FullStore::EraseKeys(const std::string& prefix) {
  std::vector<std::string> keys;
  {
    const auto cursor = store_->NewCursor(tree_, Range::Prefix(prefix)).value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      keys.emplace_back(cursor->Key());
    }
    RequireOk(cursor->status(), "scan");
  }
  Random random(keys.size());
  for (size_t i = keys.size(); i > 1; --i) {
    std::swap(keys[i - 1], keys[random.Uniform(i)]);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    RequireOk(store_->Erase(tree_, keys[i]), fmt::format("erase {} of {}", i, keys.size()));
  }
}

void FullStore::EraseAll(const std::string& prefix) {
  RequireOk(store_->EraseRange(tree_, Range::Prefix(prefix)), "erase range");
}

void FullStore::DropSnapshots() {
  for (const TreeInfo& tree : store_->Trees()) {
    if (tree.snapshot) {
      RequireOk(store_->DropTree(tree.id), "drop");
    }
  }
}

Bytes FullStore::FreeAfterClosing() {
  RequireOk(store_->Close(), "close");
  RequireOk(CheckStored(disk_), "check of the image");
  Open();
  return store_->Space().free;
}

}  // namespace betr::test
