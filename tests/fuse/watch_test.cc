// SPDX-License-Identifier: Apache-2.0
// Threads that wait for requests by turns: here bytes of a pipe.
#include "watch.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

namespace betr::fuse {
namespace {

using std::chrono::microseconds;

class Requests {
 public:
  Requests() { REQUIRE(pipe(ends_.data()) == 0); }
  ~Requests() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  int descriptor() const { return ends_[0]; }
  void Send(char request) const { REQUIRE(write(ends_[1], &request, 1) == 1); }
  char Receive() const {
    char request = 0;
    return read(ends_[0], &request, 1) == 1 ? request : '\0';
  }

 private:
  std::array<int, 2> ends_{};
};

// Threads that answer requests until one is 'x'. None summons another by itself.
class Servers {
 public:
  Servers(const Requests& requests, Watch& watch, int threads, std::function<void(char)> answer)
      : requests_(requests), watch_(watch), answer_(std::move(answer)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~Servers() {
    for (std::thread& thread : threads_) thread.join();
  }
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

 private:
  void Run() {
    while (watch_.Take()) {
      watch_.Look();
      const char request = requests_.Receive();
      if (request == 'x') {
        watch_.Close();  // first: nobody is to wait for another request
        return;
      }
      watch_.Give(false);
      answer_(request);
    }
  }

  const Requests& requests_;
  Watch& watch_;
  const std::function<void(char)> answer_;
  std::vector<std::thread> threads_;
};

TEST_CASE("every request is answered once, by whichever thread") {
  const microseconds look{GENERATE(20, 200, 1000)};
  const int threads = GENERATE(1, 2, 5);
  const Requests requests;
  Watch watch(requests.descriptor(), look);
  std::array<std::atomic<int>, 100> answered{};
  {
    const Servers servers(requests, watch, threads,
                          [&](char request) { ++answered[static_cast<size_t>(request - 1)]; });
    for (int i = 0; i < 100; ++i) requests.Send(static_cast<char>(i + 1));
    while (std::any_of(answered.begin(), answered.end(), [](const auto& count) { return count == 0; })) {
      std::this_thread::yield();
    }
    requests.Send('x');
  }
  for (const auto& count : answered) CHECK(count == 1);
}

// Each of the first requests is answered only after the next one, so each needs a thread of its own: without deputies
// this would not end.
TEST_CASE("a request that takes long does not keep others from being answered") {
  constexpr int kThreads = 4;
  const Requests requests;
  Watch watch(requests.descriptor(), microseconds(50));
  std::atomic<int> last{0};
  {
    const Servers servers(requests, watch, kThreads, [&](char request) {
      while (request < kThreads && last < request + 1) std::this_thread::yield();
      last = std::max<int>(last, request);
    });
    for (int i = 1; i <= kThreads; ++i) requests.Send(static_cast<char>(i));
    while (last < kThreads) std::this_thread::yield();
    requests.Send('x');
  }
  CHECK(last == kThreads);
}

TEST_CASE("whoever has slept long takes over, too") {
  const Requests requests;
  Watch watch(requests.descriptor(), microseconds(50));
  std::atomic<int> last{0};
  const Servers servers(requests, watch, 2, [&](char request) {
    while (request == 1 && last < 2) std::this_thread::yield();
    last = request;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // until the deputy waits without a limit
  requests.Send(1);
  requests.Send(2);
  while (last != 1) std::this_thread::yield();
  requests.Send('x');
  CHECK(last == 1);
}

TEST_CASE("without looking nobody waits for a turn") {
  const Requests requests;
  Watch watch(requests.descriptor(), microseconds(0));
  CHECK(watch.Take());
  CHECK(watch.Take());
  watch.Look();
  CHECK(!watch.Pending());
  requests.Send(1);
  CHECK(watch.Pending());
  watch.Close();
  CHECK(!watch.Take());
}

}  // namespace
}  // namespace betr::fuse
