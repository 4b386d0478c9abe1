// SPDX-License-Identifier: Apache-2.0
// The image as the checker sees it: locked, and read through a device that can be stopped and that knows how far it
// got.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "device/file_device.h"
#include "device/forwarding_device.h"

namespace betr::tools {

enum class FsckAccess {
  kLook,
  kRepair,
  kSearch,     // kRepair, and also of what may be an image whose beginning was wiped
  kOverwrite,  // whatever the file holds
};

// Opens and locks the image. With kLook others may read it at the same time, as a mount with -o ro does. Errors: those
// of FileDevice. kFailedPrecondition says who has the image open.
absl::StatusOr<std::unique_ptr<FileDevice>> OpenToCheck(const std::string& path, FsckAccess access);

// Adds what to do to the error `status` of finding no image on the device, if there may have been one. Reads the
// beginning of the device.
absl::Status HintAtSearch(BlockDevice& device, const absl::Status& status);

// A device that can be stopped. One thread. `inner` and `is_cancelled` must outlive it.
class WatchedDevice final : public ForwardingDevice {
 public:
  using OnRead = std::function<void(Bytes so_far)>;
  WatchedDevice(BlockDevice& inner, const std::atomic<bool>& is_cancelled, OnRead on_read)
      : ForwardingDevice(inner), is_cancelled_(is_cancelled), on_read_(std::move(on_read)) {}

  // kCancelled once `is_cancelled` is true.
  absl::Status Read(Bytes offset, std::span<char> out) override;

  // Returns the first error of the device below that says kUnavailable; ok if there was none.
  const absl::Status& first_error() const { return first_error_; }

 private:
  const std::atomic<bool>& is_cancelled_;
  const OnRead on_read_;
  Bytes read_{0};
  absl::Status first_error_;
};

}  // namespace betr::tools
