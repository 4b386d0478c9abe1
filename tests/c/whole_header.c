// SPDX-License-Identifier: Apache-2.0
// All of betr/c.h, used in C11: that it compiles without a warning is half of the test. Each part returns 0, or the
// line of what was not so.
#include <string.h>

#include "betr/c.h"
#include "expect.h"

int UseWholeHeader(const char* path);

static void Append(void* user, const void* old, size_t old_size, const void* delta, size_t delta_size,
                   betr_result* result) {
  char value[64];
  ++*(int*)user;
  if (old_size + delta_size > sizeof value) return;
  if (old_size > 0) memcpy(value, old, old_size);
  memcpy(value + old_size, delta, delta_size);
  betr_result_set(result, value, old_size + delta_size);
}

static void CountUnreadable(void* user, betr_code code, const char* message) {
  (void)code;
  (void)message;
  ++*(int*)user;
}

static void CountTree(void* user, const betr_tree_info* info) {
  if (info->tree != 0 && info->name_size > 0 && info->compression != NULL && !info->snapshot) ++*(int*)user;
}

static void CountStat(void* user, const char* name, uint64_t value) {
  (void)value;
  if (*name != 0) ++*(int*)user;
}

static bool Holds(betr_store* store, const betr_view* view, betr_tree tree, const char* key, const char* expected) {
  void* value = NULL;
  size_t size = 0;
  if (betr_get(store, view, tree, key, strlen(key), &value, &size) != BETR_OK) return false;
  const bool same = expected == NULL ? value == NULL
                                     : value != NULL && size == strlen(expected) && memcmp(value, expected, size) == 0;
  betr_free(value);
  return same;
}

static int MakeImage(const char* path) {
  const betr_format_options format = {.struct_size = sizeof format, .log_size = 1 << 20, .label = "C"};
  EXPECT(betr_create_image(path, 64 << 20, &format) == BETR_OK);
  EXPECT(betr_create_image(path, 64 << 20, &format) == BETR_ALREADY_EXISTS);
  EXPECT(strlen(betr_error_message()) > 0);
  EXPECT(strcmp(betr_code_name(BETR_ALREADY_EXISTS), "already exists") == 0);
  EXPECT(betr_format_image(path, &format, BETR_OVERWRITE) == BETR_OK);
  EXPECT(betr_grow_image(path, 96 << 20) == BETR_OK);
  const uint64_t reserve = 300;
  const betr_tune_options tune = {.struct_size = sizeof tune, .label = "tuned", .uuid = "", .reserve = &reserve};
  EXPECT(betr_tune_image(path, &tune) == BETR_OK);
  const betr_trim_options trim = {.struct_size = sizeof trim, .least = 1 << 20};
  uint64_t trimmed = 0;
  EXPECT(betr_trim_image(path, &trim, &trimmed) == BETR_OK && trimmed > 0);
  return 0;
}

static int ChangeStore(betr_store* store, betr_tree tree) {
  EXPECT(betr_put(store, tree, "a/1", 3, "one", 3) == BETR_OK);
  EXPECT(betr_put(store, tree, "a/2", 3, "two", 3) == BETR_OK);
  EXPECT(betr_upsert(store, tree, "a/1", 3, 1, "+", 1) == BETR_OK);
  EXPECT(betr_clone_prefix(store, tree, "a/", 2, tree, "b/", 2) == BETR_OK);
  EXPECT(betr_rename_prefix(store, tree, "b/", 2, tree, "c/", 2) == BETR_OK);
  EXPECT(betr_erase(store, tree, "c/2", 3) == BETR_OK);
  EXPECT(Holds(store, NULL, tree, "c/1", "one+"));
  EXPECT(Holds(store, NULL, tree, "c/2", NULL));
  const betr_range range = betr_range_between("a/2", 3, "a/3", 3);
  EXPECT(betr_erase_range(store, tree, &range) == BETR_OK);
  EXPECT(betr_sync(store) == BETR_OK);
  EXPECT(betr_checkpoint(store) == BETR_OK);
  EXPECT(betr_compact(store, tree) == BETR_OK);
  uint64_t trimmed = 0;
  EXPECT(betr_trim(store, NULL, &trimmed) == BETR_OK && trimmed > 0);
  return 0;
}

