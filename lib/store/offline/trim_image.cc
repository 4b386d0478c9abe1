// SPDX-License-Identifier: Apache-2.0
#include "store/offline/trim_image.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "layout/open_locked.h"
#include "store/offline/image_checkpoint.h"
#include "store/offline/inspect.h"
#include "store/trim.h"

namespace betr {

absl::StatusOr<Bytes> store::TrimImage(BlockDevice& device, const TrimOptions& options) {
  constexpr Bytes kCache = MiB(16);  // only the table is read through it
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Inspection> image, Inspection::Open(device, kCache));
  BETR_RETURN_IF_ERROR(image->ReadError());
  BETR_RETURN_IF_ERROR(Annotate(image->superblock().CheckWritable(), device.Name()));
  if (!image->problems().empty()) return image->problems().front().status;
  // Makes the checkpoint durable, since the state before it may need what is discarded.
  BETR_RETURN_IF_ERROR(ConfirmCheckpoint(*image));
  return ForEachPortion(image->space(), options, layout::kMaxExtentUnits,
                        [&](const layout::ExtentAddress& portion) -> absl::StatusOr<Bytes> {
                          BETR_RETURN_IF_ERROR(device.Discard(portion.Offset(), portion.Size()));
                          return portion.Size();
                        });
}

absl::StatusOr<Bytes> Store::TrimImage(const std::string& path, const TrimOptions& options) {
  BETR_ASSIGN_OR_RETURN(const layout::OpenedImage image, layout::OpenToChange(path));
  return store::TrimImage(*image.device, options);
}

}  // namespace betr
