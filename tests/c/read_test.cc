// SPDX-License-Identifier: Apache-2.0
// Cursors with bounds, both ways; views; differences; estimates; names of contents.
#include <string>
#include <tuple>
#include <vector>

#include "c/handles.h"
#include "support/c/c_store.h"
#include "support/must.h"

namespace betr::test {
namespace {

using Keys = std::vector<std::string>;

Keys Forwards(const StoreHandle& store, betr_tree tree, const betr_range* range) {
  const CursorHandle cursor = NewCursor(store, tree, range);
  Keys keys;
  for (Must(betr_cursor_seek_to_first(cursor.get())); betr_cursor_valid(cursor.get());
       Must(betr_cursor_next(cursor.get()))) {
    keys.push_back(KeyOf(cursor));
  }
  return keys;
}

Keys Backwards(const StoreHandle& store, betr_tree tree, const betr_range* range) {
  const CursorHandle cursor = NewCursor(store, tree, range);
  Keys keys;
  for (Must(betr_cursor_seek_to_last(cursor.get())); betr_cursor_valid(cursor.get());
       Must(betr_cursor_prev(cursor.get()))) {
    keys.insert(keys.begin(), KeyOf(cursor));
  }
  return keys;
}

struct Fixture {
  const CImage image;
  const StoreHandle store = image.Open();
  const betr_tree tree = NewTree(store, "tree");

