// SPDX-License-Identifier: Apache-2.0
#include "device/block_device.h"

#include <absl/strings/str_format.h>

#include "base/check.h"

namespace betr {

absl::Status CheckRange(const BlockDevice& device, std::string_view operation, Bytes offset, Bytes length) {
  const Bytes size = device.Size();
  if (offset <= size && length <= size - offset) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat("%s: %s of %u bytes at %u: beyond the end at %u", device.Name(),
                                               operation, length.value, offset.value, size.value));
}

absl::Status CheckBlockRange(const BlockDevice& device, std::string_view operation, Bytes offset, Bytes length) {
  Check(offset.value % kBlockSize.value == 0, "writes begin at a block");
  Check(length.value % kBlockSize.value == 0, "writes consist of whole blocks");
  return CheckRange(device, operation, offset, length);
}

}  // namespace betr
