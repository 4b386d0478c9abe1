// SPDX-License-Identifier: Apache-2.0
// A device in memory, for tests. It is sparse, so that it may be huge. It is cheap to copy, so that a test can keep an
// image of every moment. Nothing is lost without a Flush; recording_device.h makes images of crashes.
#pragma once

#include <absl/base/thread_annotations.h>

#include <string>

#include "base/mutex.h"
#include "device/block_device.h"
#include "device/page_map.h"

namespace betr {

class MemoryDevice final : public BlockDevice {
 public:
  // Requires: size is a multiple of kBlockSize.
  explicit MemoryDevice(Bytes size, PageMap pages = {}, std::string name = "memory");

  absl::Status Read(Bytes offset, std::span<char> out) override;
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  // The contents become zeros.
  absl::Status Discard(Bytes offset, Bytes length) override;
  absl::Status Readahead(Bytes offset, Bytes length) override;
  Bytes Size() const override;
  std::string Name() const override;

  // The contents now. Cheap: shares all pages.
  PageMap Pages() const;

  // Overwrites bytes at any offset, as damage does. kOutOfRange beyond the end.
  absl::Status Patch(Bytes offset, std::string_view data);

 private:
  void CopyOut(uint64_t offset, std::span<char> out) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const Bytes size_;
  const std::string name_;
  mutable SharedMutex mutex_;
  PageMap pages_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr
