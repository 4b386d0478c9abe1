// SPDX-License-Identifier: Apache-2.0
// LMDB: one write transaction from Sync to Sync, which is how it gives the promise of the others without waiting
// for the disk at each change. It has no cache of its own: it maps the file, and memory is what the kernel gives.
#include <lmdb.h>

#include <cstring>
#include <utility>

#include "base/status.h"
#include "lib/counter.h"
#include "lib/engines.h"

namespace betr::bench {
namespace {

absl::Status ToStatus(int code) {
  return code == 0 ? absl::OkStatus() : absl::InternalError(std::string("lmdb: ") + mdb_strerror(code));
}

MDB_val ToVal(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }
std::string_view ToView(const MDB_val& val) { return {static_cast<const char*>(val.mv_data), val.mv_size}; }

// Moves: `step` is MDB_FIRST, MDB_SET_RANGE, MDB_NEXT.
class ScopedCursor {
 public:
  ScopedCursor(MDB_txn* txn, MDB_dbi dbi) : code_(mdb_cursor_open(txn, dbi, &cursor_)) {}
  ~ScopedCursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  ScopedCursor(const ScopedCursor&) = delete;
  ScopedCursor& operator=(const ScopedCursor&) = delete;

  // Whether it stands on an entry then.
  bool Move(MDB_cursor_op step, std::string_view key = {}) {
    if (code_ == 0) {
      key_ = ToVal(key);
      code_ = mdb_cursor_get(cursor_, &key_, &value_, step);
    }
    return code_ == 0;
  }
  absl::Status Erase() { return ToStatus(mdb_cursor_del(cursor_, 0)); }
  std::string_view Key() const { return ToView(key_); }
  std::string_view Value() const { return ToView(value_); }
  absl::Status status() const { return code_ == MDB_NOTFOUND ? absl::OkStatus() : ToStatus(code_); }

 private:
  MDB_cursor* cursor_ = nullptr;
  int code_;
  MDB_val key_{};
  MDB_val value_{};
};

class LmdbEngine final : public Engine {
 public:
  ~LmdbEngine() override {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
    if (env_ != nullptr) mdb_env_close(env_);
  }

  absl::Status Open(const EngineOptions& options) {
    BETR_RETURN_IF_ERROR(ToStatus(mdb_env_create(&env_)));
    BETR_RETURN_IF_ERROR(ToStatus(mdb_env_set_mapsize(env_, options.capacity.value)));
    BETR_RETURN_IF_ERROR(ToStatus(mdb_env_open(env_, options.directory.c_str(), 0, 0644)));
    BETR_RETURN_IF_ERROR(Begin());
    return ToStatus(mdb_dbi_open(txn_, nullptr, 0, &dbi_));
  }

  absl::Status Put(std::string_view key, std::string_view value) override {
    MDB_val k = ToVal(key);
    MDB_val v = ToVal(value);
    return ToStatus(mdb_put(txn_, dbi_, &k, &v, 0));
  }

  absl::StatusOr<bool> Get(std::string_view key, std::string* value) override {
    MDB_val k = ToVal(key);
    MDB_val v{};
    const int code = mdb_get(txn_, dbi_, &k, &v);
    if (code == MDB_NOTFOUND) return false;
    BETR_RETURN_IF_ERROR(ToStatus(code));
    value->assign(ToView(v));
    return true;
  }

  absl::StatusOr<ScanResult> Scan(std::string_view from, uint64_t limit) override {
    ScopedCursor cursor(txn_, dbi_);
    ScanResult result;
    const MDB_cursor_op start = from.empty() ? MDB_FIRST : MDB_SET_RANGE;  // it knows no empty key
    for (bool on = cursor.Move(start, from); on && result.entries < limit; on = cursor.Move(MDB_NEXT)) {
      ++result.entries;
      result.bytes += cursor.Key().size() + cursor.Value().size();
    }
    BETR_RETURN_IF_ERROR(cursor.status());
    return result;
  }

  absl::Status EraseRange(std::string_view from, std::string_view to) override {
    ScopedCursor cursor(txn_, dbi_);
    for (bool on = cursor.Move(MDB_SET_RANGE, from); on && cursor.Key() < to; on = cursor.Move(MDB_NEXT)) {
      BETR_RETURN_IF_ERROR(cursor.Erase());
    }
    return cursor.status();
  }

  absl::Status Add(std::string_view key, uint64_t delta) override {
    std::string value;
    BETR_RETURN_IF_ERROR(Get(key, &value).status());
    return Put(key, AddCounters(value, EncodeCounter(delta)));
  }

  absl::Status ClonePrefix(std::string_view from, std::string_view to) override {
    ScopedCursor cursor(txn_, dbi_);
    std::string key;
    std::string value;
    for (bool on = cursor.Move(MDB_SET_RANGE, from); on && cursor.Key().starts_with(from); on = cursor.Move(MDB_NEXT)) {
      key.assign(to).append(cursor.Key().substr(from.size()));
      value.assign(cursor.Value());  // a put may move the page that it is on
      BETR_RETURN_IF_ERROR(Put(key, value));
    }
    return cursor.status();
  }

  absl::Status Sync() override {
    const int code = mdb_txn_commit(txn_);
    txn_ = nullptr;
    BETR_RETURN_IF_ERROR(ToStatus(code));
    return Begin();
  }

  absl::Status Close() override {
    absl::Status status = ToStatus(mdb_txn_commit(txn_));
    txn_ = nullptr;
    return status;
  }

 private:
  absl::Status Begin() { return ToStatus(mdb_txn_begin(env_, nullptr, 0, &txn_)); }

  MDB_env* env_ = nullptr;
  MDB_txn* txn_ = nullptr;
  MDB_dbi dbi_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenLmdb(const EngineOptions& options) {
  auto engine = std::make_unique<LmdbEngine>();
  BETR_RETURN_IF_ERROR(engine->Open(options));
  return engine;
}

}  // namespace betr::bench
