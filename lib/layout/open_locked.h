// SPDX-License-Identifier: Apache-2.0
// Opens what holds an image, or is to hold one, with others kept out.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "device/file_device.h"
#include "layout/superblock_slots.h"

namespace betr::layout {

// Opens what exists and takes its lock, without waiting. For writing that is the exclusive lock, for reading the one
// that readers share. Nothing is written or looked at, so there need not be an image yet. Errors: those of
// FileDevice::Open and Lock.
absl::StatusOr<std::unique_ptr<FileDevice>> OpenLocked(const std::string& path, FileDevice::Access access);

struct OpenedImage {
  std::unique_ptr<FileDevice> device;
  NewestSuperblock newest;
};

// Opens an image for writing. Errors: those of OpenLocked and ReadToOpen.
absl::StatusOr<OpenedImage> OpenToChange(const std::string& path);

}  // namespace betr::layout
