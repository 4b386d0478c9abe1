// SPDX-License-Identifier: Apache-2.0
// Recognises what is on a device by its magic numbers, so that mkfs does not overwrite what somebody may still want.
// Also removes them, so that nobody takes the device for what it was before.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "device/block_device.h"

namespace betr::layout {

struct Signature {
  std::string_view name;  // "ext4", "XFS", "betr", ...
  Bytes offset{0};        // of the magic number

  friend bool operator==(const Signature&, const Signature&) = default;
};

// Returns everything that is recognised, the most telling first: betr (also by the copy of a superblock at the end),
// ext2/3/4, XFS, btrfs, ZFS, LUKS, LVM2, Linux RAID, swap, squashfs, erofs, f2fs, bcachefs, ISO 9660, DwarFS, NTFS,
// exFAT, FAT, GPT, MBR. Empty if nothing is. A few small reads. Errors: the device's.
absl::StatusOr<std::vector<Signature>> DetectSignatures(BlockDevice& device);

// The first of them that is not betr's own. Errors: the device's.
absl::StatusOr<std::optional<Signature>> DetectForeign(BlockDevice& device);

// Finds the first byte that is not zero, in the parts that tell whether a device holds anything, known or not: the
// first 68 KiB and the last block. Nothing if there is none. Errors: the device's.
absl::StatusOr<std::optional<Bytes>> FindContent(BlockDevice& device);

// Writes zeros over all that FindContent looks at, and over the block of every signature found. Durable after the next
// Flush. Errors: the device's.
absl::Status WipeSignatures(BlockDevice& device);

}  // namespace betr::layout
