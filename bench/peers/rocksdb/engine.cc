// SPDX-License-Identifier: Apache-2.0
// RocksDB: the write-ahead log is on and not synced but by Sync; memtables are charged to the block cache; two
// background jobs; Bloom filters of 10 bits a key.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include <utility>

#include "lib/counter.h"
#include "lib/engines.h"

namespace betr::bench {
namespace {

absl::Status ToStatus(const rocksdb::Status& status) {
  return status.ok() ? absl::OkStatus() : absl::InternalError("rocksdb: " + status.ToString());
}

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

class AddOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice& /*key*/, const rocksdb::Slice* old, const rocksdb::Slice& delta, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    *result = AddCounters(old != nullptr ? old->ToStringView() : std::string_view(), delta.ToStringView());
    return true;
  }
  const char* Name() const override { return "bench.add"; }
};

class RocksdbEngine final : public Engine {
 public:
  explicit RocksdbEngine(std::unique_ptr<rocksdb::DB> db) : db_(std::move(db)) {}

  absl::Status Put(std::string_view key, std::string_view value) override {
    return ToStatus(db_->Put({}, ToSlice(key), ToSlice(value)));
  }

  absl::StatusOr<bool> Get(std::string_view key, std::string* value) override {
    const rocksdb::Status status = db_->Get({}, ToSlice(key), value);
    if (status.IsNotFound()) return false;
    if (!status.ok()) return ToStatus(status);
    return true;
  }

  absl::StatusOr<ScanResult> Scan(std::string_view from, uint64_t limit) override {
    const std::unique_ptr<rocksdb::Iterator> cursor(db_->NewIterator({}));
    ScanResult result;
    for (cursor->Seek(ToSlice(from)); cursor->Valid() && result.entries < limit; cursor->Next()) {
      ++result.entries;
      result.bytes += cursor->key().size() + cursor->value().size();
    }
    if (!cursor->status().ok()) return ToStatus(cursor->status());
    return result;
  }

  absl::Status EraseRange(std::string_view from, std::string_view to) override {
    return ToStatus(db_->DeleteRange({}, db_->DefaultColumnFamily(), ToSlice(from), ToSlice(to)));
  }

  absl::Status Add(std::string_view key, uint64_t delta) override {
    return ToStatus(db_->Merge({}, ToSlice(key), EncodeCounter(delta)));
  }

  absl::Status ClonePrefix(std::string_view from, std::string_view to) override {
    const std::unique_ptr<rocksdb::Iterator> cursor(db_->NewIterator({}));
    std::string key;
    for (cursor->Seek(ToSlice(from)); cursor->Valid() && cursor->key().starts_with(ToSlice(from)); cursor->Next()) {
      key.assign(to).append(cursor->key().ToStringView().substr(from.size()));
      const rocksdb::Status status = db_->Put({}, key, cursor->value());
      if (!status.ok()) return ToStatus(status);
    }
    return ToStatus(cursor->status());
  }

  absl::Status Sync() override { return ToStatus(db_->SyncWAL()); }
  absl::Status Close() override { return ToStatus(db_->Close()); }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenRocksdb(const EngineOptions& options) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.cache_size.value);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options settings;
  settings.create_if_missing = true;
  settings.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  settings.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(options.cache_size.value / 2, table.block_cache);
  settings.max_background_jobs = 2;
  settings.compression = options.compression == "lz4" ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  settings.merge_operator = std::make_shared<AddOperator>();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(settings, options.directory, &db);
  if (!status.ok()) return ToStatus(status);
  return std::make_unique<RocksdbEngine>(std::unique_ptr<rocksdb::DB>(db));
}

}  // namespace betr::bench
