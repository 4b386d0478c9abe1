// SPDX-License-Identifier: Apache-2.0
// What an undo file keeps, and what it puts back.
#include "device/undo_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "device/fault_device.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "support/device/data_flushes.h"
#include "support/device/directory_flushes.h"
#include "support/device/hook_device.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"

namespace betr {
namespace {

constexpr Bytes kSize = KiB(256);
constexpr uint64_t kBlocks = 64;
constexpr Bytes kMarks[] = {Bytes{0}, KiB(4)};

std::string Contents(BlockDevice& device) {
  std::string bytes(device.Size().value, '\0');
  REQUIRE(device.Read(Bytes{0}, bytes).ok());
  return bytes;
}

TEST_CASE("what a write replaces is in the undo file, and stored, before it", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  DataFlushes flushes;
  int writes = 0;
  test::HookDevice watched(device, nullptr, [&] {
    ++writes;
    CHECK(flushes.TakeCount(path) == 1);
    return absl::OkStatus();
  });
  const auto undo = UndoDevice::Create(watched, path, {});
  REQUIRE(undo.ok());
  flushes.TakeCount(path);
  for (const Bytes at : {KiB(8), KiB(12), KiB(8)}) REQUIRE((*undo)->Write(at, std::string(4096, 'x')).ok());
  CHECK(writes == 3);
}

TEST_CASE("an undo file puts back whatever was written", "[device]") {
  const TempDir dir;
  Random random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    const std::string path = dir.File("undo" + std::to_string(round));
    MemoryDevice device(kSize);
    REQUIRE(device.Write(Bytes{0}, random.String(kSize.value / 2)).ok());
    const std::string before = Contents(device);
    {
      const auto undo = UndoDevice::Create(device, path, {});
      REQUIRE(undo.ok());
      for (int i = 0; i < 30; ++i) {
        const uint64_t block = random.Uniform(60);
        REQUIRE((*undo)->Write(kBlockSize * block, random.String(kBlockSize.value * (1 + random.Uniform(4)))).ok());
        REQUIRE((*undo)->Discard(kBlockSize * random.Uniform(60), kBlockSize).ok());
      }
    }
    REQUIRE(Contents(device) != before);
    const auto undone = ApplyUndoFile(path, device, UndoFit::kDemand);
    REQUIRE(undone.ok());
    CHECK(undone->blocks > 0);
    CHECK_FALSE(undone->is_cut_short);
    CHECK(Contents(device) == before);
    CHECK(ApplyUndoFile(path, device, UndoFit::kDemand)->blocks == 0);
  }
}

TEST_CASE("an undo file is there before anything is overwritten", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  FaultDevice faulty(device);
  const auto undo = UndoDevice::Create(faulty, path, {});
  REQUIRE(undo.ok());
  faulty.Arm({Fault::On::kWrite, 1});
  CHECK_FALSE((*undo)->Write(Bytes{0}, std::string(kBlockSize.value, 'x')).ok());
  faulty.Disarm();
  CHECK(ApplyUndoFile(path, device, UndoFit::kDemand)->blocks == 0);
  REQUIRE(device.Write(Bytes{0}, std::string(kBlockSize.value, 'x')).ok());  // it came after all
  CHECK(ApplyUndoFile(path, device, UndoFit::kDemand)->blocks == 1);
  CHECK(Contents(device) == std::string(kSize.value, '\0'));
  CHECK(absl::IsAlreadyExists(UndoDevice::Create(device, path, {}).status()));
}

TEST_CASE("the name of an undo file is durable before anything is overwritten", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  DirectoryFlushes flushes;
  SECTION("it is flushed") {
    REQUIRE(UndoDevice::Create(device, path, kMarks).ok());
    CHECK(flushes.Paths() == std::vector{std::filesystem::canonical(path).parent_path().string()});
  }
  SECTION("a directory that cannot be flushed") {
    flushes.Fail(EIO);
    const absl::Status status = UndoDevice::Create(device, path, kMarks).status();
    CHECK(absl::IsUnavailable(status));
    CHECK(status.message().find("flush the directory") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  SECTION("a file system that cannot flush directories") {
    flushes.Fail(EINVAL);
    CHECK(UndoDevice::Create(device, path, kMarks).ok());
  }
}

// Looks whether a file is there, each time that it is read from.
class LookingDevice final : public ForwardingDevice {
 public:
  LookingDevice(BlockDevice& inner, std::string path) : ForwardingDevice(inner), path_(std::move(path)) {}
  using BlockDevice::Read;
  absl::Status Read(Bytes offset, std::span<char> out) override {
    ++looks_;
    was_there_ = was_there_ || std::filesystem::exists(path_);
    return ForwardingDevice::Read(offset, out);
  }
  int looks() const { return looks_; }
  bool was_there() const { return was_there_; }

 private:
  const std::string path_;
  int looks_ = 0;
  bool was_there_ = false;
};

TEST_CASE("an undo file is whole from its beginning on", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  LookingDevice looking(device, path);
  REQUIRE(UndoDevice::Create(looking, path, kMarks).ok());
  CHECK(looking.looks() > 0);
  CHECK_FALSE(looking.was_there());
  CHECK(ApplyUndoFile(path, device, UndoFit::kDemand).ok());
}

TEST_CASE("an undo file that cannot be begun leaves nothing, and none is replaced", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  FaultDevice faulty(device);
  faulty.Arm({Fault::On::kRead, 1});
  CHECK_FALSE(UndoDevice::Create(faulty, path, kMarks).ok());
  CHECK(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
  std::ofstream(path) << "mine";
  CHECK(absl::IsAlreadyExists(UndoDevice::Create(device, path, kMarks).status()));
  CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("a fifo is no undo file, and is not waited for", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  MemoryDevice device(kSize);
  const absl::Status status = ApplyUndoFile(path, device, UndoFit::kDemand).status();
  CHECK(absl::IsInvalidArgument(status));
  CHECK(status.message().find("not a regular file") != std::string::npos);
}

// What the device held before anything was written, and after each write.
using History = std::vector<std::string>;

// Some writes through an undo device, many of them to the same blocks, none to the last two.
History WriteSome(MemoryDevice& device, const std::string& path, Random& random) {
  const auto undo = UndoDevice::Create(device, path, kMarks);
  REQUIRE(undo.ok());
  History history = {Contents(device)};
  for (int i = 0; i < 8; ++i) {
    const std::string data = random.String(kBlockSize.value * (1 + random.Uniform(3)));
    REQUIRE((*undo)->Write(kBlockSize * random.Uniform(10), data).ok());
    history.push_back(Contents(device));
  }
  return history;
}

TEST_CASE("an undo file fits whatever a crash leaves of the writes", "[device]") {
  const TempDir dir;
  Random random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    const std::string path = dir.File("undo" + std::to_string(round));
    MemoryDevice device(kSize);
    REQUIRE(device.Write(Bytes{0}, random.String(kSize.value / 2)).ok());
    const History history = WriteSome(device, path, random);
    for (Bytes at{0}; at < kSize; at += kSectorSize) {
      REQUIRE(device.Patch(at, std::string_view(random.Pick(history)).substr(at.value, kSectorSize.value)).ok());
    }
    // And putting it back is interrupted, too.
    FaultDevice faulty(device);
    faulty.Arm({.on = Fault::On::kWrite, .nth = 1 + random.Uniform(4), .effect = Fault::Effect::kHalfDone});
    ApplyUndoFile(path, faulty, UndoFit::kDemand).status().IgnoreError();
    REQUIRE(ApplyUndoFile(path, device, UndoFit::kDemand).ok());
    CHECK(Contents(device) == history.front());
  }
}

TEST_CASE("an undo file does not fit what was written to since, nor another device", "[device]") {
  const TempDir dir;
  Random random(TestSeed());
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  const History history = WriteSome(device, path, random);
  const auto refuses = [&](MemoryDevice& other) {
    const std::string before = Contents(other);
    const absl::Status refused = ApplyUndoFile(path, other, UndoFit::kDemand).status();
    CHECK(absl::IsFailedPrecondition(refused));
    CHECK(Contents(other) == before);
  };
  SECTION("one sector of a block that was overwritten") {
    const auto differs = std::mismatch(history.front().begin(), history.front().end(), history.back().begin());
    REQUIRE(device.Patch(Bytes{static_cast<uint64_t>(differs.first - history.front().begin())}, "since").ok());
    refuses(device);
    CHECK(ApplyUndoFile(path, device, UndoFit::kIgnore).ok());
    CHECK(Contents(device) == history.front());
  }
  SECTION("a mark that was not overwritten") {
    const std::string marked = dir.File("marked");
    {
      const auto undo = UndoDevice::Create(device, marked, kMarks);
      REQUIRE(undo.ok());
      REQUIRE((*undo)->Write(KiB(64), std::string(kBlockSize.value, 'x')).ok());
    }
    REQUIRE(ApplyUndoFile(marked, device, UndoFit::kDemand)->blocks == 1);
    REQUIRE(device.Patch(KiB(4), "since").ok());
    CHECK(absl::IsFailedPrecondition(ApplyUndoFile(marked, device, UndoFit::kDemand).status()));
  }
  SECTION("another device") {
    MemoryDevice other(kSize);
    REQUIRE(other.Write(Bytes{0}, random.String(kSize.value)).ok());
    refuses(other);
  }
  SECTION("what is in no block of the file may change") {
    REQUIRE(device.Patch(kBlockSize * (kBlocks - 1), "since").ok());
    CHECK(ApplyUndoFile(path, device, UndoFit::kDemand).ok());
  }
}

TEST_CASE("what cannot be kept is not overwritten, nor anything after that", "[device]") {
  const TempDir dir;
  MemoryDevice device(kSize);
  FaultDevice faulty(device);
  const auto undo = UndoDevice::Create(faulty, dir.File("undo"), kMarks);
  REQUIRE(undo.ok());
  faulty.Arm({.on = Fault::On::kRead, .nth = 2});
  const std::string block(kBlockSize.value, 'x');
  CHECK_FALSE((*undo)->Write(KiB(16), block + block).ok());
  CHECK_FALSE((*undo)->Write(KiB(16), block).ok());
  CHECK(Contents(device) == std::string(kSize.value, '\0'));
}

TEST_CASE("a damaged undo file changes nothing", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  {
    const auto undo = UndoDevice::Create(device, path, {});
    REQUIRE(undo.ok());
    REQUIRE((*undo)->Write(Bytes{0}, std::string(kSize.value, 'x')).ok());
  }
  const std::string after = Contents(device);
  const auto status_with = [&](std::streamoff at, char byte) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const int old = file.seekg(at).get();
    file.seekp(at).put(byte);
    file.close();
    const absl::Status status = ApplyUndoFile(path, device, UndoFit::kDemand).status();
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put(static_cast<char>(old));
    return status;
  };
  CHECK(absl::IsInvalidArgument(status_with(0, 'x')));
  CHECK(absl::IsDataLoss(status_with(16, 'x')));
  CHECK(absl::IsDataLoss(status_with(4096 + 8, 'x')));
  CHECK(absl::IsDataLoss(status_with(4096 + 16, 0)));
  CHECK(absl::IsDataLoss(status_with(4096 + 4184 * 60 + 500, 'x')));
  CHECK(Contents(device) == after);
  MemoryDevice other(kSize * 2);
  CHECK(absl::IsInvalidArgument(ApplyUndoFile(path, other, UndoFit::kIgnore).status()));
  std::filesystem::resize_file(path, 4096 + 4184 * 10 + 7);
  const auto undone = ApplyUndoFile(path, device, UndoFit::kDemand);
  REQUIRE(undone.ok());
  CHECK(undone->blocks == 10);
  CHECK(undone->is_cut_short);
}

constexpr uint64_t kHeader = 4096;
constexpr uint64_t kRecord = 4184;
constexpr uint64_t kShortRecord = 88;

void Overwrite(const std::string& path, uint64_t at, const std::string& bytes) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(at)) << bytes;
}

TEST_CASE("what a power loss leaves of the last records of an undo file is ignored", "[device]") {
  constexpr uint64_t kWhole = 60;
  const TempDir dir;
  Random random(TestSeed());
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  {
    const auto undo = UndoDevice::Create(device, path, {});
    REQUIRE(undo.ok());
    REQUIRE((*undo)->Write(Bytes{0}, std::string(kSize.value, 'x')).ok());
  }
  REQUIRE(device.Write(kBlockSize * kWhole, std::string(kSize.value - kWhole * kBlockSize.value, '\0')).ok());
  const uint64_t end = kHeader + kWhole * kRecord;
  const uint64_t length = GENERATE(4 * kRecord, MiB(3).value);
  const uint64_t kept = GENERATE(uint64_t{0}, uint64_t{16}, kShortRecord, kRecord / 2);
  const auto fill = GENERATE(0, 1, 2);
  std::string tail(length - kept, '\0');
  if (fill > 0) tail = fill == 1 ? random.String(tail.size()) : std::string(tail.size(), '\xff');
  std::filesystem::resize_file(path, end + kept);
  std::filesystem::resize_file(path, end + length);
  Overwrite(path, end + kept, tail);
  const UndoFit fit = GENERATE(UndoFit::kDemand, UndoFit::kIgnore);
  const auto undone = ApplyUndoFile(path, device, fit);
  INFO(undone.status());
  REQUIRE(undone.ok());
  CHECK(undone->blocks == kWhole);
  CHECK(undone->is_cut_short);
  CHECK(Contents(device) == std::string(kSize.value, '\0'));
}

TEST_CASE("a record of an undo file that is not sound is damage if a sound one follows", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  const std::string block(kBlockSize.value, 'x');
  {
    const auto undo = UndoDevice::Create(device, path, {});
    REQUIRE(undo.ok());
    REQUIRE((*undo)->Write(Bytes{0}, block + block + block).ok());
    REQUIRE((*undo)->Write(Bytes{0}, block).ok());
  }
  const std::string after = Contents(device);
  SECTION("the next one") { Overwrite(path, kHeader + 1 * kRecord, std::string(kRecord, '\0')); }
  SECTION("the last one only") { Overwrite(path, kHeader, std::string(3 * kRecord, '\0')); }
  SECTION("far behind") {
    std::ifstream file(path, std::ios::binary);
    std::string last(kShortRecord, '\0');
    file.seekg(kHeader + 3 * kRecord).read(last.data(), kShortRecord);
    const uint64_t window_end = kHeader + kRecord + kShortRecord + MiB(1).value;
    const uint64_t at = GENERATE_COPY(window_end - 8, window_end, window_end + kRecord - 8, window_end + MiB(1).value);
    std::filesystem::resize_file(path, kHeader + kRecord);
    std::filesystem::resize_file(path, at);
    Overwrite(path, at, last);
  }
  CHECK(absl::IsDataLoss(ApplyUndoFile(path, device, UndoFit::kDemand).status()));
  const absl::Status status = ApplyUndoFile(path, device, UndoFit::kIgnore).status();
  CHECK(absl::IsDataLoss(status));
  CHECK(status.message().find("is damaged") != std::string::npos);
  CHECK(Contents(device) == after);
}

}  // namespace
}  // namespace betr
