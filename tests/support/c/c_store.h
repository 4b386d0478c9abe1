// SPDX-License-Identifier: Apache-2.0
// The C interface for tests in C++: handles that free themselves, and calls that must not fail.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "betr/c.h"
#include "support/device/temp_dir.h"

namespace betr::test {

inline void Must(betr_code code) {
  INFO(betr_code_name(code) << ": " << betr_error_message());
  REQUIRE(code == BETR_OK);
}

// The complaint about bytes at a null pointer.
inline constexpr char kLost[] = "is null, and its size is not 0";

// Checks that `code` and this thread's message are those of a call in which `argument` was wrong.
inline void Refused(const std::string& argument, betr_code code, const std::string& why = "is null") {
  INFO(argument);
  CHECK(code == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()) == argument + ": " + why);
}

// Returns an empty struct, for the library to fill or read.
template <class Struct>
Struct Sized() {
  Struct result = {};
  result.struct_size = sizeof result;
  return result;
}

template <auto Free>
struct FreeBy {
  template <class Handle>
  void operator()(Handle* handle) const {
    Free(handle);
  }
};
using StoreHandle = std::unique_ptr<betr_store, FreeBy<betr_store_free>>;
using BatchHandle = std::unique_ptr<betr_batch, FreeBy<betr_batch_free>>;
using ViewHandle = std::unique_ptr<betr_view, FreeBy<betr_view_free>>;
using CursorHandle = std::unique_ptr<betr_cursor, FreeBy<betr_cursor_free>>;
using DifferenceHandle = std::unique_ptr<betr_difference, FreeBy<betr_difference_free>>;

using Entries = std::map<std::string, std::string>;

inline betr_open_options OpenOptions(uint64_t flags = BETR_NO_THREADS) {
  betr_open_options options = {};
  options.struct_size = sizeof options;
  options.flags = flags;
  options.cache_size = 16 << 20;
  return options;
}

// The format of an image with small nodes.
inline betr_format_options SmallFormat() {
  auto format = Sized<betr_format_options>();
  format.node_size = 4096;
  format.basement_size = 512;
  format.log_size = 1 << 20;
  return format;
}

// Such an image in a directory of its own.
class CImage {
 public:
  CImage() : path_(dir_.File("image")) {
    const betr_format_options format = SmallFormat();
    Must(betr_create_image(path(), 64 << 20, &format));
  }

  const char* path() const { return path_.c_str(); }
  StoreHandle Open(const betr_open_options& options = OpenOptions()) const {
    betr_store* store = nullptr;
    Must(betr_open_image(path(), &options, &store));
    return StoreHandle(store);
  }

 private:
  TempDir dir_;
  std::string path_;
};

inline betr_tree NewTree(const StoreHandle& store, std::string_view name) {
  betr_tree tree = 0;
  Must(betr_create_tree(store.get(), name.data(), name.size(), nullptr, &tree));
  return tree;
}

inline void Put(const StoreHandle& store, betr_tree tree, std::string_view key, std::string_view value) {
  Must(betr_put(store.get(), tree, key.data(), key.size(), value.data(), value.size()));
}

inline void Clone(const StoreHandle& store, betr_tree tree, std::string_view from, std::string_view to) {
  Must(betr_clone_prefix(store.get(), tree, from.data(), from.size(), tree, to.data(), to.size()));
}

inline std::optional<std::string> Get(const StoreHandle& store, betr_tree tree, std::string_view key,
                                      const betr_view* view = nullptr) {
  void* value = nullptr;
  size_t size = 0;
  Must(betr_get(store.get(), view, tree, key.data(), key.size(), &value, &size));
  const std::unique_ptr<void, FreeBy<betr_free>> freed(value);
  if (value == nullptr) return std::nullopt;
  return std::string(static_cast<const char*>(value), size);
}

inline ViewHandle Pin(const StoreHandle& store) {
  betr_view* view = nullptr;
  Must(betr_pin(store.get(), &view));
  return ViewHandle(view);
}

inline CursorHandle NewCursor(const StoreHandle& store, betr_tree tree, const betr_range* range = nullptr,
                              const betr_view* view = nullptr) {
  betr_cursor* cursor = nullptr;
  Must(betr_new_cursor(store.get(), view, tree, range, &cursor));
  return CursorHandle(cursor);
}

inline std::string KeyOf(const CursorHandle& cursor) {
  size_t size = 0;
  const void* const key = betr_cursor_key(cursor.get(), &size);
  return {static_cast<const char*>(key), size};
}

inline std::string ValueOf(const CursorHandle& cursor) {
  size_t size = 0;
  const void* const value = betr_cursor_value(cursor.get(), &size);
  return {static_cast<const char*>(value), size};
}

// Returns everything that a cursor walks over, forwards.
inline Entries Walk(const CursorHandle& cursor) {
  Entries entries;
  for (Must(betr_cursor_seek_to_first(cursor.get())); betr_cursor_valid(cursor.get());
       Must(betr_cursor_next(cursor.get()))) {
    entries[KeyOf(cursor)] = ValueOf(cursor);
  }
  return entries;
}

}  // namespace betr::test
