// SPDX-License-Identifier: Apache-2.0
// Damage in the log: reported wherever a later frame says that the place had been durable; never taken for records.
#include <catch2/catch.hpp>

#include "base/checksum.h"
#include "base/coding.h"
#include "device/memory_device.h"
#include "support/seed.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

constexpr LogArea kArea{KiB(8), KiB(128)};

// Three synced groups (the second with a large record and records that a checkpoint might have), then one more.
struct Written {
  MemoryDevice device{KiB(160)};
  LogRecords records;
  Log::Checkpoint from;
  LogPosition last_group;  // where the group begins that nothing comes after
  LogPosition end;
};

void WriteGroup(Log& log, Written* written, std::vector<size_t> sizes, Random& random) {
  written->last_group = log.Mark();
  for (const size_t size : sizes) {
    const Lsn lsn = log.LastLsn().Next();
    std::string payload = random.String(size);
    REQUIRE(log.Append(lsn, payload).ok());
    written->records.emplace_back(lsn, std::move(payload));
  }
  REQUIRE(log.Sync().ok());
  written->end = log.Mark();
}

std::unique_ptr<Written> WriteLog() {
  Random random(TestSeed());
  auto written = std::make_unique<Written>();
  LogRecords replayed;
  const auto log = OpenLog(written->device, kArea, {}, &replayed);
  REQUIRE(log.ok());
  // Go most of the way round, so that the log of interest wraps.
  for (int i = 0; i < 14; ++i) WriteGroup(**log, written.get(), {5000}, random);
  written->records.clear();
  written->from = {(*log)->Mark(), (*log)->LastLsn()};
  (*log)->Free(written->from);
  WriteGroup(**log, written.get(), {10, 0, 300}, random);
  WriteGroup(**log, written.get(), {4000, 25000, 7}, random);
  WriteGroup(**log, written.get(), {4004}, random);
  WriteGroup(**log, written.get(), {100, 5000}, random);
  REQUIRE(written->end.sequence > kArea.Blocks());
  return written;
}

Bytes OffsetOf(const LogArea& area, uint64_t sequence) { return area.offset + kBlockSize * (sequence % area.Blocks()); }

// Flips bits of one byte, calls `check`, and mends it.
template <class F>
void WithDamage(MemoryDevice& device, Bytes offset, uint8_t bits, F check) {
  char byte;
  REQUIRE(device.Read(offset, {&byte, 1}).ok());
  const char wrong = static_cast<char>(static_cast<uint8_t>(byte) ^ bits);
  REQUIRE(device.Patch(offset, {&wrong, 1}).ok());
  check();
  REQUIRE(device.Patch(offset, {&byte, 1}).ok());
}

bool IsPrefix(const LogRecords& shorter, const LogRecords& longer) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

TEST_CASE("each damaged byte of the acknowledged log is reported", "[log]") {
  const auto written = WriteLog();
  Random random(TestSeed() + 1);
  LogRecords replayed;
  for (uint64_t sequence = written->from.position.sequence; sequence < written->end.sequence; ++sequence) {
    for (uint64_t at = 0; at < kBlockSize.value; at += at < FrameHeader::kSize ? 1 : 1 + random.Uniform(20)) {
      WithDamage(written->device, OffsetOf(kArea, sequence) + Bytes{at}, 1 << random.Uniform(8), [&] {
        const auto log = OpenLog(written->device, kArea, written->from, &replayed);
        REQUIRE(IsPrefix(replayed, written->records));
        if (sequence < written->last_group.sequence) {
          REQUIRE(log.status().code() == absl::StatusCode::kDataLoss);
          REQUIRE(replayed.size() < written->records.size());
        } else {  // nothing says that the last group was more than torn
          REQUIRE(log.ok());
          REQUIRE((*log)->Mark() == written->last_group);
        }
      });
    }
  }
  REQUIRE(OpenLog(written->device, kArea, written->from, &replayed).ok());
  CHECK(replayed == written->records);
}

TEST_CASE("damage is reported with its place", "[log]") {
  const auto written = WriteLog();
  LogRecords replayed;
  const uint64_t sequence = written->from.position.sequence;
  WithDamage(written->device, OffsetOf(kArea, sequence), 1, [&] {
    const absl::Status status = OpenLog(written->device, kArea, written->from, &replayed).status();
    CHECK(status.message() == "memory: log frame " + std::to_string(sequence) + " at offset " +
                                  std::to_string(OffsetOf(kArea, sequence).value) +
                                  ": no intact frame, but this was durable, says frame " +
                                  std::to_string(sequence + 1));
  });
}

