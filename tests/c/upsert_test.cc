// SPDX-License-Identifier: Apache-2.0
// Upsert functions as callbacks: applied, composed, released once whatever becomes of the store, called by threads.
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/c/c_store.h"

namespace betr::test {
namespace {

struct Calls {
  std::atomic<int> applied = 0;
  std::atomic<int> composed = 0;
  std::atomic<int> released = 0;
};

std::string Text(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

// Appends the delta; erases the key when it is "-".
void Append(void* user, const void* old, size_t old_size, const void* delta, size_t delta_size, betr_result* result) {
  ++static_cast<Calls*>(user)->applied;
  if (Text(delta, delta_size) == "-") return;
  const std::string value = (old != nullptr ? Text(old, old_size) : "new:") + Text(delta, delta_size);
  betr_result_set(result, "not the last", 12);
  betr_result_set(result, value.data(), value.size());
}

void Compose(void* user, const void* older, size_t older_size, const void* newer, size_t newer_size,
             betr_result* result) {
  ++static_cast<Calls*>(user)->composed;
  const std::string both = Text(older, older_size) + Text(newer, newer_size);
  if (both.find('-') == std::string::npos) betr_result_set(result, both.data(), both.size());
}

void Release(void* user) { ++static_cast<Calls*>(user)->released; }

betr_upsert_function Appending(Calls& calls) { return {7, "test.append", Append, Compose, Release, &calls}; }

betr_open_options With(const betr_upsert_function& function, uint64_t flags = BETR_NO_THREADS) {
  betr_open_options options = OpenOptions(flags);
  options.functions = &function;
  options.function_count = 1;
  return options;
}

void Upsert(const StoreHandle& store, betr_tree tree, std::string_view key, std::string_view delta) {
  Must(betr_upsert(store.get(), tree, key.data(), key.size(), 7, delta.data(), delta.size()));
}

}  // namespace

TEST_CASE("upsert functions in C are applied and composed", "[c]") {
  Calls calls;
  const CImage image;
  const betr_upsert_function function = Appending(calls);
  {
    const StoreHandle store = image.Open(With(function));
    const betr_tree tree = NewTree(store, "tree");
    Upsert(store, tree, "absent", "a");
    CHECK(Get(store, tree, "absent") == "new:a");
    Put(store, tree, "empty", "");
    Upsert(store, tree, "empty", "a");
    Upsert(store, tree, "empty", "b");
    CHECK(Get(store, tree, "empty") == "ab");
    Put(store, tree, "gone", "value");
    Upsert(store, tree, "gone", "-");
    CHECK(Get(store, tree, "gone") == std::nullopt);
    Upsert(store, tree, "gone", "");
    CHECK(Get(store, tree, "gone") == "new:");
    for (int i = 0; i < 3000; ++i) Upsert(store, tree, "counter", ".");
    Must(betr_compact(store.get(), tree));
    CHECK(Get(store, tree, "counter") == "new:" + std::string(3000, '.'));
    Must(betr_close(store.get()));
    CHECK(calls.released == 0);
  }
  CHECK(calls.released == 1);
  CHECK(calls.applied > 0);
  CHECK(calls.composed > 0);

  // Who does not bring it can only read.
  betr_store* opened = nullptr;
  CHECK(betr_open_image(image.path(), nullptr, &opened) == BETR_FAILED_PRECONDITION);
  CHECK(std::string(betr_error_message()).find("test.append") != std::string::npos);
  CHECK(betr_read_only(image.Open(OpenOptions(BETR_READ_ONLY)).get()));
}

TEST_CASE("upsert functions are released once, also when nothing opens", "[c]") {
  const CImage image;
  betr_store* opened = nullptr;
  const auto released = [&](std::vector<betr_upsert_function> functions, Calls& calls, const char* path) {
    betr_open_options options = OpenOptions();
    options.functions = functions.data();
    options.function_count = functions.size();
    CHECK(betr_open_image(path, &options, &opened) != BETR_OK);
    CHECK(opened == nullptr);
    return calls.released == static_cast<int>(functions.size());
  };
  std::array<Calls, 6> calls;
  CHECK(released({Appending(calls[0])}, calls[0], "/nowhere/image"));
  CHECK(released({Appending(calls[1])}, calls[1], nullptr));
  CHECK(released({Appending(calls[2]), Appending(calls[2]), Appending(calls[2])}, calls[2], image.path()));
  CHECK(std::string(betr_error_message()).find("7") != std::string::npos);
  betr_upsert_function nameless = Appending(calls[3]);
  nameless.name = nullptr;
  CHECK(released({Appending(calls[3]), nameless, Appending(calls[3])}, calls[3], image.path()));
  CHECK(std::string(betr_error_message()) == "upsert function 7: its name is null");
  betr_upsert_function idle = Appending(calls[4]);
  idle.apply = nullptr;
  CHECK(released({idle}, calls[4], image.path()));
  CHECK(std::string(betr_error_message()) == "upsert function 7: its apply is null");
  betr_upsert_function zero = Appending(calls[5]);
  zero.number = 0;
  CHECK(released({zero}, calls[5], image.path()));

  Calls unknown;
  const betr_upsert_function appending = Appending(unknown);
  betr_open_options options = With(appending, uint64_t{1} << 40);
  CHECK(betr_open_image(image.path(), &options, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(unknown.released == 1);

  Calls later_calls;
  const betr_upsert_function later_appending = Appending(later_calls);
  struct Later {
    betr_open_options known;
    uint64_t unknown;
  };
  Later later = {With(later_appending, 0), 1};
  later.known.struct_size = sizeof later;
  CHECK(betr_open_image(image.path(), &later.known, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("options: byte ") == 0);
  CHECK(later_calls.released == 1);

  options = OpenOptions();
  options.function_count = 1;
  CHECK(betr_open_image(image.path(), &options, &opened) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()) == "options.functions: is null, and its size is not 0");
}

TEST_CASE("a result must be somewhere", "[c]") { CHECK(betr_result_set(nullptr, "", 0) == BETR_INVALID_ARGUMENT); }

TEST_CASE("a function without compose and release", "[c]") {
  Calls calls;
  betr_upsert_function function = Appending(calls);
  function.compose = nullptr;
  function.release = nullptr;
  const CImage image;
  const StoreHandle store = image.Open(With(function));
  const betr_tree tree = NewTree(store, "tree");
  for (int i = 0; i < 100; ++i) Upsert(store, tree, "key", ".");
  CHECK(Get(store, tree, "key") == "new:" + std::string(100, '.'));
  CHECK(calls.composed == 0);
}

TEST_CASE("threads write, read and upsert through one handle", "[c]") {
  Calls calls;
  const CImage image;
  const betr_upsert_function function = Appending(calls);
  const StoreHandle store = image.Open(With(function, 0));
  const betr_tree tree = NewTree(store, "tree");
  const ViewHandle before = Pin(store);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (char name = 'a'; name < 'e'; ++name) {
    threads.emplace_back([&, name] {
      const std::string key(1, name);
      for (int i = 0; i < 500; ++i) {
        failures += betr_upsert(store.get(), tree, key.data(), 1, 7, ".", 1) != BETR_OK;
        void* value = nullptr;
        size_t size = 0;
        failures += betr_get(store.get(), nullptr, tree, key.data(), 1, &value, &size) != BETR_OK;
        failures += size != static_cast<size_t>(i) + 5;
        betr_free(value);
        failures += betr_get(store.get(), before.get(), tree, key.data(), 1, &value, &size) != BETR_OK;
        failures += value != nullptr;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(Walk(NewCursor(store, tree)).size() == 4);
}

}  // namespace betr::test