  Fixture() {
    for (const char* key : {"a", "b", "b/1", "b/2", "c"}) Put(store, tree, key, std::string("value of ") + key);
  }
  void CheckRange(const betr_range& range, const Keys& keys) const {
    CHECK(Forwards(store, tree, &range) == keys);
    CHECK(Backwards(store, tree, &range) == keys);
  }
};

// Key, before, after; "-" where there is none.
using Change = std::tuple<std::string, std::string, std::string>;

std::string TextOf(const void* data, size_t size) {
  return data != nullptr ? std::string(static_cast<const char*>(data), size) : "-";
}

std::vector<Change> ChangesFrom(betr_difference* difference) {
  std::vector<Change> changes;
  for (; betr_difference_valid(difference); Must(betr_difference_next(difference))) {
    size_t key_size = 0;
    size_t before_size = 0;
    size_t after_size = 0;
    const void* const key = betr_difference_key(difference, &key_size);
    const void* const before = betr_difference_before(difference, &before_size);
    const void* const after = betr_difference_after(difference, &after_size);
    changes.emplace_back(TextOf(key, key_size), TextOf(before, before_size), TextOf(after, after_size));
  }
  return changes;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "ranges of cursors", "[c]") {
  CHECK(Forwards(store, tree, nullptr) == Keys{"a", "b", "b/1", "b/2", "c"});
  CheckRange(betr_range_all(), {"a", "b", "b/1", "b/2", "c"});
  CheckRange(betr_range_prefix("b", 1), {"b", "b/1", "b/2"});
  CheckRange(betr_range_prefix("b/", 2), {"b/1", "b/2"});
  CheckRange(betr_range_prefix(nullptr, 0), {"a", "b", "b/1", "b/2", "c"});
  CheckRange(betr_range_between("b", 1, "b/2", 3), {"b", "b/1"});
  CheckRange({{"a", 1, BETR_PAST}, {"b/1", 3, BETR_PAST}}, {"b", "b/1"});
  CheckRange({{"b", 1, BETR_PAST}, {nullptr, 0, BETR_PAST}}, {"c"});
  CheckRange({{"c", 1, BETR_AT}, {"a", 1, BETR_AT}}, {});
}

TEST_CASE_METHOD(Fixture, "seeks of cursors", "[c]") {
  const CursorHandle handle = NewCursor(store, tree);
  betr_cursor* const cursor = handle.get();
  CHECK(!betr_cursor_valid(cursor));
  Must(betr_cursor_seek(cursor, "b", 1, BETR_AT));
  CHECK(KeyOf(handle) == "b");
  CHECK(ValueOf(handle) == "value of b");
  Must(betr_cursor_seek(cursor, "b", 1, BETR_PAST));
  CHECK(KeyOf(handle) == "c");
  Must(betr_cursor_seek_before(cursor, "b", 1, BETR_AT));
  CHECK(KeyOf(handle) == "a");
  Must(betr_cursor_seek_before(cursor, "b", 1, BETR_PAST));
  CHECK(KeyOf(handle) == "b/2");
  Must(betr_cursor_prev(cursor));
  CHECK(KeyOf(handle) == "b/1");
  Must(betr_cursor_seek(cursor, "d", 1, BETR_AT));
  CHECK(!betr_cursor_valid(cursor));
  size_t size = 1;
  CHECK(betr_cursor_key(cursor, &size) == nullptr);
  CHECK(size == 0);
  CHECK(betr_cursor_value(cursor, &size) == nullptr);
}

TEST_CASE_METHOD(Fixture, "an empty key and an empty value are there", "[c]") {
  Put(store, tree, "", "");
  const CursorHandle cursor = NewCursor(store, tree);
  Must(betr_cursor_seek_to_first(cursor.get()));
  size_t size = 1;
  CHECK(betr_cursor_key(cursor.get(), &size) != nullptr);
  CHECK(size == 0);
  CHECK(betr_cursor_value(cursor.get(), &size) != nullptr);
  void* value = nullptr;
  Must(betr_get(store.get(), nullptr, tree, "", 0, &value, &size));
  CHECK(value != nullptr);
  CHECK(size == 0);
  betr_free(value);
}

TEST_CASE_METHOD(Fixture, "a view shows what there was", "[c]") {
  const ViewHandle view = Pin(store);
  const CursorHandle cursor = NewCursor(store, tree);
  Put(store, tree, "a", "new");
  const betr_tree later = NewTree(store, "later");
  CHECK(Get(store, tree, "a", view.get()) == "value of a");
  CHECK(Get(store, tree, "a") == "new");
  CHECK(Walk(NewCursor(store, tree, nullptr, view.get())).at("a") == "value of a");
  CHECK(Walk(cursor).at("a") == "value of a");
  betr_tree found = 0;
  CHECK(betr_find_tree(store.get(), view.get(), "later", 5, &found) == BETR_NOT_FOUND);
  Must(betr_find_tree(store.get(), nullptr, "later", 5, &found));
  CHECK(found == later);
  Must(betr_drop_tree(store.get(), tree));
  CHECK(Get(store, tree, "a", view.get()) == "value of a");

  const CImage other_image;
  const StoreHandle other = other_image.Open();
  void* value = nullptr;
  size_t size = 0;
  CHECK(betr_get(other.get(), view.get(), tree, "a", 1, &value, &size) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()) == "a view of another store");
}

TEST_CASE_METHOD(Fixture, "a clone and its source differ in what was changed", "[c]") {
  Clone(store, tree, "b", "x");
  Put(store, tree, "x/1", "");
  Put(store, tree, "x/3", "new");
  Must(betr_erase(store.get(), tree, "b/2", 3));
  betr_difference* made = nullptr;
  Must(betr_new_difference(store.get(), nullptr, tree, "b", 1, tree, "x", 1, &made));
  const DifferenceHandle difference(made);
  Put(store, tree, "x/4", "after the difference was made");
  CHECK(!betr_difference_valid(made));
  Must(betr_difference_seek_to_first(made));
  const std::vector<Change> all = {{"/1", "value of b/1", ""}, {"/2", "-", "value of b/2"}, {"/3", "-", "new"}};
  CHECK(ChangesFrom(made) == all);
  Must(betr_difference_seek(made, "/2", 2, BETR_AT));
  CHECK(ChangesFrom(made) == std::vector<Change>(all.begin() + 1, all.end()));
  Must(betr_difference_seek(made, "/2", 2, BETR_PAST));
  CHECK(ChangesFrom(made) == std::vector<Change>(all.begin() + 2, all.end()));
  Must(betr_difference_seek(made, "/", 1, BETR_PAST));
  CHECK(ChangesFrom(made).empty());
}

TEST_CASE_METHOD(Fixture, "a tree and its snapshot differ in what was changed", "[c]") {
  betr_tree snapshot = 0;
  Must(betr_snapshot(store.get(), tree, "snapshot", 8, &snapshot));
  Put(store, tree, "a", "new");
  betr_difference* made = nullptr;
  Must(betr_new_difference(store.get(), nullptr, snapshot, nullptr, 0, tree, nullptr, 0, &made));
  const DifferenceHandle difference(made);
  Must(betr_difference_seek_to_first(made));
  CHECK(ChangesFrom(made) == std::vector<Change>{{"a", "value of a", "new"}});
  CHECK(betr_put(store.get(), snapshot, "a", 1, "b", 1) == BETR_INVALID_ARGUMENT);
}

TEST_CASE_METHOD(Fixture, "footprints are those that C++ tells", "[c]") {
  for (int i = 0; i < 500; ++i) Put(store, tree, "many/" + std::to_string(i), std::string(100, 'v'));
  Must(betr_checkpoint(store.get()));
  const betr_tree_prefix prefixes[] = {{tree, "many/", 5}, {tree, "a", 1}};
  betr_footprint_stats found = {};
  found.struct_size = sizeof found;
  Must(betr_footprint_of(store.get(), nullptr, prefixes, 2, &found));
  const Store& same = *store->store;
  const Footprint expected = Must(same.FootprintOf(*same.Pin(), {{TreeId{tree}, "many/"}, {TreeId{tree}, "a"}}));
  CHECK(found.stored == expected.stored.value);
  CHECK(found.exclusive == expected.exclusive.value);
  CHECK(found.stored > 0);
  Must(betr_footprint_of(store.get(), nullptr, nullptr, 0, &found));
  CHECK(found.stored == 0);
  found.stored = found.exclusive = 7;  // what is there before is no answer
  const betr_tree_prefix nowhere = {tree + 100, "a", 1};
  CHECK(betr_footprint_of(store.get(), nullptr, &nowhere, 1, &found) == BETR_NOT_FOUND);
  CHECK(found.struct_size == sizeof found);
  CHECK(found.stored == 0);
  CHECK(found.exclusive == 0);
}

TEST_CASE_METHOD(Fixture, "estimates and names of contents", "[c]") {
  Must(betr_compact(store.get(), tree));
  betr_range_estimate estimate = {};
  estimate.struct_size = sizeof estimate;
  Must(betr_estimate(store.get(), tree, nullptr, &estimate));
  CHECK(estimate.keys == 5);
  CHECK(estimate.exact);
  CHECK(estimate.bytes > 0);
  CHECK(estimate.shared == 0);
  const betr_range none = betr_range_prefix("zz", 2);
  Must(betr_estimate(store.get(), tree, &none, &estimate));
  CHECK(estimate.keys == 0);

  Clone(store, tree, "b", "x");
  Must(betr_compact(store.get(), tree));
  const ViewHandle view = Pin(store);
  const auto name_of = [&](std::string_view prefix) {
    void* id = nullptr;
    size_t size = 0;
    bool shared = false;
    Must(betr_id_of_content(store.get(), view.get(), tree, prefix.data(), prefix.size(), &id, &size, &shared));
    const std::string name = TextOf(id, size);
    betr_free(id);
    Must(betr_id_of_content(store.get(), view.get(), tree, prefix.data(), prefix.size(), &id, &size, nullptr));
    CHECK(TextOf(id, size) == name);
    betr_free(id);
    return name;
  };
  CHECK(name_of("a") != "-");
  CHECK(name_of("a") != name_of("c"));
  Put(store, tree, "a", "in memory");
  const ViewHandle later = Pin(store);
  void* id = &estimate;
  size_t size = 1;
  Must(betr_id_of_content(store.get(), later.get(), tree, "a", 1, &id, &size, nullptr));
  CHECK(id == nullptr);
  CHECK(size == 0);
}

}  // namespace betr::test
