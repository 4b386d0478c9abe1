// SPDX-License-Identifier: Apache-2.0
// What a log forgets, and the gap that this leaves.
#include <catch2/catch.hpp>
#include <memory>

#include "device/memory_device.h"
#include "store/log/log.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

constexpr LogArea kSmall{KiB(8), KiB(64)};

std::unique_ptr<Log> Open(BlockDevice& device, const Log::Checkpoint& from, LogRecords* replayed) {
  auto log = OpenLog(device, kSmall, from, replayed);
  INFO(log.status());
  REQUIRE(log.ok());
  return *std::move(log);
}

LogRecords Replayed(BlockDevice& device, const Log::Checkpoint& from = {}) {
  LogRecords replayed;
  Open(device, from, &replayed);
  return replayed;
}

}  // namespace

TEST_CASE("behind what was forgotten nothing is written before a checkpoint has it", "[log]") {
  MemoryDevice device(KiB(64) + KiB(8));
  LogRecords none;
  const auto log = Open(device, {}, &none);
  REQUIRE(log->Append(Lsn{1}, "durable").ok());
  REQUIRE(log->Sync().ok());
  REQUIRE(log->Append(Lsn{2}, "forgotten").ok());
  const Log::Checkpoint before{log->Mark(), Lsn{1}};
  log->Forget(Lsn{1});  // the frame has a newer record
  CHECK(!log->HasGap());
  log->Forget(Lsn{2});
  CHECK(log->HasGap());
  CHECK(log->Held() == Bytes{0});
  REQUIRE(log->Append(Lsn{3}, "behind").ok());
  CHECK(log->Sync().status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(log->WriteOut().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(log->status().ok());
  CHECK(log->DurableLsn() == Lsn{1});
  log->Free(before);
  CHECK(log->HasGap());
  CHECK(!log->Sync().ok());
  CHECK(Replayed(device) == LogRecords{{Lsn{1}, "durable"}});

  const Log::Checkpoint stored{log->Mark(), Lsn{2}};
  log->Free(stored);
  CHECK(!log->HasGap());
  CHECK(log->Sync().value() == Lsn{3});
  CHECK(Replayed(device, stored) == LogRecords{{Lsn{3}, "behind"}});
}

}  // namespace betr::store
