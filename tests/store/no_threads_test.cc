// SPDX-License-Identifier: Apache-2.0
// A store whose process may have no more threads.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "betr/store.h"
#include "device/memory_device.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr uid_t kNobody = 65534;
enum Exit { kOpened, kRefused, kWrong, kNoLimit };

bool HasThreads() {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

Exit OpenOn(std::unique_ptr<MemoryDevice> device) {
  const auto store = Store::Open(std::move(device), {});
  if (!store.ok()) return absl::IsUnavailable(store.status()) ? kRefused : kWrong;
  return (*store)->CreateTree("t").ok() && (*store)->Close().ok() ? kOpened : kWrong;
}

// In a process that may have so many threads, as a user to whom the limit applies.
Exit OpenWith(rlim_t threads, std::unique_ptr<MemoryDevice> device) noexcept {
  const rlimit limit{threads, threads};
  const bool is_limited = setrlimit(RLIMIT_NPROC, &limit) == 0 && (geteuid() != 0 || setuid(kNobody) == 0);
  return is_limited && (threads > 1 || !HasThreads()) ? OpenOn(std::move(device)) : kNoLimit;
}

int InChild(rlim_t threads) {
  auto device = std::make_unique<MemoryDevice>(MiB(32));
  FormatOptions format;
  format.log_size = MiB(4);
  format.node_size = KiB(64);
  Must(Store::Format(*device, format));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(OpenWith(threads, std::move(device)));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a store for which there are no threads is not opened", "[store]") {
  const int without = InChild(1);
  if (without == kNoLimit) {
    WARN("there are always threads here: skipped");
    return;
  }
  CHECK(without == kRefused);
  // Some of those that are wanted.
  for (rlim_t threads = 2; threads < 8; ++threads) {
    INFO(threads << " threads");
    CHECK(InChild(threads) != kWrong);
  }
}

}  // namespace betr::test
