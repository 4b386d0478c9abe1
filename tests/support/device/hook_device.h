// SPDX-License-Identifier: Apache-2.0
// A device that does something before each read and each write.
#pragma once

#include <functional>
#include <utility>

#include "device/forwarding_device.h"

namespace betr::test {

// One thread.
class HookDevice final : public ForwardingDevice {
 public:
  // An error of the hook becomes that of the read or write, which is then not done.
  using Hook = std::function<absl::Status()>;

  // `inner` must outlive this device. A hook may be null.
  HookDevice(BlockDevice& inner, Hook on_read, Hook on_write = nullptr)
      : ForwardingDevice(inner), on_read_(std::move(on_read)), on_write_(std::move(on_write)) {}

  absl::Status Read(Bytes offset, std::span<char> out) override {
    const absl::Status hooked = on_read_ == nullptr ? absl::OkStatus() : on_read_();
    return hooked.ok() ? ForwardingDevice::Read(offset, out) : hooked;
  }

  absl::Status Write(Bytes offset, std::string_view data) override {
    const absl::Status hooked = on_write_ == nullptr ? absl::OkStatus() : on_write_();
    return hooked.ok() ? ForwardingDevice::Write(offset, data) : hooked;
  }

 private:
  const Hook on_read_;
  const Hook on_write_;
};

}  // namespace betr::test
