// SPDX-License-Identifier: Apache-2.0
// What devices around another device have in common: they hand on all that they do not change.
#pragma once

#include <string>

#include "device/block_device.h"

namespace betr {

class ForwardingDevice : public BlockDevice {
 public:
  absl::Status Read(Bytes offset, std::span<char> out) override { return inner_.Read(offset, out); }
  absl::Status Write(Bytes offset, std::string_view data) override { return inner_.Write(offset, data); }
  absl::Status Flush() override { return inner_.Flush(); }
  absl::Status Discard(Bytes offset, Bytes length) override { return inner_.Discard(offset, length); }
  absl::Status Readahead(Bytes offset, Bytes length) override { return inner_.Readahead(offset, length); }
  Bytes Size() const override { return inner_.Size(); }
  std::string Name() const override { return inner_.Name(); }

 protected:
  // `inner` must outlive this device.
  explicit ForwardingDevice(BlockDevice& inner) : inner_(inner) {}
  BlockDevice& inner() const { return inner_; }

 private:
  BlockDevice& inner_;
};

}  // namespace betr
