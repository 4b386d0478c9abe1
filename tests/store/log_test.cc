// SPDX-License-Identifier: Apache-2.0
// The log without crashes: order, space, wrapping, group commit by one thread, failing devices. See also
// log_crash_test.cc, log_damage_test.cc and log_thread_test.cc.
#include "store/log/log.h"

#include <catch2/catch.hpp>

#include "base/escape.h"
#include "device/counting_device.h"
#include "device/fault_device.h"
#include "device/memory_device.h"
#include "support/seed.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

constexpr LogArea kSmall{KiB(8), KiB(64)};

std::unique_ptr<Log> OpenNew(BlockDevice& device, const LogArea& area, const Log::Checkpoint& from = {}) {
  LogRecords replayed;
  auto log = OpenLog(device, area, from, &replayed);
  INFO(log.status());
  REQUIRE(log.ok());
  return *std::move(log);
}

LogRecords Replayed(BlockDevice& device, const LogArea& area, const Log::Checkpoint& from = {}) {
  LogRecords replayed;
  const auto log = OpenLog(device, area, from, &replayed);
  INFO(log.status());
  REQUIRE(log.ok());
  return replayed;
}

TEST_CASE("a frame looks as documented", "[log]") {
  MemoryDevice device(KiB(64) + KiB(8));
  const auto log = OpenNew(device, kSmall);
  REQUIRE(log->Append(Lsn{1}, "ab").ok());
  REQUIRE(log->Append(Lsn{2}, "").ok());
  REQUIRE(log->Sync().value() == Lsn{2});
  std::string block(kBlockSize.value, 'x');
  REQUIRE(device.Read(kSmall.offset, block).ok());
  CHECK(FormatHex(block.substr(8, 64)) ==
        "626574724c4f4731"    // magic
        "175a000000000000"    // salt
        "0000000000000000"    // sequence
        "0000000000000000"    // chain
        "0100000000000000"    // opening
        "0000000000000000"    // durable
        "0100000000000000"    // first LSN
        "1a00000002000000");  // 26 bytes of records, 2 records
  CHECK(FormatHex(block.substr(80, 26)) ==
        "02000000"
        "0100000000000000"
        "6162"
        "00000000"
        "0200000000000000");
  CHECK(block.find_first_not_of('\0', 106) == std::string::npos);
  REQUIRE(LoadFrameHeader(block).has_value());
  CHECK(LoadFrameHeader(block)->checksum == log->Mark().chain);
}

TEST_CASE("what was synced comes back, what was not does not", "[log]") {
  MemoryDevice device(MiB(1));
  {
    const auto log = OpenNew(device, kSmall);
    REQUIRE(log->Append(Lsn{1}, "one").ok());
    REQUIRE(log->Sync().value() == Lsn{1});
    REQUIRE(log->Append(Lsn{2}, "two").ok());
    REQUIRE(log->Append(Lsn{3}, "three").ok());
    CHECK(log->LastLsn() == Lsn{3});
    CHECK(log->DurableLsn() == Lsn{1});
    REQUIRE(log->Sync().value() == Lsn{3});
    REQUIRE(log->Append(Lsn{4}, "never").ok());
  }
  CHECK(Replayed(device, kSmall) == LogRecords{{Lsn{1}, "one"}, {Lsn{2}, "two"}, {Lsn{3}, "three"}});
  CHECK(Replayed(device, kSmall, {{}, Lsn{2}}) == LogRecords{{Lsn{3}, "three"}});
}

TEST_CASE("the log agrees with a list, over reopenings and laps", "[log]") {
  for (const RecordSizes sizes : {RecordSizes::kSmall, RecordSizes::kAny}) {
    Random random(TestSeed() + static_cast<uint64_t>(sizes));
    MemoryDevice device(MiB(1));
    LogDriver driver(kSmall, sizes, random.Next());
    driver.Open(device, {});
    const int steps = static_cast<int>(5000 * TestScale());
    for (int i = 0; i < steps; ++i) {
      if (random.OneIn(50)) {
        driver.Open(device, driver.Now());
      } else {
        driver.Step(random);
      }
      REQUIRE(driver.log().Used() <= driver.log().Size());
    }
    CHECK(driver.log().Mark().sequence > 10 * kSmall.Blocks() * TestScale());
  }
}

