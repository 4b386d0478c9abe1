// SPDX-License-Identifier: Apache-2.0
// Helpers: every round is done once, whoever does it, with and without threads, also when several loops want them.
#include "base/helpers.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace betr::test {
namespace {

void RunLoops(Helpers& helpers, size_t loops) {
  for (size_t count = 0; count < loops; ++count) {
    std::vector<std::atomic<int>> rounds(count % 40);
    helpers.ForEach(rounds.size(), [&](size_t i) { ++rounds[i]; });
    for (const std::atomic<int>& done : rounds) {
      if (done != 1) FAIL("a round was done " << done << " times");
    }
  }
}

}  // namespace

TEST_CASE("each round of a loop is done once", "[base]") {
  const unsigned threads = GENERATE(0U, 1U, 3U);
  Helpers helpers(threads);
  RunLoops(helpers, 4000);
}

TEST_CASE("helpers take part", "[base]") {
  Helpers helpers(1);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> helped = false;
  // The caller's round ends only when the other thread has had one.
  helpers.ForEach(2, [&](size_t) {
    if (std::this_thread::get_id() != caller) helped = true;
    while (!helped) std::this_thread::yield();
  });
  CHECK(helped);
}

TEST_CASE("a loop ends when all of its rounds have, and the next one is helped, too", "[base]") {
  Helpers helpers(1);
  const std::thread::id caller = std::this_thread::get_id();
  for (int loop = 0; loop < 3; ++loop) {
    std::atomic<bool> helped = false;
    std::atomic<int> ended = 0;
    helpers.ForEach(2, [&](size_t) {
      if (std::this_thread::get_id() != caller) {
        helped = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the caller has none left by then
      }
      while (!helped) std::this_thread::yield();
      ++ended;
    });
    CHECK(ended == 2);
  }
}

TEST_CASE("loops of several threads at once", "[base]") {
  Helpers helpers(2);
  std::vector<std::thread> callers;
  std::atomic<size_t> rounds = 0;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 1000; ++loop) helpers.ForEach(10, [&](size_t) { ++rounds; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(rounds == 3 * 1000 * 10);
}

}  // namespace betr::test
