// SPDX-License-Identifier: Apache-2.0
#include "support/torture/full_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "base/random.h"
#include "layout/superblock_copy.h"
#include "store/borrowed_device.h"
#include "store/offline/tune_image.h"
#include "support/dag/upserts.h"
#include "support/torture/verify.h"

namespace betr::test {

namespace {

std::string OtherTree(const std::string& prefix, size_t number) { return fmt::format("{}, tree {}", prefix, number); }

}  // namespace

std::string_view NameOf(FillKind kind) {
  constexpr std::string_view kNames[] = {"put", "overwrite", "upsert", "clone", "rename", "tree"};
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
  format.reserve = shape.reserve;
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

void FullStore::Keep(BasisPoints reserve) {
  RequireOk(store_->Close(), "close");
  store_.reset();
  TuneOptions change;
  change.reserve = reserve;
  const auto newest = layout::ReadToOpen(disk_);
  RequireOk(newest.status(), "read");
  RequireOk(store::TuneImage(disk_, *newest, change), "tune");
  Open();
}

std::string FullStore::Value(size_t number) const {
  std::string value(shape_.value, '\0');
  Random random(number + 1);
  for (char& byte : value) byte = static_cast<char>(random.Next());
  return value;
}

std::optional<WriteBatch> FullStore::BatchOf(FillKind kind, const std::string& prefix, size_t number) const {
  const std::string key = fmt::format("{}{:06}", prefix, number * 7919 % 1'000'000);
  const std::string hot = fmt::format("{}s{:03}", prefix, number % 300);
  const bool rarely = number % 20 == 19;
  WriteBatch batch;
  if (kind == FillKind::kTree || (kind == FillKind::kOverwrite && number % 300 == 299)) return std::nullopt;
  if (kind == FillKind::kUpsert) {
    const std::string growing = fmt::format("{}s{:05}", prefix, number * 7919 % 2000);
    batch.Upsert(tree_, growing, AppendFunction::kNumber, Value(number));
  } else if (kind == FillKind::kClone && rarely) {
    batch.ClonePrefix(tree_, fmt::format("{}s{}", prefix, number % 3), tree_, key);
  } else if (kind == FillKind::kRename && rarely) {
    const std::string to = fmt::format("{}moved {}", prefix, number);
    batch.RenamePrefix(tree_, fmt::format("{}{:02}", prefix, number % 100), tree_, to);
  } else {
    const bool is_hot = kind == FillKind::kOverwrite || kind == FillKind::kClone;
    batch.Put(tree_, is_hot ? hot : key, Value(number));
  }
  return batch;
}

absl::Status FullStore::Change(FillKind kind, const std::string& prefix, size_t number) {
  const std::optional<WriteBatch> batch = BatchOf(kind, prefix, number);
  if (batch) return store_->Write(*batch);
  const std::string name = OtherTree(prefix, number);
  return (kind == FillKind::kTree ? store_->CreateTree(name) : store_->Snapshot(tree_, name)).status();
}

void FullStore::Accept(FillKind kind, const std::string& prefix, size_t number) {
  const std::optional<WriteBatch> batch = BatchOf(kind, prefix, number);
  if (batch) {
    std::ranges::for_each(batch->ops(), [this](const Op& op) { Accept(op); });
  } else {
    others_[OtherTree(prefix, number)] = kind == FillKind::kTree ? Contents() : expected_;
  }
}

void FullStore::Accept(const Op& op) {
  const auto erase_below = [&](const std::string& prefix) {
    expected_.erase(expected_.lower_bound(prefix), expected_.lower_bound(prefix + '\xff'));
  };
  if (op.kind == OpKind::kPut) {
    expected_[op.key] = op.value;
  } else if (op.kind == OpKind::kUpsert) {
    expected_[op.key] += op.value;
  } else if (op.kind == OpKind::kErase) {
    expected_.erase(op.key);
  } else {
    Contents moved;
    for (auto at = expected_.lower_bound(op.key); at != expected_.end() && at->first.starts_with(op.key); ++at) {
      moved.emplace_hint(moved.end(), op.value + at->first.substr(op.key.size()), at->second);
    }
    if (op.kind == OpKind::kRenamePrefix) erase_below(op.key);
    erase_below(op.value);
    expected_.merge(moved);
  }
}

void FullStore::RequireContents() {
  const auto compare = [this](TreeId tree, const Contents& contents) {
    const auto cursor = store_->NewCursor(tree, Range::All()).value();
    auto expected = contents.begin();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++expected) {
      REQUIRE(expected != contents.end());
      REQUIRE((cursor->Key() == expected->first && cursor->Value() == expected->second));
    }
    RequireOk(cursor->status(), "scan");
    REQUIRE(expected == contents.end());
  };
  compare(tree_, expected_);
  size_t others = 0;
  for (const TreeInfo& tree : store_->Trees()) {
    if (tree.id == tree_) continue;
    INFO(tree.name);
    compare(tree.id, others_.at(tree.name));
    ++others;
  }
  REQUIRE(others == others_.size());
}

size_t FullStore::Fill(FillKind kind, const std::string& prefix) {
  constexpr size_t kEnough = 1'000'000;
  for (size_t i = 0; i < kEnough; ++i) {
    if (const absl::Status status = Change(kind, prefix, i); !status.ok()) {
      INFO(status);
      REQUIRE(absl::IsResourceExhausted(status));
      return i;
    }
    Accept(kind, prefix, i);
  }
  FAIL("the store does not get full");
  return kEnough;
}

void FullStore::RequireLife() {
  RequireOk(store_->Sync(), "sync");
  RequireOk(store_->Checkpoint(), "checkpoint");
  REQUIRE_FALSE(store_->ReadOnly());
  RequireOk(CheckOpenStore(*store_), "check");
  RequireContents();
}

std::vector<std::string> FullStore::ShuffledKeys(const std::string& prefix) const {
  std::vector<std::string> keys;
  const auto cursor = store_->NewCursor(tree_, Range::Prefix(prefix)).value();
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->Key());
  RequireOk(cursor->status(), "scan");
  Random random(keys.size());
  for (size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random.Uniform(i)]);
  return keys;
}

absl::Status FullStore::Write(const WriteBatch& batch) {
  absl::Status written = store_->Write(batch);
  if (written.ok()) std::ranges::for_each(batch.ops(), [this](const Op& op) { Accept(op); });
  return written;
}

void FullStore::EraseKeys(const std::string& prefix) {
  const std::vector<std::string> keys = ShuffledKeys(prefix);
  for (size_t i = 0; i < keys.size(); ++i) {
    RequireOk(store_->Erase(tree_, keys[i]), fmt::format("erase {} of {}", i, keys.size()));
    Forget(keys[i]);
  }
}

void FullStore::EraseAll(const std::string& prefix) {
  RequireOk(store_->EraseRange(tree_, Range::Prefix(prefix)), "erase range");
  std::erase_if(expected_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

void FullStore::DropTrees() {
  for (const TreeInfo& tree : store_->Trees()) {
    if (tree.id != tree_) RequireOk(store_->DropTree(tree.id), "drop");
  }
  others_.clear();
}

Bytes FullStore::FreeAfterClosing() {
  RequireOk(store_->Close(), "close");
  RequireOk(CheckStored(disk_), "check of the image");
  Open();
  RequireContents();
  return store_->Space().free;
}

}  // namespace betr::test
