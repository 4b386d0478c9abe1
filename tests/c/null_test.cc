// SPDX-License-Identifier: Apache-2.0
// Null pointers, bytes without a place, sizes below 0 and sides that are none: each a mistake that is named, in every
// function, and never a crash.
#include <string>

#include "support/c/c_store.h"

namespace betr::test {
namespace {

struct Fixture {
  const CImage image;
  const StoreHandle handle = image.Open();
  betr_store* const store = handle.get();
  const betr_tree tree = NewTree(handle, "tree");
  const BatchHandle batch_handle{betr_batch_new()};
  betr_batch* const batch = batch_handle.get();
  const ViewHandle view_handle = Pin(handle);
  const betr_view* const view = view_handle.get();
  const betr_range all = betr_range_all();
  betr_tree id = 0;
  void* data = nullptr;
  size_t size = 0;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "null in functions of images", "[c]") {
  Refused("path", betr_create_image(nullptr, 1 << 20, nullptr));
  Refused("path", betr_format_image(nullptr, nullptr, BETR_KEEP));
  Refused("path", betr_grow_image(nullptr, 1 << 20));
  Refused("path", betr_tune_image(nullptr, nullptr));
  uint64_t trimmed = 0;
  Refused("path", betr_trim_image(nullptr, nullptr, &trimmed));
  Refused("trimmed", betr_trim_image(image.path(), nullptr, nullptr));
  Refused("store", betr_trim(nullptr, nullptr, &trimmed));
  Refused("trimmed", betr_trim(store, nullptr, nullptr));
  betr_store* opened = nullptr;
  Refused("path", betr_open_image(nullptr, nullptr, &opened));
  Refused("store", betr_open_image(image.path(), nullptr, nullptr));
  Refused("store", betr_close(nullptr));
  Refused("existing", betr_format_image(image.path(), nullptr, 2), "is neither BETR_KEEP nor BETR_OVERWRITE");
}

TEST_CASE_METHOD(Fixture, "null in functions of trees", "[c]") {
  Refused("store", betr_create_tree(nullptr, "a", 1, nullptr, &id));
  Refused("name", betr_create_tree(store, nullptr, 1, nullptr, &id), kLost);
  Refused("tree", betr_create_tree(store, "a", 1, nullptr, nullptr));
  Refused("store", betr_find_tree(nullptr, nullptr, "a", 1, &id));
  Refused("name", betr_find_tree(store, nullptr, nullptr, 1, &id), kLost);
  Refused("tree", betr_find_tree(store, nullptr, "a", 1, nullptr));
  Refused("store", betr_unused_tree(nullptr, &id));
  Refused("tree", betr_unused_tree(store, nullptr));
  Refused("store", betr_snapshot(nullptr, tree, "a", 1, &id));
  Refused("name", betr_snapshot(store, tree, nullptr, 1, &id), kLost);
  Refused("snapshot", betr_snapshot(store, tree, "a", 1, nullptr));
  Refused("store", betr_drop_tree(nullptr, tree));
  Refused("store", betr_for_each_tree(
                       nullptr, [](void*, const betr_tree_info*) {}, nullptr));
  Refused("visit", betr_for_each_tree(store, nullptr, nullptr));
}

TEST_CASE_METHOD(Fixture, "null in changes of a store", "[c]") {
  Refused("store", betr_put(nullptr, tree, "a", 1, "b", 1));
  Refused("key", betr_put(store, tree, nullptr, 1, "b", 1), kLost);
  Refused("value", betr_put(store, tree, "a", 1, nullptr, 1), kLost);
  Refused("value", betr_put(store, tree, "a", 1, "b", SIZE_MAX), "has a size that is below 0");
  Refused("store", betr_erase(nullptr, tree, "a", 1));
  Refused("key", betr_erase(store, tree, nullptr, 1), kLost);
  Refused("store", betr_upsert(nullptr, tree, "a", 1, 1, "b", 1));
  Refused("key", betr_upsert(store, tree, nullptr, 1, 1, "b", 1), kLost);
  Refused("delta", betr_upsert(store, tree, "a", 1, 1, nullptr, 1), kLost);
  Refused("store", betr_erase_range(nullptr, tree, &all));
  Refused("range", betr_erase_range(store, tree, nullptr));
  Refused("store", betr_clone_prefix(nullptr, tree, "a", 1, tree, "b", 1));
  Refused("from", betr_clone_prefix(store, tree, nullptr, 1, tree, "b", 1), kLost);
  Refused("to", betr_clone_prefix(store, tree, "a", 1, tree, nullptr, 1), kLost);
  Refused("store", betr_rename_prefix(nullptr, tree, "a", 1, tree, "b", 1));
  Refused("from", betr_rename_prefix(store, tree, nullptr, 1, tree, "b", 1), kLost);
  Refused("to", betr_rename_prefix(store, tree, "a", 1, tree, nullptr, 1), kLost);
  Refused("store", betr_sync(nullptr));
  Refused("store", betr_checkpoint(nullptr));
  Refused("store", betr_compact(nullptr, tree));
  CHECK(Walk(NewCursor(handle, tree)).empty());
}

TEST_CASE_METHOD(Fixture, "null in changes of a batch", "[c]") {
  Refused("batch", betr_batch_put(nullptr, tree, "a", 1, "b", 1));
  Refused("key", betr_batch_put(batch, tree, nullptr, 1, "b", 1), kLost);
  Refused("batch", betr_batch_erase(nullptr, tree, "a", 1));
  Refused("batch", betr_batch_upsert(nullptr, tree, "a", 1, 1, "b", 1));
  Refused("batch", betr_batch_erase_range(nullptr, tree, &all));
  Refused("range", betr_batch_erase_range(batch, tree, nullptr));
  Refused("batch", betr_batch_clone_prefix(nullptr, tree, "a", 1, tree, "b", 1));
  Refused("batch", betr_batch_rename_prefix(nullptr, tree, "a", 1, tree, "b", 1));
  Refused("batch", betr_batch_create_tree(nullptr, 0, "a", 1, nullptr));
  Refused("name", betr_batch_create_tree(batch, 0, nullptr, 1, nullptr), kLost);
  Refused("batch", betr_batch_snapshot(nullptr, tree, "a", 1, 0));
  Refused("name", betr_batch_snapshot(batch, tree, nullptr, 1, 0), kLost);
  Refused("batch", betr_batch_drop_tree(nullptr, tree));
  Refused("batch", betr_batch_may_use_reserve(nullptr));
  Refused("batch", betr_batch_clear(nullptr));
  auto measured = Sized<betr_batch_size>();
  Refused("batch", betr_batch_measure(nullptr, &measured));
  Refused("size", betr_batch_measure(batch, nullptr));
  Must(betr_batch_measure(batch, &measured));
  CHECK(measured.changes == 0);
  Refused("store", betr_write(nullptr, batch));
  Refused("batch", betr_write(store, nullptr));
  Refused("store", betr_max_batch(nullptr, &measured));
  Refused("size", betr_max_batch(store, nullptr));
}

TEST_CASE_METHOD(Fixture, "null in functions that read", "[c]") {
  betr_view* pinned = nullptr;
  Refused("store", betr_pin(nullptr, &pinned));
  Refused("view", betr_pin(store, nullptr));
  Refused("store", betr_get(nullptr, nullptr, tree, "a", 1, &data, &size));
  Refused("key", betr_get(store, nullptr, tree, nullptr, 1, &data, &size), kLost);
  Refused("value", betr_get(store, nullptr, tree, "a", 1, nullptr, &size));
  Refused("value_size", betr_get(store, nullptr, tree, "a", 1, &data, nullptr));
  auto estimate = Sized<betr_range_estimate>();
  Refused("store", betr_estimate(nullptr, tree, &all, &estimate));
  Refused("estimate", betr_estimate(store, tree, &all, nullptr));
  auto footprint = Sized<betr_footprint_stats>();
  const betr_tree_prefix lost = {tree, nullptr, 1};
  Refused("store", betr_footprint_of(nullptr, view, nullptr, 0, &footprint));
  Refused("prefixes", betr_footprint_of(store, view, nullptr, 1, &footprint), kLost);
  Refused("prefixes", betr_footprint_of(store, view, &lost, 1, &footprint), kLost);
  Refused("footprint", betr_footprint_of(store, view, nullptr, 0, nullptr));
  bool shared = false;
  Refused("store", betr_id_of_content(nullptr, view, tree, "a", 1, &data, &size, &shared));
  Refused("view", betr_id_of_content(store, nullptr, tree, "a", 1, &data, &size, &shared));
  Refused("prefix", betr_id_of_content(store, view, tree, nullptr, 1, &data, &size, &shared), kLost);
  Refused("id", betr_id_of_content(store, view, tree, "a", 1, nullptr, &size, &shared));
  Refused("id_size", betr_id_of_content(store, view, tree, "a", 1, &data, nullptr, &shared));
  auto space = Sized<betr_space_stats>();
  Refused("store", betr_space(nullptr, &space));
  Refused("space", betr_space(store, nullptr));
  Refused("store", betr_for_each_stat(
                       nullptr, [](void*, const char*, uint64_t) {}, nullptr));
  Refused("visit", betr_for_each_stat(store, nullptr, nullptr));
  auto format = Sized<betr_format_options>();
  Refused("store", betr_get_format(nullptr, &format));
  Refused("options", betr_get_format(store, nullptr));
  CHECK(!betr_read_only(nullptr));
}

TEST_CASE_METHOD(Fixture, "null in functions of cursors", "[c]") {
  betr_cursor* made = nullptr;
  Refused("store", betr_new_cursor(nullptr, view, tree, &all, &made));
  Refused("cursor", betr_new_cursor(store, view, tree, &all, nullptr));
  Refused("cursor", betr_cursor_seek_to_first(nullptr));
  Refused("cursor", betr_cursor_seek_to_last(nullptr));
  Refused("cursor", betr_cursor_seek(nullptr, "a", 1, BETR_AT));
  Refused("cursor", betr_cursor_seek_before(nullptr, "a", 1, BETR_AT));
  Refused("cursor", betr_cursor_next(nullptr));
  Refused("cursor", betr_cursor_prev(nullptr));
  CHECK(!betr_cursor_valid(nullptr));
  size = 7;
  CHECK(betr_cursor_key(nullptr, &size) == nullptr);
  CHECK(size == 0);
  CHECK(betr_cursor_value(nullptr, nullptr) == nullptr);
  const CursorHandle cursor = NewCursor(handle, tree);
  Refused("bound", betr_cursor_seek(cursor.get(), nullptr, 1, BETR_AT), kLost);
  Refused("bound", betr_cursor_seek(cursor.get(), "a", 1, 2), "is neither BETR_AT nor BETR_PAST");
  Refused("cursor", betr_cursor_next(cursor.get()), "is on no key");
  Refused("cursor", betr_cursor_prev(cursor.get()), "is on no key");
}

TEST_CASE_METHOD(Fixture, "null in functions of differences", "[c]") {
  betr_difference* made = nullptr;
  Refused("store", betr_new_difference(nullptr, view, tree, "a", 1, tree, "b", 1, &made));
  Refused("before", betr_new_difference(store, view, tree, nullptr, 1, tree, "b", 1, &made), kLost);
  Refused("after", betr_new_difference(store, view, tree, "a", 1, tree, nullptr, 1, &made), kLost);
  Refused("difference", betr_new_difference(store, view, tree, "a", 1, tree, "b", 1, nullptr));
  Refused("difference", betr_difference_seek_to_first(nullptr));
  Refused("difference", betr_difference_seek(nullptr, "a", 1, BETR_AT));
  Refused("difference", betr_difference_next(nullptr));
  CHECK(!betr_difference_valid(nullptr));
  CHECK(betr_difference_key(nullptr, &size) == nullptr);
  CHECK(betr_difference_before(nullptr, &size) == nullptr);
  CHECK(betr_difference_after(nullptr, &size) == nullptr);
  Must(betr_new_difference(store, view, tree, "a", 1, tree, "b", 1, &made));
  const DifferenceHandle difference(made);
  Refused("bound", betr_difference_seek(made, "a", 1, -1), "is neither BETR_AT nor BETR_PAST");
  Refused("difference", betr_difference_next(made), "is on no key");
}

TEST_CASE_METHOD(Fixture, "bounds of ranges are looked at", "[c]") {
  betr_range range = all;
  range.lo = {nullptr, 3, BETR_AT};
  Refused("range.lo", betr_erase_range(store, tree, &range), kLost);
  Refused("range.lo", betr_batch_erase_range(batch, tree, &range), kLost);
  range = all;
  range.hi.side = 5;
  betr_cursor* cursor = nullptr;
  Refused("range.hi", betr_new_cursor(store, nullptr, tree, &range, &cursor), "is neither BETR_AT nor BETR_PAST");
  auto estimate = Sized<betr_range_estimate>();
  Refused("range.hi", betr_estimate(store, tree, &range, &estimate), "is neither BETR_AT nor BETR_PAST");
}

TEST_CASE("null may be freed, and bytes of no size may be null", "[c]") {
  betr_free(nullptr);
  betr_store_free(nullptr);
  betr_batch_free(nullptr);
  betr_view_free(nullptr);
  betr_cursor_free(nullptr);
  betr_difference_free(nullptr);
  const CImage image;
  const StoreHandle store = image.Open();
  const betr_tree tree = NewTree(store, "tree");
  Must(betr_put(store.get(), tree, nullptr, 0, nullptr, 0));
  CHECK(Get(store, tree, "") == "");
}

}  // namespace betr::test
