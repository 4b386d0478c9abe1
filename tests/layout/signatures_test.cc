// SPDX-License-Identifier: Apache-2.0
// What is found on devices that others made, and that nothing is found after wiping.
#include "layout/signatures.h"

#include <catch2/catch.hpp>
#include <string>

#include "device/memory_device.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

using std::string_literals::operator""s;

struct Foreign {
  const char* name;
  uint64_t offset;
  std::string bytes;
};

std::string ExtSuperblock(char compatible, char incompatible) {
  std::string bytes(104, '\0');
  bytes.replace(56, 2, "\x53\xef");
  bytes[92] = compatible;
  bytes[96] = incompatible;
  return bytes;
}

const Foreign kForeign[] = {
    {"ext2", 1024, ExtSuperblock(0, 2)},
    {"ext3", 1024, ExtSuperblock(4, 2)},
    {"ext4", 1024, ExtSuperblock(4, 0x42)},
    {"XFS", 0, "XFSB"},
    {"btrfs", 65600, "_BHRfS_M"},
    {"ZFS", (128 << 10) + 3072, "\x0c\xb1\xba\x00\x00\x00\x00\x00"s},
    {"ZFS", (1 << 20) - (128 << 10), "\x00\x00\x00\x00\x00\xba\xb1\x0c"s},
    {"LUKS", 0, "LUKS\xba\xbe"},
    {"LVM2", 536, "LVM2 001"},
    {"Linux RAID", 4096, "\xfc\x4e\x2b\xa9"},
    {"swap", 4086, "SWAPSPACE2"},
    {"squashfs", 0, "hsqs"},
    {"erofs", 1024, "\xe2\xe1\xf5\xe0"},
    {"f2fs", 1024, "\x10\x20\xf5\xf2"},
    {"ISO 9660", 32769, "CD001"},
    {"DwarFS", 0, "DWARFS\x02\x05"},
    {"NTFS", 3, "NTFS    "},
    {"exFAT", 3, "EXFAT   "},
    {"FAT", 82, "FAT32   "},
    {"GPT", 512, "EFI PART"},
    {"GPT", (1 << 20) - 512, "EFI PART"},
    {"MBR", 510, "\x55\xaa"},
    {"betr", 0, "BETRFS01"},
    {"betr", 4096, "BETRFS01"},
    {"betr", (1 << 20) - 4096, "BETRFS01"},  // the copy
};

TEST_CASE("foreign signatures are found, and gone when wiped", "[layout]") {
  for (const Foreign& foreign : kForeign) {
    INFO(foreign.name);
    MemoryDevice device(MiB(1));
    CHECK(DetectSignatures(device)->empty());
    CHECK(*FindContent(device) == std::nullopt);
    REQUIRE(device.Patch({foreign.offset}, foreign.bytes).ok());
    const auto found = DetectSignatures(device);
    REQUIRE(found.ok());
    REQUIRE(found->size() == 1);
    CHECK(found->front().name == foreign.name);
    CHECK(DetectForeign(device)->has_value() == (foreign.name != "betr"s));
    REQUIRE(WipeSignatures(device).ok());
    CHECK(DetectSignatures(device)->empty());
    CHECK(*FindContent(device) == std::nullopt);
  }
}

TEST_CASE("what nobody knows is content all the same", "[layout]") {
  const Bytes end = MiB(1);
  for (const Bytes place : {Bytes{0}, Bytes{1040}, KiB(32), KiB(68) - Bytes{1}, end - KiB(4), end - Bytes{1}}) {
    INFO(place.value);
    MemoryDevice device(end);
    REQUIRE(device.Patch(place, "?").ok());
    CHECK(DetectSignatures(device)->empty());
    CHECK(*FindContent(device) == place);
    REQUIRE(WipeSignatures(device).ok());
    CHECK(*FindContent(device) == std::nullopt);
  }
  MemoryDevice device(end);
  REQUIRE(device.Patch(KiB(68), "?").ok());
  CHECK(*FindContent(device) == std::nullopt);
}

TEST_CASE("the most telling signature comes first", "[layout]") {
  MemoryDevice device(MiB(1));
  REQUIRE(device.Patch({510}, "\x55\xaa").ok());
  REQUIRE(device.Patch({3}, "NTFS    ").ok());
  const auto found = DetectSignatures(device);
  REQUIRE(found->size() == 2);
  CHECK(found->front().name == "NTFS");
}

TEST_CASE("looking for signatures stays inside the device", "[layout]") {
  for (const Bytes size : {Bytes{0}, KiB(4), KiB(8), KiB(64), KiB(256), KiB(1000)}) {
    MemoryDevice device(size);
    CHECK(DetectSignatures(device).ok());
    CHECK(FindContent(device).ok());
    CHECK(WipeSignatures(device).ok());
  }
}

}  // namespace
}  // namespace betr::layout