TEST_CASE("a position that is not that of a frame is reported, not an empty log", "[log]") {
  const auto written = WriteLog();
  LogRecords replayed;
  Log::Checkpoint from = written->from;
  ++from.position.sequence;
  CHECK(OpenLog(written->device, kArea, from, &replayed).status().code() == absl::StatusCode::kDataLoss);
  from = written->from;
  ++from.position.chain;
  CHECK(OpenLog(written->device, kArea, from, &replayed).status().code() == absl::StatusCode::kDataLoss);
  // An older checkpoint, whose log has been written over since.
  CHECK(OpenLog(written->device, kArea, {}, &replayed).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("records that do not follow a checkpoint are reported", "[log]") {
  const auto written = WriteLog();
  LogRecords replayed;
  Log::Checkpoint from = written->from;
  from.lsn = Lsn{from.lsn.value - 1};
  CHECK(OpenLog(written->device, kArea, from, &replayed).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("damage in the head of a large frame is reported", "[log]") {
  constexpr LogArea kLarge{KiB(4), MiB(64)};
  MemoryDevice device(MiB(65));
  LogRecords replayed;
  {
    const auto log = OpenLog(device, kLarge, {}, &replayed);
    REQUIRE(log.ok());
    REQUIRE((*log)->Append(Lsn{1}, std::string(MiB(16).value, 'x')).ok());
    REQUIRE((*log)->Sync().ok());
    REQUIRE((*log)->Append(Lsn{2}, "y").ok());
    REQUIRE((*log)->Sync().ok());
  }
  for (uint64_t at = 0; at < FrameHeader::kSize; ++at) {
    WithDamage(device, kLarge.offset + Bytes{at}, 0x10,
               [&] { CHECK(OpenLog(device, kLarge, {}, &replayed).status().code() == absl::StatusCode::kDataLoss); });
  }
}

// Writes a frame with whatever header and records, whose checksums are right, at the beginning of a log.
void WriteForged(MemoryDevice& device, FrameHeader header, std::string_view records) {
  std::string frame(FrameHeader::kSize, '\0');
  frame += records;
  frame.resize((kBlockSize * FrameBlocks(records.size())).value);
  header.salt = kTestSalt;
  header.record_checksum = Checksum(std::string_view(frame).substr(FrameHeader::kSize));
  StoreFrameHeader(&header, frame);
  REQUIRE(WriteLogBlocks(device, kArea, 0, frame).ok());
}

TEST_CASE("frames that are intact but wrong are damage", "[log]") {
  MemoryDevice device(KiB(160));
  LogRecords replayed;
  const auto code = [&] { return OpenLog(device, kArea, {}, &replayed).status().code(); };
  std::string records;
  AppendRecord(Lsn{1}, "one", &records);
  const auto bytes = static_cast<uint32_t>(records.size());
  const auto header = [](uint64_t lsn, uint32_t record_bytes, uint32_t count) {
    FrameHeader made;
    made.first_lsn = Lsn{lsn};
    made.record_bytes = record_bytes;
    made.record_count = count;
    return made;
  };
  WriteForged(device, header(1, bytes, 1), records);
  CHECK(code() == absl::StatusCode::kOk);
  CHECK(replayed == LogRecords{{Lsn{1}, "one"}});
  for (const FrameHeader& wrong : {header(2, bytes, 1), header(1, bytes, 2), header(1, bytes, 0),
                                   header(1, bytes - 1, 1), header(1, bytes + 1, 1), header(1, UINT32_MAX, 1)}) {
    WriteForged(device, wrong, records);
    CHECK(code() == absl::StatusCode::kDataLoss);
  }
  AppendRecord(Lsn{3}, "three", &records);
  WriteForged(device, header(1, static_cast<uint32_t>(records.size()), 2), records);
  CHECK(code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("whatever the log area holds, opening ends, with a prefix or an error", "[log]") {
  const auto written = WriteLog();
  Random random(TestSeed() + 2);
  const int rounds = static_cast<int>(3000 * TestScale());
  for (int round = 0; round < rounds; ++round) {
    MemoryDevice device(KiB(160), written->device.Pages());
    for (uint64_t changes = 1 + random.Skewed(4); changes > 0; --changes) {
      const uint64_t sector = random.Uniform(kArea.size / kSectorSize);
      const uint64_t other = random.Uniform(kArea.size / kSectorSize);
      std::string bytes(kSectorSize.value, '\0');
      if (random.OneIn(2)) REQUIRE(device.Read(kArea.offset + kSectorSize * other, bytes).ok());
      if (random.OneIn(2)) StoreFixed(bytes.data() + 8 * random.Uniform(10), random.Skewed(63));
      REQUIRE(device.Patch(kArea.offset + kSectorSize * sector, bytes).ok());
    }
    LogRecords replayed;
    const auto log = OpenLog(device, kArea, written->from, &replayed);
    REQUIRE(IsPrefix(replayed, written->records));
    REQUIRE((log.ok() || log.status().code() == absl::StatusCode::kDataLoss));
  }
}

}  // namespace
}  // namespace betr::store
