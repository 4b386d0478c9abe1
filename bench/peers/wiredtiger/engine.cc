// SPDX-License-Identifier: Apache-2.0
// WiredTiger: a B-tree table; its log is on and not synced but by Sync; a checkpoint every minute.
#include <wiredtiger.h>

#include <utility>

#include "base/status.h"
#include "lib/counter.h"
#include "lib/engines.h"

namespace betr::bench {
namespace {

constexpr char kTable[] = "table:bench";

absl::Status ToStatus(int code) {
  return code == 0 ? absl::OkStatus() : absl::InternalError(std::string("wiredtiger: ") + wiredtiger_strerror(code));
}

WT_ITEM ToItem(std::string_view text) {
  WT_ITEM item{};
  item.data = text.data();
  item.size = text.size();
  return item;
}

std::string_view ToView(const WT_ITEM& item) { return {static_cast<const char*>(item.data), item.size}; }

class WiredtigerEngine final : public Engine {
 public:
  ~WiredtigerEngine() override { static_cast<void>(CloseConnection()); }

  absl::Status Open(const EngineOptions& options) {
    const std::string config =
        "create,log=(enabled=true,prealloc=false,file_max=100MB),transaction_sync=(enabled=false)," +
        ("cache_size=" + std::to_string(options.cache_size.value)) + ",checkpoint=(wait=60),extensions=[" +
        Extension(options) + "]";
    BETR_RETURN_IF_ERROR(ToStatus(wiredtiger_open(options.directory.c_str(), nullptr, config.c_str(), &connection_)));
    BETR_RETURN_IF_ERROR(ToStatus(connection_->open_session(connection_, nullptr, nullptr, &session_)));
    const std::string table =
        std::string("key_format=u,value_format=u") + (Compressed(options) ? ",block_compressor=snappy" : "");
    BETR_RETURN_IF_ERROR(ToStatus(session_->create(session_, kTable, table.c_str())));
    BETR_RETURN_IF_ERROR(OpenCursor(&cursor_));
    return OpenCursor(&other_);
  }

  absl::Status Put(std::string_view key, std::string_view value) override {
    WT_ITEM k = ToItem(key);
    WT_ITEM v = ToItem(value);
    other_->set_key(other_, &k);
    other_->set_value(other_, &v);
    return ToStatus(other_->insert(other_));
  }

  absl::StatusOr<bool> Get(std::string_view key, std::string* value) override {
    WT_ITEM item = ToItem(key);
    cursor_->set_key(cursor_, &item);
    const int code = cursor_->search(cursor_);
    if (code == WT_NOTFOUND) return false;
    BETR_RETURN_IF_ERROR(ToStatus(code));
    BETR_RETURN_IF_ERROR(ToStatus(cursor_->get_value(cursor_, &item)));
    value->assign(ToView(item));
    return true;
  }

  absl::StatusOr<ScanResult> Scan(std::string_view from, uint64_t limit) override {
    ScanResult result;
    BETR_RETURN_IF_ERROR(Walk(from, [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
      ++result.entries;
      result.bytes += key.size() + value.size();
      return result.entries < limit;
    }));
    return result;
  }

  absl::Status EraseRange(std::string_view from, std::string_view to) override {
    // Truncation takes its last key with it, so both ends must stand on keys of the range.
    BETR_ASSIGN_OR_RETURN(const bool has_first, Near(cursor_, from, Side::kAtOrAfter));
    BETR_ASSIGN_OR_RETURN(const bool has_last, Near(other_, to, Side::kBefore));
    if (has_first && has_last) {
      int order = 0;
      BETR_RETURN_IF_ERROR(ToStatus(cursor_->compare(cursor_, other_, &order)));
      if (order <= 0) BETR_RETURN_IF_ERROR(ToStatus(session_->truncate(session_, nullptr, cursor_, other_, nullptr)));
    }
    BETR_RETURN_IF_ERROR(ToStatus(cursor_->reset(cursor_)));
    return ToStatus(other_->reset(other_));
  }

