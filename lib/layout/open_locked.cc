// SPDX-License-Identifier: Apache-2.0
#include "layout/open_locked.h"

#include "base/status.h"
#include "layout/superblock_copy.h"

namespace betr::layout {

absl::StatusOr<std::unique_ptr<FileDevice>> OpenLocked(const std::string& path, FileDevice::Access access) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<FileDevice> device, FileDevice::Open(path, access));
  const bool writes = access == FileDevice::Access::kReadWrite;
  BETR_RETURN_IF_ERROR(
      device->Lock(writes ? FileDevice::LockMode::kExclusive : FileDevice::LockMode::kShared, kOwnerOffset));
  return device;
}

absl::StatusOr<OpenedImage> OpenToChange(const std::string& path) {
  OpenedImage image;
  BETR_ASSIGN_OR_RETURN(image.device, OpenLocked(path, FileDevice::Access::kReadWrite));
  BETR_ASSIGN_OR_RETURN(image.newest, ReadToOpen(*image.device));
  return image;
}

}  // namespace betr::layout
