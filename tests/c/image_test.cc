// SPDX-License-Identifier: Apache-2.0
// Images made, formatted, enlarged, opened and closed from C; options; and what is left of a store after its close.
#include <cstring>
#include <map>
#include <string>

#include "betr/store.h"
#include "betr/version.h"
#include "c/handles.h"
#include "support/c/c_store.h"

namespace betr::test {
namespace {

betr_format_options FormatOf(const StoreHandle& store) {
  betr_format_options format = {};
  format.struct_size = sizeof format;
  Must(betr_get_format(store.get(), &format));
  return format;
}

uint64_t Total(const StoreHandle& store) {
  betr_space_stats space = {};
  space.struct_size = sizeof space;
  Must(betr_space(store.get(), &space));
  CHECK(space.free <= space.total);
  CHECK(space.available <= space.free);
  return space.total;
}

}  // namespace

TEST_CASE("the version is that of the library", "[c]") { CHECK(std::string(betr_version()) == BETR_VERSION_STRING); }

TEST_CASE("format options from C are those of the image", "[c]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  betr_format_options given = {};
  given.struct_size = sizeof given;
  given.node_size = 8192;
  given.basement_size = 1024;
  given.log_size = 128 << 10;
  given.fanout = 9;
  given.compression = "zstd:4";
  given.label = "a label";
  given.uuid = "01234567-89ab-cdef-0123-456789abcdef";
  given.reserve = 250;
  Must(betr_create_image(path.c_str(), 16 << 20, &given));
  betr_store* opened = nullptr;
  Must(betr_open_image(path.c_str(), nullptr, &opened));
  const StoreHandle store(opened);
  const betr_format_options format = FormatOf(store);
  CHECK(format.node_size == given.node_size);
  CHECK(format.basement_size == given.basement_size);
  CHECK(format.log_size == given.log_size);
  CHECK(format.fanout == given.fanout);
  CHECK(std::string(format.compression) == given.compression);
  CHECK(std::string(format.label) == given.label);
  CHECK(std::string(format.uuid) == given.uuid);
  CHECK(format.reserve == given.reserve);

  given.fanout = (uint64_t{1} << 32) + 16;
  CHECK(betr_create_image(dir.File("other").c_str(), 16 << 20, &given) == BETR_INVALID_ARGUMENT);
}

TEST_CASE("without options there are the defaults", "[c]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  Must(betr_create_image(path.c_str(), 1 << 30, nullptr));
  betr_store* opened = nullptr;
  Must(betr_open_image(path.c_str(), nullptr, &opened));
  const StoreHandle store(opened);
  const betr_format_options format = FormatOf(store);
  CHECK(format.node_size == MiB(4).value);
  CHECK(format.basement_size == KiB(64).value);
  CHECK(format.log_size == MiB(64).value);
  CHECK(format.fanout == FormatOptions().fanout);
  const StoreOptions& options = store->store->Options();
  CHECK(options.checkpoint_period == StoreOptions().checkpoint_period);
  CHECK(options.settle_time == StoreOptions().settle_time);
  CHECK(options.read_patience == StoreOptions().read_patience);
  CHECK(options.background);
  CHECK(options.logging == Logging::kFull);
  CHECK(!options.read_only);
}

TEST_CASE("options from C are those of the store", "[c]") {
  const CImage image;
  betr_open_options given = OpenOptions(BETR_BULK | BETR_NO_THREADS);
  given.log_memory = 1 << 20;
  given.checkpoint_period_s = -1;
  given.settle_time_ms = 5;
  given.read_patience_ms = 7;
  given.program = "test";
  const StoreHandle store = image.Open(given);
  const StoreOptions& options = store->store->Options();
  CHECK(options.logging == Logging::kBulk);
  CHECK(!options.background);
  CHECK(options.cache_size == MiB(16));
  CHECK(options.log_memory == MiB(1));
  CHECK(options.checkpoint_period.count() == 0);
  CHECK(options.settle_time.count() == 5);
  CHECK(options.read_patience.count() == 7);
  CHECK(options.program == "test");
}

TEST_CASE("read-only and stale stores from C", "[c]") {
  const CImage image;
  const StoreHandle writer = image.Open();
  Put(writer, NewTree(writer, "tree"), "key", "value");
  Must(betr_checkpoint(writer.get()));
  const StoreHandle reader = image.Open(OpenOptions(BETR_READ_ONLY | BETR_STALE));
  CHECK(betr_read_only(reader.get()));
  CHECK(!betr_read_only(writer.get()));
  betr_tree tree = 0;
  Must(betr_find_tree(reader.get(), nullptr, "tree", 4, &tree));
  CHECK(Get(reader, tree, "key") == "value");
  CHECK(betr_put(reader.get(), tree, "key", 3, "", 0) == BETR_FAILED_PRECONDITION);
}

TEST_CASE("structs of other versions", "[c]") {
  const CImage image;
  struct Later {
    betr_open_options known;
    uint64_t unknown;
  };
  Later options = {OpenOptions(), 0};
  options.known.struct_size = sizeof options;
  betr_store* opened = nullptr;
  Must(betr_open_image(image.path(), &options.known, &opened));
  const StoreHandle store(opened);
  options.unknown = 1;
  CHECK(betr_open_image(image.path(), &options.known, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("options: byte ") == 0);
  options.known.struct_size = 0;
  CHECK(betr_open_image(image.path(), &options.known, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("options.struct_size") == 0);
  options.known.struct_size = sizeof options.known;
  options.known.flags |= 1U << 31U;
  CHECK(betr_open_image(image.path(), &options.known, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("options.flags: 0x80000000") == 0);

  // What is returned: less than there is, and more.
  betr_space_stats space;
  std::memset(&space, 0xaa, sizeof space);
  space.struct_size = offsetof(betr_space_stats, free);
  Must(betr_space(store.get(), &space));
  CHECK(space.total == Total(store));
  CHECK(space.free == 0xaaaaaaaaaaaaaaaa);
  struct {
    betr_batch_size known;
    uint64_t unknown;
  } size = {{sizeof size, 0, 0, 0, 0}, 7};
  Must(betr_max_batch(store.get(), &size.known));
  CHECK(size.known.changes == 1U << 20U);
  CHECK(size.known.struct_size == sizeof size);
  CHECK(size.unknown == 0);
}

TEST_CASE("an image is formatted over another, and grows", "[c]") {
  const CImage image;
  betr_format_options format = {};
  format.struct_size = sizeof format;
  format.log_size = 1 << 20;
  format.label = "new";
  CHECK(betr_format_image(image.path(), &format, BETR_KEEP) == BETR_ALREADY_EXISTS);
  Must(betr_format_image(image.path(), &format, BETR_OVERWRITE));
  uint64_t total = 0;
  {
    const StoreHandle store = image.Open();
    CHECK(std::string(FormatOf(store).label) == "new");
    CHECK(betr_grow_image(image.path(), 128 << 20) == BETR_FAILED_PRECONDITION);
    total = Total(store);
  }
  Must(betr_grow_image(image.path(), 128 << 20));
  CHECK(Total(image.Open()) == total + (64 << 20));
}

TEST_CASE("what an image is called and keeps in reserve is changed, and nothing that is not said", "[c]") {
  const CImage image;
  const std::string uuid = FormatOf(image.Open()).uuid;
  Must(betr_tune_image(image.path(), nullptr));
  uint64_t reserve = 700;
  betr_tune_options change = {};
  change.struct_size = sizeof change;
  change.label = "called";
  change.reserve = &reserve;
  Must(betr_tune_image(image.path(), &change));
  CHECK(std::string(FormatOf(image.Open()).label) == "called");
  CHECK(FormatOf(image.Open()).reserve == 700);
  CHECK(FormatOf(image.Open()).uuid == uuid);
  change = {};
  change.struct_size = sizeof change;
  change.uuid = "";
  Must(betr_tune_image(image.path(), &change));
  CHECK(FormatOf(image.Open()).uuid != uuid);
  CHECK(FormatOf(image.Open()).reserve == 700);
  reserve = uint64_t{1} << 32;
  change.reserve = &reserve;
  CHECK(betr_tune_image(image.path(), &change) == BETR_INVALID_ARGUMENT);
  const StoreHandle store = image.Open();
  CHECK(betr_tune_image(image.path(), nullptr) == BETR_FAILED_PRECONDITION);
}

TEST_CASE("free space is given back, within bounds", "[c]") {
  const CImage image;
  betr_trim_options some = {};
  some.struct_size = sizeof some;
  some.begin = 16 << 20;
  some.end = 32 << 20;
  uint64_t trimmed = 0;
  Must(betr_trim_image(image.path(), &some, &trimmed));
  CHECK(trimmed == 16 << 20);
  some.end = 0;
  Must(betr_trim_image(image.path(), &some, &trimmed));
  CHECK(trimmed > 32 << 20);
  CHECK(trimmed <= 48 << 20);
  some.least = 1 << 30;
  const StoreHandle store = image.Open();
  Must(betr_trim(store.get(), &some, &trimmed));
  CHECK(trimmed == 0);
  CHECK(betr_trim_image(image.path(), nullptr, &trimmed) == BETR_FAILED_PRECONDITION);
  some.struct_size = 1;
  CHECK(betr_trim(store.get(), &some, &trimmed) == BETR_INVALID_ARGUMENT);
}

TEST_CASE("a store that is closed from C can be read, and not be written to", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open(OpenOptions(0));
  const betr_tree tree = NewTree(store, "tree");
  Put(store, tree, "key", "value");
  Must(betr_close(store.get()));
  CHECK(betr_put(store.get(), tree, "key", 3, "", 0) == BETR_FAILED_PRECONDITION);
  CHECK(std::string(betr_error_message()).find("closed") != std::string::npos);
  CHECK(betr_sync(store.get()) == BETR_FAILED_PRECONDITION);
  CHECK(Get(store, tree, "key") == "value");
  CHECK(Walk(NewCursor(store, tree)).size() == 1);
  Must(betr_close(store.get()));
}

TEST_CASE("what reads a store keeps it open", "[c]") {
  const CImage image;
  StoreHandle store = image.Open(OpenOptions(0));
  const betr_tree tree = NewTree(store, "tree");
  Put(store, tree, "a/1", "one");
  Clone(store, tree, "a/", "b/");
  Put(store, tree, "b/2", "two");
  ViewHandle view = Pin(store);
  CursorHandle cursor = NewCursor(store, tree, nullptr, view.get());
  betr_difference* made = nullptr;
  Must(betr_new_difference(store.get(), view.get(), tree, "a/", 2, tree, "b/", 2, &made));
  DifferenceHandle difference(made);
  Must(betr_close(store.get()));
  store.reset();
  view.reset();
  CHECK(Walk(cursor) == Entries{{"a/1", "one"}, {"b/1", "one"}, {"b/2", "two"}});
  cursor.reset();
  betr_store* second = nullptr;
  CHECK(betr_open_image(image.path(), nullptr, &second) == BETR_FAILED_PRECONDITION);
  Must(betr_difference_seek_to_first(made));
  CHECK(betr_difference_valid(made));
  difference.reset();
  CHECK(Walk(NewCursor(image.Open(), tree)).size() == 3);
}

TEST_CASE("what was synced and not closed is found again", "[c]") {
  const CImage image;
  StoreHandle store = image.Open();
  const betr_tree tree = NewTree(store, "tree");
  Put(store, tree, "key", "value");
  Must(betr_sync(store.get()));
  store.reset();
  store = image.Open();
  CHECK(Get(store, tree, "key") == "value");
}

TEST_CASE("trees and figures are visited", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open();
  using namespace std::string_literals;
  const std::string odd = "with a zero\0byte"s;
  const betr_tree tree = NewTree(store, odd);
  betr_tree snapshot = 0;
  Must(betr_snapshot(store.get(), tree, "snap", 4, &snapshot));
  struct Seen {
    std::string name;
    bool snapshot;
  };
  std::map<betr_tree, Seen> trees;
  Must(betr_for_each_tree(
      store.get(),
      [](void* user, const betr_tree_info* info) {
        (*static_cast<std::map<betr_tree, Seen>*>(user))[info->tree] = {{info->name, info->name_size}, info->snapshot};
        CHECK(std::string(info->compression) == "lz4");
      },
      &trees));
  REQUIRE(trees.size() == 2);
  CHECK(trees[tree].name == odd);
  CHECK(!trees[tree].snapshot);
  CHECK(trees[snapshot].name == "snap");
  CHECK(trees[snapshot].snapshot);
  Must(betr_drop_tree(store.get(), snapshot));
  CHECK(betr_find_tree(store.get(), nullptr, "snap", 4, &snapshot) == BETR_NOT_FOUND);

  std::map<std::string, uint64_t> figures;
  Must(betr_checkpoint(store.get()));
  Must(betr_for_each_stat(
      store.get(),
      [](void* user, const char* name, uint64_t value) {
        (*static_cast<std::map<std::string, uint64_t>*>(user))[name] = value;
      },
      &figures));
  CHECK(figures.at("checkpoints") == 1);
  CHECK(figures.contains("flushes_by_height.15"));
}

}  // namespace betr::test
