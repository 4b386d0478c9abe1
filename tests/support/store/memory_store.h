// SPDX-License-Identifier: Apache-2.0
// A store on a device in memory, for tests that only say how it is formatted, opened and filled.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {

class MemoryStore {
 public:
  struct Sizes {
    Bytes device;
    Bytes node;
    Bytes basement;
    Bytes log;
    uint32_t fanout = 16;
  };

  explicit MemoryStore(const Sizes& sizes) : device_(sizes.device) {
    FormatOptions format;
    format.node_size = sizes.node;
    format.basement_size = sizes.basement;
    format.log_size = sizes.log;
    format.fanout = sizes.fanout;
    Must(Store::Format(device_, format));
  }

  // Opens the store. Requires: it is not open, or only what the log has is wanted of it.
  void Open(StoreOptions options) {
    store.reset();
    store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
  }
  void Close() {
    Must(store->Close());
    store.reset();
  }
  // Closes the store and checks that a checker finds nothing in the image.
  void CheckSound() {
    Close();
    CHECK(CheckImage(device_).value().empty());
  }

  BlockDevice& device() { return device_; }

 private:
  MemoryDevice device_;

 public:
  std::unique_ptr<Store> store;  // null while it is closed
};

}  // namespace betr::test
