// SPDX-License-Identifier: Apache-2.0
// Each fault does what it is described to do, when it is due, and nothing else.
#include "device/fault_device.h"

#include <bit>
#include <catch2/catch.hpp>

#include "device/memory_device.h"
#include "support/device/device_model.h"
#include "support/seed.h"

namespace betr {
namespace {

using On = Fault::On;
using Effect = Fault::Effect;
using Repeat = Fault::Repeat;

std::string Block(char c) { return std::string(kBlockSize.value, c); }

// Four blocks "abcd".
struct Disk {
  Disk() {
    for (uint64_t i = 0; i < 4; ++i) {
      REQUIRE(memory.Write(kBlockSize * i, Block(static_cast<char>('a' + static_cast<int>(i)))).ok());
    }
  }

  // One letter a block; '?' for a block that is not all one byte, '0' for zeros.
  std::string Letters() {
    const std::string all = ReadAll(memory);
    std::string letters;
    for (size_t at = 0; at < all.size(); at += kBlockSize.value) {
      const std::string block = all.substr(at, kBlockSize.value);
      letters += block != Block(block[0]) ? '?' : block[0] == 0 ? '0' : block[0];
    }
    return letters;
  }

  MemoryDevice memory{KiB(16)};
  FaultDevice device{memory, TestSeed()};
  std::string out = Block('\0');
};

int DifferentBits(std::string_view a, std::string_view b) {
  int count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += std::popcount(static_cast<uint8_t>(a[i] ^ b[i]));
  return count;
}

TEST_CASE("the n-th operation of its kind fails, once", "[device]") {
  Disk disk;
  disk.device.Arm({.on = On::kWrite, .nth = 2});
  CHECK(disk.device.Read(Bytes{0}, disk.out).ok());
  CHECK(disk.device.Write(Bytes{0}, Block('x')).ok());
  const absl::Status failed = disk.device.Write(KiB(4), Block('y'));
  CHECK(absl::IsUnavailable(failed));
  CHECK(failed.message() == "memory: write of 4096 bytes at 4096: Input/output error");
  CHECK(disk.device.Write(KiB(8), Block('z')).ok());
  CHECK(disk.Letters() == "xbzd");
  CHECK(disk.device.Hits() == 1);
  CHECK(disk.device.Operations() == 3);
}

TEST_CASE("or from then on, until disarmed", "[device]") {
  Disk disk;
  disk.device.Arm({.on = On::kFlush, .nth = 2, .repeat = Repeat::kFromThenOn, .effect = Effect::kNoSpace});
  CHECK(disk.device.Flush().ok());
  CHECK(absl::IsUnavailable(disk.device.Flush()));
  CHECK(absl::IsUnavailable(disk.device.Flush()));
  CHECK(disk.device.Write(Bytes{0}, Block('x')).ok());
  CHECK(disk.device.Hits() == 2);
  disk.device.Disarm();
  CHECK(disk.device.Flush().ok());
}

TEST_CASE("without power nothing works", "[device]") {
  Disk disk;
  disk.device.CutPower();
  CHECK(absl::IsUnavailable(disk.device.Read(Bytes{0}, disk.out)));
  CHECK(absl::IsUnavailable(disk.device.Write(Bytes{0}, Block('x'))));
  CHECK(absl::IsUnavailable(disk.device.Discard(Bytes{0}, KiB(4))));
  CHECK(absl::IsUnavailable(disk.device.Flush()));
  CHECK(disk.Letters() == "abcd");
}

TEST_CASE("writes are damaged as told", "[device]") {
  Disk disk;
  const auto write_with = [&disk](Effect effect, Bytes offset, const std::string& data) {
    disk.device.Arm({.on = On::kWrite, .effect = effect});
    return disk.device.Write(offset, data);
  };
  CHECK(absl::IsUnavailable(write_with(Effect::kHalfDone, Bytes{0}, Block('x') + Block('x') + Block('x'))));
  CHECK(disk.Letters() == "xbcd");
  CHECK(write_with(Effect::kLost, KiB(4), Block('y')).ok());
  CHECK(disk.Letters() == "xbcd");
  CHECK(write_with(Effect::kMisdirected, KiB(4), Block('y')).ok());
  CHECK(disk.Letters() == "xbyd");
  CHECK(write_with(Effect::kMisdirected, KiB(12), Block('z')).ok());
  CHECK(disk.Letters() == "xbzd");
  CHECK(write_with(Effect::kZeros, Bytes{0}, Block('y')).ok());
  CHECK(disk.Letters() == "0bzd");
  CHECK(write_with(Effect::kFlippedBit, Bytes{0}, Block('y')).ok());
  CHECK(disk.Letters() == "?bzd");
  CHECK(DifferentBits(ReadAll(disk.memory).substr(0, kBlockSize.value), Block('y')) == 1);
  CHECK(write_with(Effect::kShort, Bytes{0}, Block('v') + Block('v')).ok());
  CHECK(disk.Letters() == "vbzd");
}

TEST_CASE("reads are damaged as told", "[device]") {
  Disk disk;
  const auto read_with = [&disk](Effect effect, Bytes offset) {
    disk.device.Arm({.on = On::kRead, .effect = effect});
    REQUIRE(disk.device.Read(offset, disk.out).ok());
    return disk.out;
  };
  CHECK(read_with(Effect::kZeros, Bytes{0}) == Block('\0'));
  CHECK(read_with(Effect::kLost, Bytes{0}) == Block('\0'));
  CHECK(read_with(Effect::kMisdirected, Bytes{0}) == Block('b'));
  CHECK(read_with(Effect::kMisdirected, KiB(12)) == Block('c'));
  CHECK(DifferentBits(read_with(Effect::kFlippedBit, Bytes{0}), Block('a')) == 1);
  CHECK(disk.device.Read(Bytes{0}, disk.out).ok());
  CHECK(disk.out == Block('a'));
}

TEST_CASE("half of a read arrives, with an error or without", "[device]") {
  Disk disk;
  const std::string half = std::string(kBlockSize.value / 2, 'b') + std::string(kBlockSize.value / 2, '-');
  disk.out = Block('-');
  disk.device.Arm({.on = On::kRead, .effect = Effect::kHalfDone});
  CHECK(absl::IsUnavailable(disk.device.Read(KiB(4), disk.out)));
  CHECK(disk.out == half);
  disk.out = Block('-');
  disk.device.Arm({.on = On::kRead, .effect = Effect::kShort});
  CHECK(disk.device.Read(KiB(4), disk.out).ok());
  CHECK(disk.out == half);
}

TEST_CASE("what touches spared bytes is neither hit nor counted", "[device]") {
  Disk disk;
  disk.device.Arm(
      {.on = On::kWrite, .repeat = Repeat::kFromThenOn, .spared_from = KiB(4), .spared_to = KiB(8) - Bytes{1}});
  CHECK(disk.device.Write(KiB(4), Block('x')).ok());
  CHECK(disk.device.Write(Bytes{0}, Block('y') + Block('y')).ok());
  CHECK(disk.device.Operations() == 0);
  CHECK_FALSE(disk.device.Write(Bytes{0}, Block('z')).ok());
  CHECK_FALSE(disk.device.Write(KiB(8), Block('z')).ok());
  CHECK(disk.Letters() == "yycd");
  CHECK(disk.device.Hits() == 2);
}

TEST_CASE("a flush may lie", "[device]") {
  Disk disk;
  BlockDevice& middle = disk.device;
  FaultDevice outer(middle);
  disk.device.Arm({.on = On::kFlush});
  outer.Arm({.on = On::kFlush, .effect = Effect::kLost});
  CHECK(outer.Flush().ok());
  CHECK(disk.device.Operations() == 0);
  CHECK_FALSE(outer.Flush().ok());
}

}  // namespace
}  // namespace betr
