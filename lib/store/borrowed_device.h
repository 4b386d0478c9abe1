// SPDX-License-Identifier: Apache-2.0
// A device that somebody else owns: for a store, or an inspection, on a device that is to outlive it.
#pragma once

#include "device/forwarding_device.h"

namespace betr::store {

class BorrowedDevice final : public ForwardingDevice {
 public:
  // `inner` must outlive this device.
  explicit BorrowedDevice(BlockDevice& inner) : ForwardingDevice(inner) {}
};

}  // namespace betr::store
