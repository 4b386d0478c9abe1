// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace betr {
namespace {

TEST_CASE("readers that never pause do not keep writers out", "[threads]") {
  constexpr int kReaders = 16;
  constexpr int kWrites = 100;
  constexpr int kReads = 2'000'000;  // of each reader, at most
  SharedMutex mutex;
  std::atomic<bool> written = false;
  std::atomic<int> began = 0;
  std::atomic<int> gave_up = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      ++began;
      for (int reads = 0; !written; ++reads) {
        if (reads == kReads) {
          ++gave_up;
          break;
        }
        const ReaderLock lock(mutex);
        for (std::atomic<int> work = 0; work < 100;) ++work;
      }
    });
  }
  while (began < kReaders) std::this_thread::yield();
  for (int i = 0; i < kWrites; ++i) const WriterLock lock(mutex);
  written = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(gave_up == 0);
}

}  // namespace
}  // namespace betr
