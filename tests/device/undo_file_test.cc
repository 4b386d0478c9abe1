// SPDX-License-Identifier: Apache-2.0
// What an undo file keeps, and what it puts back.
#include "device/undo_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/random.h"
#include "device/fault_device.h"
#include "device/memory_device.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"

namespace betr {
namespace {

constexpr Bytes kSize = KiB(256);

std::string Contents(BlockDevice& device) {
  std::string bytes(device.Size().value, '\0');
  REQUIRE(device.Read(Bytes{0}, bytes).ok());
  return bytes;
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
      const auto undo = UndoDevice::Create(device, path);
      REQUIRE(undo.ok());
      for (int i = 0; i < 30; ++i) {
        const uint64_t block = random.Uniform(60);
        REQUIRE((*undo)->Write(kBlockSize * block, random.String(kBlockSize.value * (1 + random.Uniform(4)))).ok());
        REQUIRE((*undo)->Discard(kBlockSize * random.Uniform(60), kBlockSize).ok());
      }
    }
    REQUIRE(Contents(device) != before);
    const auto undone = ApplyUndoFile(path, device);
    REQUIRE(undone.ok());
    CHECK(undone->blocks > 0);
    CHECK_FALSE(undone->is_cut_short);
    CHECK(Contents(device) == before);
  }
}

TEST_CASE("an undo file is there before anything is overwritten", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  FaultDevice faulty(device);
  const auto undo = UndoDevice::Create(faulty, path);
  REQUIRE(undo.ok());
  faulty.Arm({Fault::On::kWrite, 1});
  CHECK_FALSE((*undo)->Write(Bytes{0}, std::string(kBlockSize.value, 'x')).ok());
  faulty.Disarm();
  CHECK(ApplyUndoFile(path, device)->blocks == 1);
  CHECK(absl::IsAlreadyExists(UndoDevice::Create(device, path).status()));
}

TEST_CASE("a damaged undo file changes nothing", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("undo");
  MemoryDevice device(kSize);
  {
    const auto undo = UndoDevice::Create(device, path);
    REQUIRE(undo.ok());
    REQUIRE((*undo)->Write(Bytes{0}, std::string(kSize.value, 'x')).ok());
  }
  const std::string after = Contents(device);
  const auto status_with = [&](std::streamoff at, char byte) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const int old = file.seekg(at).get();
    file.seekp(at).put(byte);
    file.close();
    const absl::Status status = ApplyUndoFile(path, device).status();
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put(static_cast<char>(old));
    return status;
  };
  CHECK(absl::IsInvalidArgument(status_with(0, 'x')));
  CHECK(absl::IsDataLoss(status_with(16, 'x')));
  CHECK(absl::IsDataLoss(status_with(4096 + 8, 'x')));
  CHECK(absl::IsDataLoss(status_with(4096 + 4120 * 60 + 500, 'x')));
  CHECK(Contents(device) == after);
  MemoryDevice other(kSize * 2);
  CHECK(absl::IsInvalidArgument(ApplyUndoFile(path, other).status()));
  std::filesystem::resize_file(path, 4096 + 4120 * 10 + 7);
  const auto undone = ApplyUndoFile(path, device);
  REQUIRE(undone.ok());
  CHECK(undone->blocks == 10);
  CHECK(undone->is_cut_short);
}

}  // namespace
}  // namespace betr
