// SPDX-License-Identifier: Apache-2.0
// Recognising what is on a device by its magic numbers, so that mkfs does not overwrite what somebody may still
// want, and removing them, so that nobody takes the device for what it was before.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

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

// Everything that is recognised, the most telling first: betr, ext2/3/4, XFS, btrfs, ZFS, LUKS, LVM2, Linux RAID,
// swap, squashfs, erofs, f2fs, bcachefs, ISO 9660, DwarFS, NTFS, exFAT, FAT, GPT, MBR. Empty if nothing is. A few
// small reads. Errors: the device's.
absl::StatusOr<std::vector<Signature>> DetectSignatures(BlockDevice& device);

// Zeros over everything in front of the log area, over the copy of a superblock at the end, and over the block of every
// signature found. Durable after the next Flush. Errors: the device's.
absl::Status WipeSignatures(BlockDevice& device);

}  // namespace betr::layout
