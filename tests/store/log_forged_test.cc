// SPDX-License-Identifier: Apache-2.0
// Frames that no log writes, made by hand under good checksums: what none can say is not believed.
#include <catch2/catch.hpp>
#include <string>

#include "base/checksum.h"
#include "device/memory_device.h"
#include "layout/superblock.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

constexpr LogArea kArea{KiB(8), KiB(128)};

// A frame as a log of that area may have it, until something is changed.
struct Frame {
  FrameHeader header;
  std::string records;

  explicit Frame(std::initializer_list<uint64_t> lsns) {
    header.salt = kTestSalt;
    header.opening = 1;
    header.first_lsn = Lsn{*lsns.begin()};
    header.record_count = static_cast<uint32_t>(lsns.size());
    for (const uint64_t lsn : lsns) AppendRecord(Lsn{lsn}, "payload", &records);
  }

  LogPosition Write(BlockDevice& device, const LogPosition& at) {
    header.position = at;
    header.record_bytes = static_cast<uint32_t>(records.size());
    std::string bytes((kBlockSize * header.Blocks()).value, '\0');
    records.copy(bytes.data() + FrameHeader::kSize, records.size());
    header.record_checksum = Checksum(std::string_view(bytes).substr(FrameHeader::kSize));
    StoreFrameHeader(&header, bytes);
    REQUIRE(WriteLogBlocks(device, kArea, at.sequence, bytes).ok());
    return header.End();
  }
};

class ForgedLog {
 public:
  ForgedLog& Then(Frame frame) {
    end_ = frame.Write(device_, end_);
    return *this;
  }
  // Opens it; how many records there are after `lsn`.
  absl::StatusOr<size_t> Replayed(Lsn lsn = {}) {
    size_t records = 0;
    const auto count = [&](Lsn, std::string_view) {
      ++records;
      return absl::OkStatus();
    };
    const auto log = Log::Open(device_, kArea, kTestSalt, {{}, lsn}, count);
    opening_ = log.ok() ? (*log)->opening() : 0;
    return log.ok() ? absl::StatusOr<size_t>(records) : log.status();
  }
  bool IsDamaged(Lsn lsn = {}) { return absl::IsDataLoss(Replayed(lsn).status()); }
  uint64_t opening() const { return opening_; }

 private:
  MemoryDevice device_{KiB(160)};
  LogPosition end_;
  uint64_t opening_ = 0;
};

TEST_CASE("a forged log: frames and records follow each other", "[log]") {
  CHECK(*ForgedLog().Then(Frame({1, 2})).Then(Frame({3})).Replayed() == 3);
  CHECK(*ForgedLog().Then(Frame({1, 2})).Then(Frame({3})).Replayed(Lsn{2}) == 1);
  CHECK(ForgedLog().Then(Frame({1, 2})).Then(Frame({4})).IsDamaged());
  CHECK(ForgedLog().Then(Frame({1, 3})).IsDamaged());
  CHECK(ForgedLog().Then(Frame({2})).IsDamaged());
  // What a checkpoint has may be missing; it is in order all the same.
  CHECK(*ForgedLog().Then(Frame({3})).Then(Frame({5, 6})).Replayed(Lsn{5}) == 1);
  CHECK(ForgedLog().Then(Frame({3})).Then(Frame({3, 6})).IsDamaged(Lsn{5}));
  CHECK(ForgedLog().Then(Frame({4, 3})).IsDamaged(Lsn{5}));
}

TEST_CASE("a forged log: a frame has the records that its header announces", "[log]") {
  Frame frame({1, 2});
  SECTION("none") {
    frame.records.clear();
    frame.header.record_count = 0;
  }
  SECTION("one less") { --frame.header.record_count; }
  SECTION("one more") { ++frame.header.record_count; }
  SECTION("others") { frame.header.first_lsn = Lsn{2}; }
  CHECK(ForgedLog().Then(frame).IsDamaged());
}

TEST_CASE("a forged log: what no header says is none", "[log]") {
  const auto is_taken = [](Frame frame) {
    ForgedLog log;
    const bool taken = *log.Then(std::move(frame)).Replayed() > 0;
    CHECK(log.opening() == (taken ? 2 : 1));  // one more than any that was seen
    return taken;
  };
  Frame frame({1});
  CHECK(is_taken(frame));
  frame.header.durable = 1;  // more than comes before it
  CHECK_FALSE(is_taken(frame));
  frame.header.durable = 0;
  frame.header.opening = layout::kMaxCounter + 1;
  CHECK_FALSE(is_taken(frame));
}

}  // namespace
}  // namespace betr::store
