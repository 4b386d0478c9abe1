// SPDX-License-Identifier: Apache-2.0
#include "layout/signatures.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "base/coding.h"
#include "base/status.h"
#include "layout/superblock.h"

namespace betr::layout {
namespace {

using std::string_view_literals::operator""sv;

// A magic number at a fixed place.
struct Magic {
  std::string_view name;
  uint64_t offset;
  std::string_view bytes;
};

// The most telling first. What can also be found inside or beside something else (FAT, partition tables) comes last.
constexpr Magic kMagics[] = {
    {"XFS", 0, "XFSB"sv},
    {"btrfs", (64 << 10) + 64, "_BHRfS_M"sv},
    {"LUKS", 0, "LUKS\xba\xbe"sv},
    {"LVM2", 512 + 24, "LVM2 001"sv},
    {"LVM2", 24, "LVM2 001"sv},
    {"LVM2", 1024 + 24, "LVM2 001"sv},
    {"LVM2", 1536 + 24, "LVM2 001"sv},
    {"Linux RAID", 4096, "\xfc\x4e\x2b\xa9"sv},
    {"Linux RAID", 0, "\xfc\x4e\x2b\xa9"sv},
    {"swap", 4086, "SWAPSPACE2"sv},
    {"swap", 4086, "SWAP-SPACE"sv},
    {"swap", 16374, "SWAPSPACE2"sv},
    {"swap", 65526, "SWAPSPACE2"sv},
    {"squashfs", 0, "hsqs"sv},
    {"squashfs", 0, "sqsh"sv},
    {"erofs", 1024, "\xe2\xe1\xf5\xe0"sv},
    {"f2fs", 1024, "\x10\x20\xf5\xf2"sv},
    {"bcachefs", 4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"sv},
    {"bcachefs", 4096 + 24, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"sv},
    {"ISO 9660", (32 << 10) + 1, "CD001"sv},
    {"DwarFS", 0, "DWARFS\x02"sv},
    {"NTFS", 3, "NTFS    "sv},
    {"exFAT", 3, "EXFAT   "sv},
    {"FAT", 54, "FAT12   "sv},
    {"FAT", 54, "FAT16   "sv},
    {"FAT", 82, "FAT32   "sv},
    {"GPT", 512, "EFI PART"sv},
    {"GPT", 4096, "EFI PART"sv},
    {"MBR", 510, "\x55\xaa"sv},
};

// Every file system and nearly every kind of file has something in this first part; btrfs and ReiserFS begin at 64 KiB.
constexpr Bytes kTelling = KiB(68);

// Reads the bytes at `offset`. Nothing if they reach beyond the end of the device.
absl::StatusOr<std::optional<std::string>> Peek(BlockDevice& device, Bytes offset, Bytes size) {
  if (offset > device.Size() || size > device.Size() - offset) return std::nullopt;
  std::string bytes(size.value, '\0');
  BETR_RETURN_IF_ERROR(device.Read(offset, bytes));
  return bytes;
}

using Signatures = std::vector<Signature>;

// Where the last whole block begins; 0 if there is none.
Bytes LastBlock(const BlockDevice& device) {
  const uint64_t blocks = device.Size() / kBlockSize;
  return kBlockSize * (blocks - std::min<uint64_t>(blocks, 1));
}

// A copy of a superblock counts too, because an image can be repaired with it.
absl::Status FindBetr(BlockDevice& device, Signatures* found) {
  std::vector<Bytes> places(std::begin(kSlotOffset), std::end(kSlotOffset));
  if (LastBlock(device) >= kLogOffset) places.push_back(LastBlock(device));
  for (const Bytes offset : places) {
    BETR_ASSIGN_OR_RETURN(const auto bytes, Peek(device, offset, {kSuperblockMagic.size()}));
    if (bytes == kSuperblockMagic) found->push_back({"betr", offset});
  }
  return absl::OkStatus();
}

// ext2, ext3 and ext4 share their magic; the features tell them apart.
absl::Status FindExt(BlockDevice& device, Signatures* found) {
  constexpr Bytes kExtSuperblock{1024};
  constexpr Bytes kMagicAt{56};
  constexpr uint32_t kHasJournal = 0x4;
  constexpr uint32_t kExt4Incompatible = 0x40 | 0x80 | 0x200;  // extents, 64bit, flex_bg
  BETR_ASSIGN_OR_RETURN(const auto bytes, Peek(device, kExtSuperblock, {104}));
  if (!bytes.has_value() || LoadFixed<uint16_t>(bytes->data() + kMagicAt.value) != 0xef53) return absl::OkStatus();
  const auto compatible = LoadFixed<uint32_t>(bytes->data() + 92);
  const auto incompatible = LoadFixed<uint32_t>(bytes->data() + 96);
  const bool has_journal = (compatible & kHasJournal) != 0;
  const bool is_ext4 = (incompatible & kExt4Incompatible) != 0;
  found->push_back({is_ext4 ? "ext4" : has_journal ? "ext3" : "ext2", kExtSuperblock + kMagicAt});
  return absl::OkStatus();
}

// A ZFS label has 256 KiB; two of them are at each end of the device. The second half of a label is a ring of
// uberblocks, in slots of 1 KiB or more.
absl::Status FindZfs(BlockDevice& device, Signatures* found) {
  constexpr Bytes kLabel = KiB(256);
  constexpr uint64_t kUberblock = 0x00bab10c;
  if (device.Size() < kLabel * 4) return absl::OkStatus();
  const Bytes end = kLabel * (device.Size() / kLabel);
  for (const Bytes label : {Bytes{0}, kLabel, end - kLabel * 2, end - kLabel}) {
    BETR_ASSIGN_OR_RETURN(const auto ring, Peek(device, label + kLabel / 2, kLabel / 2));
    for (size_t at = 0; ring.has_value() && at < ring->size(); at += 1024) {
      const auto magic = LoadFixed<uint64_t>(ring->data() + at);
      if (magic == kUberblock || SwapBytes(magic) == kUberblock) {
        found->push_back({"ZFS", label + kLabel / 2 + Bytes{at}});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status FindMagics(BlockDevice& device, Signatures* found) {
  for (const Magic& magic : kMagics) {
    BETR_ASSIGN_OR_RETURN(const auto bytes, Peek(device, {magic.offset}, {magic.bytes.size()}));
    if (bytes == magic.bytes) found->push_back({magic.name, {magic.offset}});
  }
  return absl::OkStatus();
}

// GPT keeps a copy of its header in the last sector.
absl::Status FindGptCopy(BlockDevice& device, Signatures* found) {
  for (const Bytes sector : {Bytes{512}, KiB(4)}) {
    if (device.Size() < KiB(64)) break;
    BETR_ASSIGN_OR_RETURN(const auto bytes, Peek(device, device.Size() - sector, {8}));
    if (bytes == "EFI PART") found->push_back({"GPT", device.Size() - sector});
  }
  return absl::OkStatus();
}

absl::Status Zero(BlockDevice& device, Bytes from, Bytes to) {
  return device.Write(from, std::string((to - from).value, '\0'));
}

absl::StatusOr<std::optional<Bytes>> FirstNotZero(BlockDevice& device, Bytes from, Bytes to) {
  std::string bytes((to - from).value, '\0');
  BETR_RETURN_IF_ERROR(device.Read(from, bytes));
  const size_t at = bytes.find_first_not_of('\0');
  return at == std::string::npos ? std::nullopt : std::optional(from + Bytes{at});
}

}  // namespace

absl::StatusOr<std::vector<Signature>> DetectSignatures(BlockDevice& device) {
  Signatures found;
  for (const auto find : {FindBetr, FindExt, FindZfs, FindMagics, FindGptCopy}) {
    BETR_RETURN_IF_ERROR(find(device, &found));
  }
  return found;
}

absl::StatusOr<std::optional<Signature>> DetectForeign(BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(const Signatures found, DetectSignatures(device));
  const auto foreign =
      std::find_if(found.begin(), found.end(), [](const Signature& one) { return one.name != "betr"; });
  return foreign == found.end() ? std::nullopt : std::optional(*foreign);
}

absl::StatusOr<std::optional<Bytes>> FindContent(BlockDevice& device) {
  const Bytes telling = std::min(kTelling, device.Size());
  BETR_ASSIGN_OR_RETURN(const std::optional<Bytes> content, FirstNotZero(device, Bytes{0}, telling));
  return content.has_value() ? content : FirstNotZero(device, LastBlock(device), device.Size());
}

absl::Status WipeSignatures(BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(const Signatures found, DetectSignatures(device));
  BETR_RETURN_IF_ERROR(Zero(device, Bytes{0}, std::min(kTelling, device.Size())));
  BETR_RETURN_IF_ERROR(Zero(device, LastBlock(device), device.Size()));
  for (const Signature& signature : found) {
    const Bytes block = kBlockSize * (signature.offset / kBlockSize);
    BETR_RETURN_IF_ERROR(Zero(device, block, block + kBlockSize));
  }
  return absl::OkStatus();
}

}  // namespace betr::layout
