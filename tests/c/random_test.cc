// SPDX-License-Identifier: Apache-2.0
// Random changes from C, in batches and by themselves, over two trees against maps; all of it read from C and from C++
// on the same store.
#include "base/random.h"

#include <array>
#include <map>
#include <string>

#include "betr/store.h"
#include "c/handles.h"
#include "support/c/c_store.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Trees = std::map<betr_tree, Entries>;

void Append(void*, const void* old, size_t old_size, const void* delta, size_t delta_size, betr_result* result) {
  std::string value(static_cast<const char*>(old), old_size);
  value.append(static_cast<const char*>(delta), delta_size);
  Must(betr_result_set(result, value.data(), value.size()));
}

constexpr uint16_t kAppend = 3;

// A random change that has been made in the model, and how to make it by either handle.
struct Change {
  enum class Kind : uint8_t { kPut, kErase, kUpsert, kEraseRange, kClone, kRename } kind;
  betr_tree tree;
  betr_tree to_tree;
  std::string key;
  std::string value;

  betr_code In(betr_store* store) const {
    const betr_range range = betr_range_prefix(key.data(), key.size());
    switch (kind) {
      case Kind::kPut:
        return betr_put(store, tree, key.data(), key.size(), value.data(), value.size());
      case Kind::kErase:
        return betr_erase(store, tree, key.data(), key.size());
      case Kind::kUpsert:
        return betr_upsert(store, tree, key.data(), key.size(), kAppend, value.data(), value.size());
      case Kind::kEraseRange:
        return betr_erase_range(store, tree, &range);
      case Kind::kClone:
        return betr_clone_prefix(store, tree, key.data(), key.size(), to_tree, value.data(), value.size());
      case Kind::kRename:
        return betr_rename_prefix(store, tree, key.data(), key.size(), to_tree, value.data(), value.size());
    }
    return BETR_UNKNOWN;
  }

  betr_code In(betr_batch* batch) const {
    const betr_range range = betr_range_prefix(key.data(), key.size());
    switch (kind) {
      case Kind::kPut:
        return betr_batch_put(batch, tree, key.data(), key.size(), value.data(), value.size());
      case Kind::kErase:
        return betr_batch_erase(batch, tree, key.data(), key.size());
      case Kind::kUpsert:
        return betr_batch_upsert(batch, tree, key.data(), key.size(), kAppend, value.data(), value.size());
      case Kind::kEraseRange:
        return betr_batch_erase_range(batch, tree, &range);
      case Kind::kClone:
        return betr_batch_clone_prefix(batch, tree, key.data(), key.size(), to_tree, value.data(), value.size());
      case Kind::kRename:
        return betr_batch_rename_prefix(batch, tree, key.data(), key.size(), to_tree, value.data(), value.size());
    }
    return BETR_UNKNOWN;
  }

  void In(Trees& trees) const {
    Entries& entries = trees[tree];
    if (kind == Kind::kPut) {
      entries[key] = value;
    } else if (kind == Kind::kErase) {
      entries.erase(key);
    } else if (kind == Kind::kUpsert) {
      entries[key] += value;
    } else if (kind == Kind::kEraseRange) {
      ErasePrefix(entries, key);
    } else {
      Move(trees);
    }
  }

 private:
  static void ErasePrefix(Entries& entries, const std::string& prefix) {
    std::erase_if(entries, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  }

  void Move(Trees& trees) const {
    const Entries source = trees[tree];
    if (kind == Kind::kRename) ErasePrefix(trees[tree], key);
    ErasePrefix(trees[to_tree], value);
    for (const auto& [from, what] : source) {
      if (from.starts_with(key)) trees[to_tree][value + from.substr(key.size())] = what;
    }
  }
};

class Run {
 public:
  explicit Run(uint64_t seed) : random_(seed) {
    Open();
    for (betr_tree& tree : ids_) {
      tree = NewTree(store_, "tree " + std::to_string(trees_.size()));
      trees_[tree];
    }
  }

  void Step() {
    const uint64_t dice = random_.Uniform(100);
    if (dice < 60) {
      WriteOne();
    } else if (dice < 90) {
      WriteBatch();
    } else if (dice < 94) {
      Must(betr_sync(store_.get()));
    } else if (dice < 96) {
      Must(betr_checkpoint(store_.get()));
    } else if (dice < 98) {
      Must(betr_compact(store_.get(), ids_[0]));
    } else {
      Must(betr_close(store_.get()));
      Open();
    }
  }

  void Verify() {
    for (const auto& [tree, entries] : trees_) {
      const CursorHandle cursor = NewCursor(store_, tree);
      REQUIRE(Walk(cursor) == entries);
      auto expected = entries.rbegin();
      for (Must(betr_cursor_seek_to_last(cursor.get())); betr_cursor_valid(cursor.get());
           Must(betr_cursor_prev(cursor.get()))) {
        REQUIRE(KeyOf(cursor) == (expected++)->first);
      }
      REQUIRE(expected == entries.rend());
      VerifyFromCpp(TreeId{tree}, entries);
      for (int i = 0; i < 10; ++i) VerifyKey(tree, Key(), entries);
    }
    VerifyDifference();
  }

 private:
  void Open() {
    store_.reset();
    static constexpr betr_upsert_function kFunction = {kAppend, "append", Append, nullptr, nullptr, nullptr};
    betr_open_options options = OpenOptions();
    options.functions = &kFunction;
    options.function_count = 1;
    store_ = image_.Open(options);
  }

  std::string Key() {
    std::string key;
    for (uint64_t n = random_.Uniform(6); n > 0; --n) key.push_back("\0ab\xff"[random_.Uniform(4)]);
    return key;
  }

