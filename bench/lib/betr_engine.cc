// SPDX-License-Identifier: Apache-2.0
// betr, with the library's defaults but for the cache, on a sparse image.
#include <filesystem>
#include <utility>

#include "base/status.h"
#include "betr/store.h"
#include "lib/counter.h"
#include "lib/engines.h"

namespace betr::bench {
namespace {

constexpr uint16_t kAddFunction = 1000;

class AddFunction final : public UpsertFunction {
 public:
  uint16_t Number() const override { return kAddFunction; }
  std::string_view Name() const override { return "bench.add"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override {
    return AddCounters(old.value_or(std::string_view()), delta);
  }
  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override {
    return AddCounters(older, newer);
  }
};

class BetrEngine final : public Engine {
 public:
  BetrEngine(std::unique_ptr<Store> store, TreeId tree) : store_(std::move(store)), tree_(tree) {}

  absl::Status Put(std::string_view key, std::string_view value) override { return store_->Put(tree_, key, value); }

  absl::StatusOr<bool> Get(std::string_view key, std::string* value) override {
    BETR_ASSIGN_OR_RETURN(std::optional<std::string> found, store_->Get(tree_, key));
    if (!found) return false;
    *value = *std::move(found);
    return true;
  }

  absl::StatusOr<ScanResult> Scan(std::string_view from, uint64_t limit) override {
    BETR_ASSIGN_OR_RETURN(const auto cursor, store_->NewCursor(tree_));
    ScanResult result;
    for (cursor->Seek(Bound::At(from)); cursor->Valid() && result.entries < limit; cursor->Next()) {
      ++result.entries;
      result.bytes += cursor->Key().size() + cursor->Value().size();
    }
    BETR_RETURN_IF_ERROR(cursor->status());
    return result;
  }

  absl::Status EraseRange(std::string_view from, std::string_view to) override {
    return store_->EraseRange(tree_, {Bound::At(from), Bound::At(to)});
  }

  absl::Status Add(std::string_view key, uint64_t delta) override {
    return store_->Upsert(tree_, key, kAddFunction, EncodeCounter(delta));
  }

  absl::Status ClonePrefix(std::string_view from, std::string_view to) override {
    return store_->ClonePrefix(tree_, from, tree_, to);
  }

  std::map<std::string, uint64_t> Counters() const override {
    std::map<std::string, uint64_t> counters;
    store_->Stats().ForEach([&](std::string_view name, uint64_t value) { counters.emplace(name, value); });
    return counters;
  }

  absl::Status Sync() override { return store_->Sync(); }
  absl::Status Close() override { return store_->Close(); }

 private:
  std::unique_ptr<Store> store_;
  TreeId tree_;
};

absl::Status MakeImage(const std::string& path, const EngineOptions& options) {
  FormatOptions format;
  format.compression = options.compression;
  return Store::CreateImage(path, options.capacity, format);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenBetr(const EngineOptions& options) {
  const std::string path = options.directory + "/image.betr";
  const bool is_new = !std::filesystem::exists(path);
  if (is_new) BETR_RETURN_IF_ERROR(MakeImage(path, options));
  StoreOptions store_options;
  store_options.cache_size = options.cache_size;
  store_options.experiments = options.experiments;
  store_options.program = "bench";
  BETR_RETURN_IF_ERROR(store_options.functions.Add(std::make_shared<AddFunction>()));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::OpenImage(path, std::move(store_options)));
  BETR_ASSIGN_OR_RETURN(const TreeId tree, is_new ? store->CreateTree("bench") : store->FindTree("bench"));
  return std::make_unique<BetrEngine>(std::move(store), tree);
}

}  // namespace betr::bench
