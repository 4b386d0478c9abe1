// SPDX-License-Identifier: Apache-2.0
// The log and crashes: after any crash, with any sectors written since the last flush lost, reordered or torn, a
// prefix of what was appended comes back, with all that was synced; also when the crash hits a log that has been
// through crashes before.
#include <catch2/catch.hpp>

#include "device/memory_device.h"
#include "support/seed.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

constexpr LogArea kArea{KiB(4), KiB(64)};
constexpr Bytes kDeviceSize = KiB(80);

// A driver, its device, and what was known after each step.
struct Life {
  Life(LogDriver& log_driver, std::unique_ptr<MemoryDevice> start, const LogMoment& moment)
      : driver(log_driver), memory(std::move(start)), device(*memory, memory->Pages()) {
    driver.Open(device, moment);
    Note();
  }

  void Note() {
    LogMoment now = driver.Now();
    now.events = device.History().EventCount();
    moments.push_back(now);
  }

  void Run(Random& random, int steps) {
    for (int i = 0; i < steps; ++i) {
      driver.Step(random);
      Note();
    }
  }

  void CheckCrash(const CrashPlan& plan) const {
    INFO(FormatPlan(plan));
    const auto image = device.History().CrashImage(plan);
    driver.Recover(*image, MomentOfCrash(moments, plan.events));
  }

  LogDriver& driver;
  std::unique_ptr<MemoryDevice> memory;
  RecordingDevice device;
  std::vector<LogMoment> moments;
};

// The moments of one crash point: every event arrived; each one alone lost; none; random ones.
void CheckCrashPoint(const Life& life, size_t events, Random& random, int samples) {
  const WriteHistory& history = life.device.History();
  life.CheckCrash(history.PrefixPlan(events));
  const size_t unflushed = history.Unflushed(events).size();
  REQUIRE(unflushed < 64);
  const uint64_t all = (uint64_t{1} << unflushed) - 1;
  life.CheckCrash(history.SubsetPlan(events, 0));
  for (size_t i = 0; i < unflushed; ++i) life.CheckCrash(history.SubsetPlan(events, all & ~(uint64_t{1} << i)));
  for (int i = 0; i < samples; ++i) life.CheckCrash(history.RandomPlan(events, random));
}

TEST_CASE("a log survives a crash at every write", "[log]") {
  Random random(TestSeed());
  const int rounds = static_cast<int>(40 * TestScale()) + 1;
  for (int round = 0; round < rounds; ++round) {
    LogDriver driver(kArea, round % 2 == 0 ? RecordSizes::kSmall : RecordSizes::kAny, random.Next());
    Life life(driver, std::make_unique<MemoryDevice>(kDeviceSize), {});
    life.Run(random, 150);
    const size_t events = life.device.History().EventCount();
    for (size_t n = 0; n <= events; ++n) CheckCrashPoint(life, n, random, 6);
  }
}

TEST_CASE("a write of the log may tear at every sector", "[log]") {
  Random random(TestSeed() + 1);
  LogDriver driver(kArea, RecordSizes::kAny, random.Next());
  Life life(driver, std::make_unique<MemoryDevice>(kDeviceSize), {});
  life.Run(random, 150);
  const WriteHistory& history = life.device.History();
  for (size_t n = 1; n <= history.EventCount(); ++n) {
    if (history.GetEvent(n - 1).kind != WriteHistory::Kind::kWrite) continue;
    const CrashPlan plan = history.PrefixPlan(n);
    for (Bytes kept{0}; kept < history.GetEvent(n - 1).length; kept += kSectorSize) {
      life.CheckCrash(TearLast(plan, kept));
    }
  }
}

TEST_CASE("a log survives crash after crash", "[log]") {
  Random random(TestSeed() + 2);
  const int rounds = static_cast<int>(200 * TestScale()) + 1;
  for (int round = 0; round < rounds; ++round) {
    LogDriver driver(kArea, round % 2 == 0 ? RecordSizes::kSmall : RecordSizes::kAny, random.Next());
    auto life = std::make_unique<Life>(driver, std::make_unique<MemoryDevice>(kDeviceSize), LogMoment{});
    for (int lives = 0; lives < 12; ++lives) {
      life->Run(random, static_cast<int>(random.Uniform(40)));
      const WriteHistory& history = life->device.History();
      const size_t events = static_cast<size_t>(random.Uniform(history.EventCount() + 1));
      CheckCrashPoint(*life, events, random, 4);
      const CrashPlan plan = history.RandomPlan(events, random);
      INFO(FormatPlan(plan));
      auto next = std::make_unique<Life>(driver, history.CrashImage(plan), MomentOfCrash(life->moments, events));
      life = std::move(next);
    }
  }
}

// Appends the record that always has this LSN and writes it out as a frame of its own.
void AppendFrame(Log& log, Lsn lsn) {
  REQUIRE(log.Append(lsn, "payload " + std::to_string(lsn.value)).ok());
  REQUIRE(log.WriteOut().ok());
}