static int ChangeByBatch(betr_store* store, betr_tree tree) {
  betr_batch* const batch = betr_batch_new();
  betr_tree new_tree = 0;
  EXPECT(betr_unused_tree(store, &new_tree) == BETR_OK);
  EXPECT(betr_batch_create_tree(batch, new_tree, "new", 3, NULL) == BETR_OK);
  EXPECT(betr_batch_put(batch, new_tree, "x", 1, "y", 1) == BETR_OK);
  EXPECT(betr_batch_snapshot(batch, new_tree, "old", 3, 0) == BETR_OK);
  EXPECT(betr_batch_erase(batch, new_tree, "x", 1) == BETR_OK);
  EXPECT(betr_batch_upsert(batch, tree, "d/1", 3, 1, "delta", 5) == BETR_OK);
  EXPECT(betr_batch_clone_prefix(batch, tree, "d/", 2, tree, "e/", 2) == BETR_OK);
  EXPECT(betr_batch_rename_prefix(batch, tree, "e/", 2, tree, "f/", 2) == BETR_OK);
  const betr_range range = betr_range_prefix("d/", 2);
  EXPECT(betr_batch_erase_range(batch, tree, &range) == BETR_OK);
  EXPECT(betr_batch_drop_tree(batch, new_tree) == BETR_OK);
  EXPECT(betr_batch_may_use_reserve(batch) == BETR_OK);
  betr_batch_size size = {.struct_size = sizeof size};
  betr_batch_size most = {.struct_size = sizeof most};
  EXPECT(betr_batch_measure(batch, &size) == BETR_OK);
  EXPECT(betr_max_batch(store, &most) == BETR_OK);
  EXPECT(size.changes == 9 && size.ranges == 3);
  EXPECT(size.bytes <= most.bytes && size.bounds <= most.bounds);
  EXPECT(betr_write(store, batch) == BETR_OK);
  EXPECT(Holds(store, NULL, tree, "f/1", "delta"));
  EXPECT(betr_batch_clear(batch) == BETR_OK);
  betr_batch_free(batch);
  return 0;
}

static int Read(betr_store* store, betr_tree tree) {
  betr_view* view = NULL;
  betr_cursor* cursor = NULL;
  EXPECT(betr_pin(store, &view) == BETR_OK);
  const betr_range all = betr_range_all();
  EXPECT(betr_new_cursor(store, view, tree, &all, &cursor) == BETR_OK);
  int keys = 0;
  betr_code code = betr_cursor_seek_to_first(cursor);
  for (; betr_cursor_valid(cursor); code = betr_cursor_next(cursor)) ++keys;
  EXPECT(code == BETR_OK && keys == 3);
  EXPECT(betr_cursor_seek_to_last(cursor) == BETR_OK);
  EXPECT(betr_cursor_prev(cursor) == BETR_OK);
  EXPECT(betr_cursor_seek(cursor, "a/", 2, BETR_PAST) == BETR_OK);
  size_t size = 0;
  EXPECT(memcmp(betr_cursor_key(cursor, &size), "c/1", 3) == 0 && size == 3);
  EXPECT(memcmp(betr_cursor_value(cursor, &size), "one+", 4) == 0 && size == 4);
  EXPECT(betr_cursor_seek_before(cursor, "b", 1, BETR_AT) == BETR_OK);
  EXPECT(memcmp(betr_cursor_key(cursor, &size), "a/1", 3) == 0);
  betr_cursor_free(cursor);
  betr_range_estimate estimate = {.struct_size = sizeof estimate};
  EXPECT(betr_estimate(store, tree, NULL, &estimate) == BETR_OK);
  const betr_tree_prefix prefixes[] = {{tree, "a/", 2}, {tree, "c/", 2}};
  betr_footprint_stats footprint = {.struct_size = sizeof footprint};
  EXPECT(betr_footprint_of(store, view, prefixes, 2, &footprint) == BETR_OK);
  EXPECT(footprint.stored >= footprint.exclusive);
  void* id = NULL;
  bool shared = false;
  EXPECT(betr_id_of_content(store, view, tree, "a/", 2, &id, &size, &shared) == BETR_OK);
  betr_free(id);
  betr_view_free(view);
  return 0;
}

