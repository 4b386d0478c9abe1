// SPDX-License-Identifier: Apache-2.0
#include "store/offline/grow_image.h"

#include "base/status.h"
#include "betr/store.h"
#include "layout/grow.h"
#include "layout/open_locked.h"

namespace betr {

absl::Status store::GrowImage(FileDevice& device, const layout::NewestSuperblock& newest, Bytes size) {
  BETR_RETURN_IF_ERROR(Annotate(layout::CheckGrowth(newest.superblock, size), device.Name()));
  if (device.Size() < size) BETR_RETURN_IF_ERROR(device.Grow(size));
  return layout::Grow(device, newest, size);
}

absl::Status Store::GrowImage(const std::string& path, Bytes size) {
  BETR_ASSIGN_OR_RETURN(const layout::OpenedImage image, layout::OpenToChange(path));
  return store::GrowImage(*image.device, image.newest, size);
}

}  // namespace betr