  absl::Status Add(std::string_view key, uint64_t delta) override {
    std::string value;
    BETR_RETURN_IF_ERROR(Get(key, &value).status());
    return Put(key, AddCounters(value, EncodeCounter(delta)));
  }

  absl::Status ClonePrefix(std::string_view from, std::string_view to) override {
    std::string copy;
    return Walk(from, [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
      if (!key.starts_with(from)) return false;
      copy.assign(to).append(key.substr(from.size()));
      BETR_RETURN_IF_ERROR(Put(copy, value));
      return true;
    });
  }

  absl::Status Sync() override { return ToStatus(session_->log_flush(session_, "sync=on")); }
  absl::Status Close() override { return CloseConnection(); }

 private:
  static bool Compressed(const EngineOptions& options) { return options.compression != "none"; }
  static std::string Extension(const EngineOptions& options) {
    return Compressed(options) ? "libwiredtiger_snappy.so" : "";
  }

  absl::Status OpenCursor(WT_CURSOR** cursor) {
    return ToStatus(session_->open_cursor(session_, kTable, nullptr, "overwrite=true", cursor));
  }

  absl::Status CloseConnection() {
    WT_CONNECTION* const connection = std::exchange(connection_, nullptr);
    return connection == nullptr ? absl::OkStatus() : ToStatus(connection->close(connection, nullptr));
  }

  enum class Side { kBefore, kAtOrAfter };

  // Puts the cursor on the key that is nearest to `key` on that side; whether there is one.
  static absl::StatusOr<bool> Near(WT_CURSOR* cursor, std::string_view key, Side side) {
    int where = 0;
    int code = 0;
    if (key.empty()) {  // which it does not know
      BETR_RETURN_IF_ERROR(ToStatus(cursor->reset(cursor)));
      code = side == Side::kAtOrAfter ? cursor->next(cursor) : WT_NOTFOUND;
    } else {
      WT_ITEM item = ToItem(key);
      cursor->set_key(cursor, &item);
      code = cursor->search_near(cursor, &where);
    }
    if (code == 0 && side == Side::kAtOrAfter && where < 0) {
      code = cursor->next(cursor);
    } else if (code == 0 && side == Side::kBefore && where >= 0) {
      code = cursor->prev(cursor);
    }
    if (code == WT_NOTFOUND) return false;
    BETR_RETURN_IF_ERROR(ToStatus(code));
    return true;
  }

  // Calls visit(key, value) from the first key at or after `from` on, as long as it says true.
  template <class Visit>
  absl::Status Walk(std::string_view from, Visit visit) {
    WT_ITEM key{};
    WT_ITEM value{};
    BETR_ASSIGN_OR_RETURN(const bool found, Near(cursor_, from, Side::kAtOrAfter));
    int code = found ? 0 : WT_NOTFOUND;
    for (; code == 0; code = cursor_->next(cursor_)) {
      BETR_RETURN_IF_ERROR(ToStatus(cursor_->get_key(cursor_, &key)));
      BETR_RETURN_IF_ERROR(ToStatus(cursor_->get_value(cursor_, &value)));
      BETR_ASSIGN_OR_RETURN(const bool more, visit(ToView(key), ToView(value)));
      if (!more) break;
    }
    BETR_RETURN_IF_ERROR(ToStatus(cursor_->reset(cursor_)));
    return code == WT_NOTFOUND ? absl::OkStatus() : ToStatus(code);
  }

  WT_CONNECTION* connection_ = nullptr;
  WT_SESSION* session_ = nullptr;
  WT_CURSOR* cursor_ = nullptr;  // to read
  WT_CURSOR* other_ = nullptr;   // to write
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenWiredtiger(const EngineOptions& options) {
  auto engine = std::make_unique<WiredtigerEngine>();
  BETR_RETURN_IF_ERROR(engine->Open(options));
  return engine;
}

}  // namespace betr::bench