  Change NewChange() {
    Change change;
    const uint64_t dice = random_.Uniform(100);
    using Kind = Change::Kind;
    change.kind = dice < 50   ? Kind::kPut
                  : dice < 60 ? Kind::kErase
                  : dice < 75 ? Kind::kUpsert
                  : dice < 80 ? Kind::kEraseRange
                  : dice < 92 ? Kind::kClone
                              : Kind::kRename;
    change.tree = random_.Pick(ids_);
    change.to_tree = random_.Pick(ids_);
    change.key = Key();
    const bool moves = change.kind == Kind::kClone || change.kind == Kind::kRename;
    change.value = moves ? Key() : random_.String(random_.Uniform(40));
    const bool is_below = change.tree == change.to_tree && change.value.starts_with(change.key);
    if (change.kind == Kind::kRename && is_below) change.kind = Kind::kClone;
    return change;
  }

  void WriteOne() {
    const Change change = NewChange();
    Must(change.In(store_.get()));
    change.In(trees_);
  }

  void WriteBatch() {
    for (uint64_t n = 1 + random_.Uniform(12); n > 0; --n) {
      const Change change = NewChange();
      Must(change.In(batch_.get()));
      change.In(trees_);
    }
    Must(betr_write(store_.get(), batch_.get()));
    Must(betr_batch_clear(batch_.get()));
  }

  void VerifyKey(betr_tree tree, const std::string& key, const Entries& entries) const {
    const auto expected = entries.find(key);
    REQUIRE(Get(store_, tree, key) ==
            (expected != entries.end() ? std::optional(expected->second) : std::optional<std::string>()));
  }

  void VerifyFromCpp(TreeId tree, const Entries& entries) const {
    Entries found;
    const std::unique_ptr<Cursor> cursor = Must(store_->store->NewCursor(tree));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) found.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
    REQUIRE(found == entries);
  }

  // The two trees, patched by their difference, are the same.
  void VerifyDifference() {
    betr_difference* made = nullptr;
    Must(betr_new_difference(store_.get(), nullptr, ids_[0], nullptr, 0, ids_[1], nullptr, 0, &made));
    const DifferenceHandle difference(made);
    Entries patched = trees_[ids_[0]];
    for (Must(betr_difference_seek_to_first(made)); betr_difference_valid(made); Must(betr_difference_next(made))) {
      size_t size = 0;
      const void* data = betr_difference_key(made, &size);
      const std::string key(static_cast<const char*>(data), size);
      data = betr_difference_before(made, &size);
      REQUIRE(patched.contains(key) == (data != nullptr));
      if (data != nullptr) REQUIRE(patched[key] == std::string(static_cast<const char*>(data), size));
      data = betr_difference_after(made, &size);
      if (data == nullptr) {
        patched.erase(key);
      } else {
        patched[key] = std::string(static_cast<const char*>(data), size);
      }
    }
    REQUIRE(patched == trees_[ids_[1]]);
  }

  Random random_;
  const CImage image_;
  StoreHandle store_;
  const BatchHandle batch_{betr_batch_new()};
  std::array<betr_tree, 2> ids_{};
  Trees trees_;
};

}  // namespace

TEST_CASE("random changes from C against an oracle", "[c]") {
  const auto runs = static_cast<int>(8 * TestScale()) + 1;
  for (int run = 0; run < runs; ++run) {
    INFO("run " << run);
    Run test(TestSeed() + static_cast<uint64_t>(run));
    for (int step = 0; step < 300; ++step) {
      test.Step();
      if (step % 5 == 0) test.Verify();
    }
    test.Verify();
  }
}

TEST_CASE("a batch makes, snapshots and drops trees", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open();
  const betr_tree old = NewTree(store, "old");
  betr_tree fresh = 0;
  Must(betr_unused_tree(store.get(), &fresh));
  const BatchHandle handle(betr_batch_new());
  betr_batch* const batch = handle.get();
  Must(betr_batch_create_tree(batch, fresh, "fresh", 5, "zstd"));
  Must(betr_batch_put(batch, fresh, "a", 1, "first", 5));
  Must(betr_batch_snapshot(batch, fresh, "snapshot", 8, 0));
  Must(betr_batch_put(batch, fresh, "a", 1, "second", 6));
  Must(betr_batch_drop_tree(batch, old));
  Must(betr_batch_may_use_reserve(batch));
  betr_batch_size size = {};
  size.struct_size = sizeof size;
  Must(betr_batch_measure(batch, &size));
  CHECK(size.changes == 5);
  CHECK(size.ranges == 0);
  CHECK(size.bytes > 11);
  Must(betr_write(store.get(), batch));
  betr_tree snapshot = 0;
  Must(betr_find_tree(store.get(), nullptr, "snapshot", 8, &snapshot));
  CHECK(Get(store, snapshot, "a") == "first");
  CHECK(Get(store, fresh, "a") == "second");
  CHECK(betr_find_tree(store.get(), nullptr, "old", 3, &snapshot) == BETR_NOT_FOUND);

  // As a whole or not at all; the batch stays as it is.
  CHECK(betr_write(store.get(), batch) == BETR_ALREADY_EXISTS);
  Must(betr_batch_measure(batch, &size));
  CHECK(size.changes == 5);
  Must(betr_batch_clear(batch));
  Must(betr_batch_put(batch, fresh, "b", 1, "never", 5));
  Must(betr_batch_rename_prefix(batch, fresh, "c", 1, fresh, "cc", 2));
  CHECK(betr_write(store.get(), batch) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("change 1 (rename_prefix)") == 0);
  CHECK(Get(store, fresh, "b") == std::nullopt);
}

}  // namespace betr::test