TEST_CASE("a sync without news costs nothing", "[log]") {
  MemoryDevice memory(MiB(1));
  CountingDevice device(memory);
  const auto log = OpenNew(device, kSmall);
  REQUIRE(log->Sync().ok());
  CHECK(device.Stats().flushes == 0);
  REQUIRE(log->Append(Lsn{1}, "x").ok());
  REQUIRE(log->Sync().ok());
  const IoStats stats = device.Stats();
  CHECK(stats.writes == 1);
  CHECK(stats.flushes == 2);  // the first one after opening settles what recovery saw
  REQUIRE(log->Sync().ok());
  REQUIRE(log->WriteOut().ok());
  CHECK(device.Stats().flushes == stats.flushes);
  REQUIRE(log->Append(Lsn{2}, "y").ok());
  REQUIRE(log->WriteOut().ok());
  CHECK(device.Stats().flushes == stats.flushes);
  REQUIRE(log->Sync().ok());
  CHECK(device.Stats().flushes == stats.flushes + 1);
  CHECK(log->Counters().flushes == device.Stats().flushes);
  CHECK(log->Counters().bytes == device.Stats().written_bytes);
  CHECK(log->Counters().syncs == 4);
  CHECK(log->Counters().appends == 2);
}

TEST_CASE("a full log says so and works again after a checkpoint", "[log]") {
  MemoryDevice device(MiB(1));
  const auto log = OpenNew(device, kSmall);
  const std::string payload(1000, 'p');
  Lsn next{1};
  absl::Status status;
  for (; status.ok(); next = next.Next()) {
    REQUIRE(next < Lsn{1000});
    status = log->Append(next, payload);
    if (status.ok() && next.value % 3 == 0) REQUIRE(log->Sync().ok());
  }
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  const Lsn refused = log->LastLsn().Next();
  CHECK(log->status().ok());
  REQUIRE(log->Sync().ok());
  log->Free({log->Mark(), log->LastLsn()});
  CHECK(log->Used() == Bytes{0});
  CHECK(log->Append(refused, payload).ok());
}

