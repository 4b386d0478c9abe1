// SPDX-License-Identifier: Apache-2.0
// What is wrong is told by code and message, each thread its own.
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/c/c_store.h"

namespace betr::test {
namespace {

bool MessageHas(std::string_view text) {
  INFO(betr_error_message());
  return std::string_view(betr_error_message()).find(text) != std::string_view::npos;
}

}  // namespace

TEST_CASE("codes have names, and numbers that stay", "[c]") {
  const std::array names = {"ok",           "invalid argument",    "not found",   "already exists",
                            "no space",     "failed precondition", "unavailable", "data loss",
                            "out of range", "unimplemented",       "internal",    "unknown"};
  std::set<std::string> different;
  for (int code = BETR_OK; code <= BETR_UNKNOWN; ++code) {
    CHECK(std::string(betr_code_name(code)) == names[static_cast<size_t>(code)]);
    different.insert(betr_code_name(code));
  }
  CHECK(different.size() == names.size());
  CHECK(std::string(betr_code_name(-1)) == "unknown");
  CHECK(std::string(betr_code_name(1000)) == "unknown");
}

TEST_CASE("each kind of error has its code and a message", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open();
  const betr_tree tree = NewTree(store, "tree");
  betr_tree other = 7;
  CHECK(betr_find_tree(store.get(), nullptr, "none", 4, &other) == BETR_NOT_FOUND);
  CHECK(MessageHas("tree \"none\""));
  CHECK(other == 0);
  CHECK(betr_create_tree(store.get(), "tree", 4, nullptr, &other) == BETR_ALREADY_EXISTS);
  CHECK(MessageHas("tree"));
  CHECK(betr_create_tree(store.get(), "other", 5, "fast", &other) == BETR_INVALID_ARGUMENT);
  CHECK(MessageHas("fast"));
  const std::string large(BETR_MAX_KEY_SIZE + 1, 'k');
  CHECK(betr_put(store.get(), tree, large.data(), large.size(), "", 0) == BETR_INVALID_ARGUMENT);
  CHECK(MessageHas("16385 bytes"));
  CHECK(betr_rename_prefix(store.get(), tree, "a", 1, tree, "ab", 2) == BETR_INVALID_ARGUMENT);
  CHECK(betr_put(store.get(), tree + 1, "a", 1, "", 0) == BETR_NOT_FOUND);
  CHECK(betr_upsert(store.get(), tree, "a", 1, 9, "", 0) == BETR_INVALID_ARGUMENT);
  betr_store* second = store.get();
  CHECK(betr_open_image(image.path(), nullptr, &second) == BETR_FAILED_PRECONDITION);
  CHECK(second == nullptr);
  CHECK(betr_create_image(image.path(), 1 << 30, nullptr) == BETR_ALREADY_EXISTS);
  CHECK(betr_open_image("/nowhere/image", nullptr, &second) == BETR_NOT_FOUND);
  CHECK(MessageHas("/nowhere/image"));

  // What succeeds leaves the message.
  Put(store, tree, "a", "b");
  CHECK(MessageHas("/nowhere/image"));
}

TEST_CASE("a store without space says so, and takes deletes", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open();
  const betr_tree tree = NewTree(store, "tree");
  std::string value(BETR_MAX_VALUE_SIZE / 8, 0);
  betr_code code = BETR_OK;
  uint64_t state = 1;
  for (uint32_t i = 0; code == BETR_OK && i < 10000; ++i) {
    for (char& byte : value) byte = static_cast<char>((state = state * 6364136223846793005U + 1) >> 56U);
    code = betr_put(store.get(), tree, &i, sizeof i, value.data(), value.size());
  }
  CHECK(code == BETR_NO_SPACE);
  const betr_range all = betr_range_all();
  CHECK(betr_erase_range(store.get(), tree, &all) == BETR_OK);
}

TEST_CASE("threads have messages of their own", "[c]") {
  const CImage image;
  const StoreHandle store = image.Open(OpenOptions(0));
  std::vector<std::thread> threads;
  std::array<bool, 4> is_own{};
  for (size_t i = 0; i < is_own.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string name = "missing" + std::to_string(i);
      const bool is_empty_at_first = *betr_error_message() == 0;
      betr_tree tree = 0;
      bool all = is_empty_at_first;
      for (int turn = 0; turn < 200; ++turn) {
        all &= betr_find_tree(store.get(), nullptr, name.data(), name.size(), &tree) == BETR_NOT_FOUND;
        std::this_thread::yield();
        all &= std::string(betr_error_message()).find(name) != std::string::npos;
      }
      is_own[i] = all;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool own : is_own) CHECK(own);
}

}  // namespace betr::test
