// SPDX-License-Identifier: Apache-2.0
// A device with places that cannot be read.
#pragma once

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "device/device_error.h"
#include "device/forwarding_device.h"

namespace betr::test {

// Reads that touch a bad place fail. Writing to it makes it good, as on disks.
class BadSectors final : public ForwardingDevice {
 public:
  explicit BadSectors(BlockDevice& inner) : ForwardingDevice(inner) {}

  void Spoil(Bytes from, Bytes length) {
    const std::lock_guard lock(mutex_);
    for (uint64_t block = from / kBlockSize; kBlockSize * block < from + length; ++block) bad_.push_back(block);
  }

  absl::Status Read(Bytes offset, std::span<char> out) override {
    const std::lock_guard lock(mutex_);
    if (failures_ < most_failures_ &&
        std::ranges::any_of(bad_, [&](uint64_t block) { return Touches(block, offset, out.size()); })) {
      ++failures_;
      return TransferError(Name(), "read", offset, Bytes{out.size()}, EIO);
    }
    return ForwardingDevice::Read(offset, out);
  }
  absl::Status Write(Bytes offset, std::string_view data) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(bad_, [&](uint64_t block) { return Touches(block, offset, data.size()); });
    return ForwardingDevice::Write(offset, data);
  }
  // Makes everything good again: at once, or after some number of failures.
  void Heal() { HealAfter(0); }
  void HealAfter(int failures) {
    const std::lock_guard lock(mutex_);
    most_failures_ = failures;
  }
  int failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  static bool Touches(uint64_t block, Bytes offset, size_t size) {
    return kBlockSize * block < offset + Bytes{size} && offset < kBlockSize * (block + 1);
  }

  mutable std::mutex mutex_;
  std::vector<uint64_t> bad_;
  int failures_ = 0;
  int most_failures_ = std::numeric_limits<int>::max();
};

}  // namespace betr::test
