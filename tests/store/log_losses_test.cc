// SPDX-License-Identifier: Apache-2.0
// What is told of a log that is damaged in its midst, and what is left of it, when it is cut there.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory_device.h"
#include "device/recording_device.h"
#include "store/log/log_format.h"
#include "store/offline/inspect.h"
#include "store/offline/repair_image.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

constexpr std::string_view kKeys = "abcd";  // one record each, and one frame of a block

// What a crash leaves of a store whose batches were synced one by one since the last checkpoint.
std::unique_ptr<MemoryDevice> CrashedImage() {
  MemoryDevice device(MiB(4));
  Must(Store::Format(device, SmallFormat()));
  const auto store = OpenOn(device);
  const TreeId tree = Must(store->CreateTree("t"));
  Must(store->Checkpoint());
  for (const char key : kKeys) {
    Must(store->Put(tree, std::string(1, key), "value"));
    Must(store->Sync());
  }
  return std::make_unique<MemoryDevice>(device.Size(), device.Pages());
}

class DamagedLog {
 public:
  DamagedLog() : device_(CrashedImage()) {
    const auto look = Must(store::Inspection::Open(*device_, MiB(4)));
    area_ = look->log_area();
    start_ = look->log_start();
  }

  // The records of a frame; its header stays.
  void DamageRecords(char key) { Must(device_->Patch(PlaceOf(key) + Bytes{store::FrameHeader::kSize}, "damaged")); }
  void DamageHeader(char key) { Must(device_->Patch(PlaceOf(key), "damaged")); }

  // What is said to be lost.
  std::vector<std::string> Mend() {
    RecordingDevice recording(*device_, device_->Pages());
    const auto look = Must(store::Inspection::Open(recording, MiB(4)));
    std::vector<std::string> lost;
    for (const store::LostRange& range : Must(store::MendLog(*look)).lost) lost.push_back(range.why);
    CHECK(recording.History().Unflushed(recording.History().EventCount()).empty());
    return lost;
  }
  std::string Records(uint64_t from, uint64_t to) const {
    return "whatever they changed: log records " + std::to_string(start_.lsn.value + from) + " to " +
           std::to_string(start_.lsn.value + to) + " cannot be read";
  }
  std::string Record(uint64_t number) const { return "log record " + std::to_string(start_.lsn.value + number); }
  std::string KeysLeft() const {
    std::string keys;
    for (const auto& [key, value] : ContentOf(*OpenOn(*device_))) keys += key;
    return keys;
  }

  MemoryDevice& device() { return *device_; }
  const store::LogArea& area() const { return area_; }
  uint64_t start() const { return start_.position.sequence; }

 private:
  Bytes PlaceOf(char key) const { return area_.offset + kBlockSize * ((start() + kKeys.find(key)) % area_.Blocks()); }

  std::unique_ptr<MemoryDevice> device_;
  store::LogArea area_;
  store::Log::Checkpoint start_;
};

}  // namespace

TEST_CASE("records that cannot be read are told, before others and at the end", "[store][log]") {
  DamagedLog log;
  using Lost = std::vector<std::string>;
  log.DamageRecords('b');
  SECTION("one record") { CHECK(log.Mend() == Lost{log.Records(2, 2), log.Record(3), log.Record(4)}); }
  SECTION("two of them") {
    log.DamageHeader('c');
    CHECK(log.Mend() == Lost{log.Records(2, 3), log.Record(4)});
  }
  SECTION("all, of which the headers tell") {
    log.DamageRecords('c');
    log.DamageRecords('d');
    CHECK(log.Mend() == Lost{log.Records(2, 4)});
  }
  CHECK(log.KeysLeft() == "a");
}

TEST_CASE("a log that is cut has no frame behind the cut, wherever it lies", "[store][log]") {
  DamagedLog log;
  const uint64_t last = log.start() + log.area().Blocks() - 1;
  // An old frame may be anywhere: here in the block that would be written last.
  std::string block(kBlockSize.value, '\0');
  REQUIRE(store::ReadLogBlocks(log.device(), log.area(), log.start(), block).ok());
  REQUIRE(store::WriteLogBlocks(log.device(), log.area(), last, block).ok());
  log.DamageRecords('b');
  log.Mend();
  for (uint64_t sequence = log.start() + 1; sequence <= last; ++sequence) {
    REQUIRE(store::ReadLogBlocks(log.device(), log.area(), sequence, block).ok());
    REQUIRE_FALSE(store::LoadFrameHeader(block).has_value());
  }
}

}  // namespace betr::test
