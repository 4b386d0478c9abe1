// SPDX-License-Identifier: Apache-2.0
#include "layout/grow.h"

#include <fmt/format.h>

#include <string>

#include "base/size_text.h"
#include "base/status.h"
#include "layout/superblock_copy.h"

namespace betr::layout {
absl::Status CheckGrowth(const Superblock& superblock, Bytes size) {
  const Bytes before = UnitBytes(superblock.device_units);
  BETR_RETURN_IF_ERROR(superblock.CheckWritable());
  if (size.value % kUnit.value != 0) {
    return absl::InvalidArgumentError(
        fmt::format("an image of {} bytes: must be a multiple of {}", size.value, kUnit.value));
  }
  if (size < before) {
    return absl::InvalidArgumentError(
        fmt::format("{} ({} bytes): the image has {} ({} bytes), and cannot become smaller", FormatSize(size),
                    size.value, FormatSize(before), before.value));
  }
  if (size > UnitBytes(kMaxDeviceUnits)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: an image has at most {}", FormatSize(size), FormatSize(UnitBytes(kMaxDeviceUnits))));
  }
  return absl::OkStatus();
}

absl::Status Grow(BlockDevice& device, const NewestSuperblock& newest, Bytes size) {
  Superblock next = newest.superblock;
  if (UnitBytes(next.device_units) == size) return absl::OkStatus();
  const uint64_t old_copy = next.CopyUnit();
  // Writes the newest superblock again. Whoever wrote it may have ended before the flush, so a crash could still take
  // it back. But it is the one that must stay if there is a crash in what follows.
  BETR_RETURN_IF_ERROR(WriteSuperblock(device, next));
  next.device_units = size / kUnit;
  // The copy is at the new end before anybody looks for it there, and it is not newer than the slots.
  BETR_RETURN_IF_ERROR(WriteCopy(device, next));
  BETR_RETURN_IF_ERROR(device.Flush());
  BETR_RETURN_IF_ERROR(WriteEverywhere(device, next));
  // The unit of the old copy is free space now, and should not be taken for a copy.
  BETR_RETURN_IF_ERROR(device.Write(UnitBytes(old_copy), std::string(kUnit.value, '\0')));
  return device.Flush();
}

}  // namespace betr::layout