TEST_CASE("a log can be filled to the last block", "[log]") {
  MemoryDevice device(MiB(1));
  {
    const auto log = OpenNew(device, kSmall);
    Lsn lsn{1};
    for (; log->Append(lsn, std::string(1000, 'p')).ok(); lsn = lsn.Next()) REQUIRE(lsn < Lsn{100});
    CHECK(log->LastLsn().value == (kSmall.size.value - FrameHeader::kSize) / 1012);
    CHECK(log->Used() == log->Size());
    REQUIRE(log->Sync().ok());
  }
  CHECK(Replayed(device, kSmall).size() == 64);
  const auto log = OpenNew(device, {KiB(128), KiB(64)});
  for (int group = 0; group < 16; ++group) {
    REQUIRE(log->Append(log->LastLsn().Next(), "x").ok());
    REQUIRE(log->Append(log->LastLsn().Next(), "y").ok());
    REQUIRE(log->Sync().ok());
  }
  CHECK(log->Append(log->LastLsn().Next(), "z").code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("a checkpoint drops what is still in memory", "[log]") {
  MemoryDevice memory(MiB(1));
  CountingDevice device(memory);
  auto log = OpenNew(device, kSmall);
  REQUIRE(log->Append(Lsn{1}, std::string(10000, 'x')).ok());
  REQUIRE(log->Append(Lsn{2}, std::string(10000, 'y')).ok());
  const Log::Checkpoint stored{log->Mark(), Lsn{2}};
  log->Free(stored);
  CHECK(log->Used() == Bytes{0});
  CHECK(log->Sync().value() == Lsn{2});
  CHECK(device.Stats().writes == 0);
  REQUIRE(log->Append(Lsn{3}, "three").ok());
  REQUIRE(log->Sync().ok());
  log = OpenNew(device, kSmall, stored);
  CHECK(log->LastLsn() == Lsn{3});
  CHECK(Replayed(device, kSmall, stored) == LogRecords{{Lsn{3}, "three"}});
  // From further back there is a hole.
  LogRecords replayed;
  CHECK(OpenLog(device, kSmall, {}, &replayed).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("a checkpoint drops the frames in memory that it has, and one flush is for the others", "[log]") {
  MemoryDevice memory(MiB(17));
  CountingDevice device(memory);
  const LogArea area{KiB(8), MiB(16)};
  auto log = OpenNew(device, area);
  const std::string payload(100000, 'p');  // ten in a frame
  for (Lsn lsn{1}; lsn <= Lsn{25}; lsn = lsn.Next()) REQUIRE(log->Append(lsn, payload).ok());
  const Log::Checkpoint stored{log->Mark(), log->LastLsn()};
  for (Lsn lsn{26}; lsn <= Lsn{45}; lsn = lsn.Next()) REQUIRE(log->Append(lsn, payload).ok());
  log->Free(stored);
  CHECK(log->Sync().value() == Lsn{45});
  CHECK(device.Stats().writes == 3);  // 21 to 30 together, since the frame was open
  CHECK(device.Stats().flushes == 2);
  log = OpenNew(device, area, stored);
  CHECK(log->LastLsn() == Lsn{45});
  CHECK(Replayed(device, area, stored).size() == 20);
}

TEST_CASE("records that a checkpoint has are not replayed, wherever they are", "[log]") {
  MemoryDevice device(MiB(1));
  const auto log = OpenNew(device, kSmall);
  REQUIRE(log->Append(Lsn{1}, "one").ok());
  REQUIRE(log->Sync().ok());
  REQUIRE(log->Append(Lsn{2}, "two").ok());
  const Log::Checkpoint stored{log->Mark(), Lsn{2}};  // record 2 is not yet written
  REQUIRE(log->Append(Lsn{3}, "three").ok());
  log->Free(stored);
  REQUIRE(log->Sync().ok());
  CHECK(Replayed(device, kSmall, stored) == LogRecords{{Lsn{3}, "three"}});
}

TEST_CASE("a record has at most a quarter of the log", "[log]") {
  MemoryDevice device(MiB(1));
  const auto log = OpenNew(device, kSmall);
  CHECK(log->MaxPayload() == KiB(16));
  CHECK(log->Append(Lsn{1}, std::string(16385, 'x')).code() == absl::StatusCode::kInvalidArgument);
  for (Lsn lsn{1}; lsn <= Lsn{50}; lsn = lsn.Next()) {
    REQUIRE(log->Append(lsn, std::string(16384, 'x')).ok());
    REQUIRE(log->Sync().ok());
    log->Free({log->Mark(), lsn});
  }
}

TEST_CASE("a log area must be possible", "[log]") {
  MemoryDevice device(MiB(1));
  const auto code = [&](Bytes offset, Bytes size) { return CheckLogArea(device, {offset, size}).code(); };
  CHECK(code(KiB(4), KiB(64)) == absl::StatusCode::kOk);
  CHECK(code(MiB(1) - KiB(64), KiB(64)) == absl::StatusCode::kOk);
  for (const auto& [offset, size] : std::vector<std::pair<Bytes, Bytes>>{{Bytes{1}, KiB(64)},
                                                                         {KiB(4), KiB(65)},
                                                                         {KiB(4), KiB(60)},
                                                                         {KiB(4), MiB(1)},
                                                                         {MiB(2), KiB(64)},
                                                                         {KiB(4), Bytes{UINT64_MAX - 4095}}}) {
    CHECK(code(offset, size) == absl::StatusCode::kInvalidArgument);
    LogRecords replayed;
    CHECK(OpenLog(device, {offset, size}, {}, &replayed).status().code() == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("what nobody syncs is held in memory, and written in frames with a flush now and then", "[log]") {
  MemoryDevice memory(MiB(65));
  CountingDevice device(memory);
  const LogArea area{KiB(8), MiB(64)};
  const auto log = OpenNew(device, area);
  const std::string payload(100000, 'p');
  for (Lsn lsn{1}; lsn <= Lsn{400}; lsn = lsn.Next()) REQUIRE(log->Append(lsn, payload).ok());
  CHECK(device.Stats().writes == 0);
  CHECK(log->Held() > MiB(36));
  CHECK(log->Used() == log->Held());
  REQUIRE(log->WriteOut().ok());
  CHECK(log->Held() == Bytes{0});
  CHECK(device.Stats().written_bytes > MiB(36));
  CHECK(device.Stats().writes == 40);
  CHECK(device.Stats().flushes >= 8);
  CHECK(device.Stats().flushes <= 10);
  REQUIRE(log->Append(Lsn{401}, std::string(MiB(16).value, 'x')).ok());  // larger than a frame is meant to be
  REQUIRE(log->Append(Lsn{402}, "y").ok());
  REQUIRE(log->Sync().ok());
  CHECK(Replayed(device, area).size() == 402);
}

TEST_CASE("the error of the one who replays ends the opening", "[log]") {
  MemoryDevice device(MiB(1));
  const auto log = OpenNew(device, kSmall);
  for (Lsn lsn{1}; lsn <= Lsn{2}; lsn = lsn.Next()) REQUIRE(log->Append(lsn, "some").ok());
  REQUIRE(log->Sync().ok());
  const auto replay = [](Lsn lsn, std::string_view) {
    return lsn == Lsn{2} ? absl::AbortedError("no more") : absl::OkStatus();
  };
  CHECK(Log::Open(device, kSmall, kTestSalt, {}, replay).status().message() == "no more");
}

TEST_CASE("a log that ended cleanly is not searched, unless it goes on", "[log]") {
  MemoryDevice memory(MiB(32));
  CountingDevice device(memory);
  constexpr LogArea kArea{KiB(64), MiB(16)};
  Log::Checkpoint end;
  {
    const auto log = OpenNew(device, kArea);
    for (Lsn lsn{1}; lsn <= Lsn{10}; lsn = lsn.Next()) REQUIRE(log->Append(lsn, std::string(300'000, 'x')).ok());
    REQUIRE(log->Sync().ok());
    end = {log->Mark(), Lsn{10}, log->opening()};
  }
  const Bytes before = device.Stats().read_bytes;
  {
    const auto log = OpenNew(device, kArea, end);
    CHECK(device.Stats().read_bytes - before <= MiB(1));
    CHECK(log->opening() > end.opening);
    CHECK(log->LastLsn() == Lsn{10});
    REQUIRE(log->Append(Lsn{11}, "more").ok());
    REQUIRE(log->Sync().ok());
  }
  CHECK(Replayed(device, kArea, end) == LogRecords{{Lsn{11}, "more"}});
  CHECK(OpenNew(device, kArea, end)->opening() > end.opening + 1);
}

TEST_CASE("what comes before the first write of a log comes once, and keeps it from writing if it fails", "[log]") {
  MemoryDevice memory(MiB(1));
  CountingDevice device(memory);
  int calls = 0;
  absl::Status answer = absl::UnavailableError("not now");
  const auto prepare = [&] {
    CHECK(device.Stats().writes == 0);
    ++calls;
    return answer;
  };
  {
    const auto log = OpenNew(device, kSmall);
    log->BeforeFirstWrite(prepare);
    REQUIRE(log->Append(Lsn{1}, "one").ok());
    CHECK(calls == 0);
    for (int i = 0; i < 2; ++i) CHECK(absl::IsUnavailable(log->Sync().status()));
  }
  CHECK(calls == 1);
  CHECK(device.Stats().writes == 0);
  answer = absl::OkStatus();
  const auto log = OpenNew(device, kSmall);
  log->BeforeFirstWrite(prepare);
  for (Lsn lsn{1}; lsn <= Lsn{3}; lsn = lsn.Next()) {
    REQUIRE(log->Append(lsn, "some").ok());
    REQUIRE(log->Sync().ok());
  }
  CHECK(calls == 2);
  CHECK(device.Stats().writes == 3);
}

TEST_CASE("frames of another store are not taken, and formatting removes our own", "[log]") {
  MemoryDevice device(MiB(1));
  {
    const auto log = OpenNew(device, kSmall);
    for (Lsn lsn{1}; lsn <= Lsn{10}; lsn = lsn.Next()) {
      REQUIRE(log->Append(lsn, std::string(3000, 'x')).ok());
      REQUIRE(log->Sync().ok());
    }
  }
  const auto none = [](Lsn, std::string_view) { return absl::InternalError("a record"); };
  CHECK(Log::Open(device, kSmall, kTestSalt + 1, {}, none).ok());
  REQUIRE(Log::Format(device, kSmall, kTestSalt + 1).ok());
  CHECK(Replayed(device, kSmall).size() == 10);
  REQUIRE(Log::Format(device, kSmall, kTestSalt).ok());
  CHECK(Log::Open(device, kSmall, kTestSalt, {}, none).ok());
  CHECK(Log::Format(device, {KiB(4), KiB(4)}, kTestSalt).code() == absl::StatusCode::kInvalidArgument);
}

// Appends and syncs until something fails; returns what Sync had promised.
Lsn RunUntilError(Log& log, absl::Status* error) {
  Lsn synced;
  for (Lsn lsn{1}; lsn <= Lsn{20}; lsn = lsn.Next()) {
    *error = log.Append(lsn, std::string(lsn.value * 97, 'x'));
    if (error->ok() && lsn.value % 3 == 1) *error = log.WriteOut();
    if (error->ok() && lsn.value % 4 == 0) *error = log.Sync().status();
    if (!error->ok()) break;
    if (lsn.value % 4 == 0) synced = lsn;
  }
  return synced;
}

TEST_CASE("after a failed write or flush nothing more becomes durable", "[log]") {
  for (const Fault::On on : {Fault::On::kWrite, Fault::On::kFlush}) {
    for (const Fault::Effect effect : {Fault::Effect::kIoError, Fault::Effect::kHalfDone}) {
      for (uint64_t nth = 1;; ++nth) {
        MemoryDevice memory(MiB(1));
        FaultDevice device(memory);
        const auto log = OpenNew(device, kSmall);
        device.Arm({.on = on, .nth = nth, .repeat = Fault::Repeat::kOnce, .effect = effect});
        absl::Status error;
        const Lsn synced = RunUntilError(*log, &error);
        if (device.Hits() == 0) break;
        REQUIRE(nth < 100);
        REQUIRE(error.code() == absl::StatusCode::kUnavailable);
        CHECK(log->status() == error);
        CHECK(log->Append(log->LastLsn().Next(), "x") == error);
        if (log->LastLsn() > log->DurableLsn()) CHECK(log->Sync().status() == error);
        CHECK(log->DurableLsn() >= synced);
        const Lsn durable = log->DurableLsn();
        const LogRecords replayed = Replayed(memory, kSmall);
        CHECK(replayed.size() >= durable.value);
      }
    }
  }
}

TEST_CASE("a device that cannot be read is not an empty log", "[log]") {
  MemoryDevice memory(MiB(1));
  FaultDevice device(memory);
  REQUIRE(OpenNew(device, kSmall)->Append(Lsn{1}, "x").ok());
  device.Arm({.on = Fault::On::kRead});
  LogRecords replayed;
  CHECK(OpenLog(device, kSmall, {}, &replayed).status().code() == absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace betr::store