TEST_CASE("a frame that lost its predecessor does not come back when the same bytes are written again", "[log]") {
  auto memory = std::make_unique<MemoryDevice>(kDeviceSize);
  LogRecords replayed;
  // Lives that all write the same; each crash takes the frame of record 2 and leaves that of record 3.
  for (int life = 0; life < 3; ++life) {
    RecordingDevice device(*memory, memory->Pages());
    const auto log = OpenLog(device, kArea, {}, &replayed);
    REQUIRE(log.ok());
    REQUIRE(replayed.size() == (life == 0 ? 0 : 1));
    if (life == 0) AppendFrame(**log, Lsn{1});
    REQUIRE((*log)->Sync().ok());
    AppendFrame(**log, Lsn{2});
    if (life > 0) {  // had the stale frame of record 3 come alive, it would now be the next
      const auto image = device.History().CrashImage(device.History().PrefixPlan(device.History().EventCount()));
      REQUIRE(OpenLog(*image, kArea, {}, &replayed).ok());
      REQUIRE(replayed.size() == 2);
    }
    AppendFrame(**log, Lsn{3});
    const WriteHistory& history = device.History();
    const size_t events = history.EventCount();
    REQUIRE(history.Unflushed(events).size() == 2);
    auto image = history.CrashImage(history.SubsetPlan(events, 0b10));
    memory = std::move(image);
  }
}

// A log with one record, and a frame with another one that lacks the sector at `missing`; before, the area was
// full of ones.
std::unique_ptr<MemoryDevice> TornFrame(Bytes missing, LogRecords* replayed) {
  MemoryDevice memory(kDeviceSize);
  REQUIRE(memory.Write(kArea.offset, std::string(kArea.size.value, '\xff')).ok());
  RecordingDevice device(memory, memory.Pages());
  const auto log = OpenLog(device, kArea, {}, replayed);
  REQUIRE(log.ok());
  AppendFrame(**log, Lsn{1});
  REQUIRE((*log)->Sync().ok());
  REQUIRE((*log)->Append(Lsn{2}, std::string(3000, 'x')).ok());
  REQUIRE((*log)->WriteOut().ok());
  const WriteHistory& history = device.History();
  const size_t last = history.EventCount() - 1;
  const Bytes behind = missing + kSectorSize;
  return history.CrashImage({last + 1, {{last, Bytes{0}, missing}, {last, behind, kBlockSize - behind}}});
}

TEST_CASE("a torn frame does not become whole by parts of what is written over it", "[log]") {
  // Sectors full of x, of zeros behind the records, and the second one.
  for (const Bytes missing : {Bytes{2048}, Bytes{3584}, Bytes{512}}) {
    LogRecords replayed;
    const auto image = TornFrame(missing, &replayed);
    RecordingDevice device(*image, image->Pages());
    const auto log = OpenLog(device, kArea, {}, &replayed);
    REQUIRE(log.ok());
    REQUIRE(replayed.size() == 1);
    REQUIRE((*log)->Append(Lsn{2}, std::string(2990, 'x')).ok());
    REQUIRE((*log)->WriteOut().ok());
    const WriteHistory& history = device.History();
    REQUIRE(history.EventCount() == 4);  // the first frame once more, the header erased, a flush, the new frame
    // Of each write there arrives nothing but the missing sector, or all but the first.
    for (const size_t event : {size_t{1}, size_t{3}}) {
      for (const auto& [from, length] : {std::pair(missing, kSectorSize), std::pair(kSectorSize, Bytes{3584})}) {
        REQUIRE(OpenLog(*history.CrashImage({event + 1, {{event, from, length}}}), kArea, {}, &replayed).ok());
        CHECK(replayed.size() == 1);
      }
    }
  }
}

TEST_CASE("what recovery saw is stored before anything follows it", "[log]") {
  MemoryDevice memory(kDeviceSize);
  LogRecords replayed;
  {
    const auto log = OpenLog(memory, kArea, {}, &replayed);
    REQUIRE(log.ok());
    AppendFrame(**log, Lsn{1});
  }
  // The program ended, the machine did not: its writes are seen, but not flushed.
  RecordingDevice device(memory, memory.Pages());
  const auto log = OpenLog(device, kArea, {}, &replayed);
  REQUIRE(log.ok());
  CHECK((*log)->LastLsn() == Lsn{1});
  CHECK((*log)->DurableLsn() == Lsn{0});
  CHECK(device.History().EventCount() == 0);
  AppendFrame(**log, Lsn{2});
  CHECK((*log)->DurableLsn() == Lsn{1});
  REQUIRE(device.History().EventCount() == 3);
  CHECK(device.History().GetEvent(0).offset == kArea.offset);
  CHECK(device.History().GetEvent(1).kind == WriteHistory::Kind::kFlush);
}

TEST_CASE("stale frames lie within the window that recovery looks at", "[log]") {
  constexpr LogArea kLarge{KiB(4), MiB(64)};
  MemoryDevice memory(MiB(65));
  RecordingDevice device(memory);
  LogRecords replayed;
  const auto log = OpenLog(device, kLarge, {}, &replayed);
  REQUIRE(log.ok());
  Random random(TestSeed() + 3);
  Lsn lsn;
  for (int i = 0; i < 60; ++i) {
    lsn = lsn.Next();
    REQUIRE((*log)->Append(lsn, std::string(static_cast<size_t>(random.Uniform(KiB(900).value)), 'x')).ok());
    if (random.OneIn(4)) REQUIRE((*log)->WriteOut().ok());
  }
  const WriteHistory& history = device.History();
  const Bytes window = kMaxUnflushed + kBlockSize * MaxFrameBlocks(kLarge);
  for (size_t n = 0; n <= history.EventCount(); ++n) {
    const std::vector<size_t> unflushed = history.Unflushed(n);
    if (unflushed.empty()) continue;
    const WriteHistory::Event last = history.GetEvent(unflushed.back());
    CHECK(last.offset + last.length - history.GetEvent(unflushed.front()).offset <= window);
  }
}

}  // namespace
}  // namespace betr::store