static int Compare(betr_store* store, betr_tree tree) {
  betr_tree snapshot = 0;
  EXPECT(betr_snapshot(store, tree, "snapshot", 8, &snapshot) == BETR_OK);
  EXPECT(betr_put(store, tree, "a/3", 3, "three", 5) == BETR_OK);
  betr_difference* difference = NULL;
  EXPECT(betr_new_difference(store, NULL, snapshot, NULL, 0, tree, NULL, 0, &difference) == BETR_OK);
  EXPECT(betr_difference_seek_to_first(difference) == BETR_OK);
  EXPECT(betr_difference_valid(difference));
  size_t size = 0;
  EXPECT(memcmp(betr_difference_key(difference, &size), "a/3", 3) == 0);
  EXPECT(betr_difference_before(difference, &size) == NULL);
  EXPECT(memcmp(betr_difference_after(difference, &size), "three", 5) == 0);
  EXPECT(betr_difference_next(difference) == BETR_OK && !betr_difference_valid(difference));
  EXPECT(betr_difference_seek(difference, "b", 1, BETR_AT) == BETR_OK && !betr_difference_valid(difference));
  betr_difference_free(difference);
  return betr_drop_tree(store, snapshot) == BETR_OK ? 0 : __LINE__;
}

static int AskStore(betr_store* store, betr_tree tree) {
  betr_tree found = 0;
  EXPECT(betr_find_tree(store, NULL, "tree", 4, &found) == BETR_OK && found == tree);
  int trees = 0;
  EXPECT(betr_for_each_tree(store, CountTree, &trees) == BETR_OK && trees == 1);
  int stats = 0;
  EXPECT(betr_for_each_stat(store, CountStat, &stats) == BETR_OK && stats > 16);
  betr_space_stats space = {.struct_size = sizeof space};
  EXPECT(betr_space(store, &space) == BETR_OK && space.free < space.total);
  betr_format_options format = {.struct_size = sizeof format};
  EXPECT(betr_get_format(store, &format) == BETR_OK && strcmp(format.label, "tuned") == 0 && format.reserve == 300);
  EXPECT(!betr_read_only(store) && strlen(betr_version()) > 0);
  return 0;
}

int UseWholeHeader(const char* path) {
  int applied = 0;
  int unreadable = 0;
  const betr_upsert_function append = {.number = 1, .name = "append", .apply = Append, .user = &applied};
  const betr_open_options options = {.struct_size = sizeof options,
                                     .flags = BETR_NO_THREADS,
                                     .cache_size = 16 << 20,
                                     .functions = &append,
                                     .function_count = 1,
                                     .on_unreadable = CountUnreadable,
                                     .on_unreadable_user = &unreadable};
  EXPECT_ZERO(MakeImage(path));
  betr_store* store = NULL;
  betr_tree tree = 0;
  EXPECT(betr_open_image(path, &options, &store) == BETR_OK);
  EXPECT(betr_create_tree(store, "tree", 4, NULL, &tree) == BETR_OK);
  EXPECT_ZERO(ChangeStore(store, tree));
  EXPECT_ZERO(ChangeByBatch(store, tree));
  EXPECT_ZERO(Read(store, tree));
  EXPECT_ZERO(Compare(store, tree));
  EXPECT(betr_drop_tree(store, tree + 1000) == BETR_NOT_FOUND);
  betr_tree old = 0;
  EXPECT(betr_find_tree(store, NULL, "old", 3, &old) == BETR_OK && betr_drop_tree(store, old) == BETR_OK);
  EXPECT_ZERO(AskStore(store, tree));
  EXPECT(betr_close(store) == BETR_OK);
  betr_store_free(store);
  EXPECT(applied > 0 && unreadable == 0);
  return 0;
}
