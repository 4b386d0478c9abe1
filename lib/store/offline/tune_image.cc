// SPDX-License-Identifier: Apache-2.0
// Store::TuneImage. What it changes is in the superblocks only.
#include "store/offline/tune_image.h"

#include "base/status.h"
#include "betr/store.h"
#include "layout/format_options.h"
#include "layout/open_locked.h"
#include "layout/superblock_copy.h"

namespace betr {

absl::Status store::TuneImage(BlockDevice& device, const layout::NewestSuperblock& newest, const TuneOptions& options) {
  absl::StatusOr<layout::Superblock> tuned = layout::Tuned(newest.superblock, options);
  BETR_RETURN_IF_ERROR(Annotate(tuned.status(), device.Name()));
  if (*tuned == newest.superblock) return absl::OkStatus();
  // The process that wrote the newest superblock may have ended before the flush, so it is written again. The copy is
  // written too, so that it is never older than by what is written below.
  BETR_RETURN_IF_ERROR(layout::WriteSuperblock(device, newest.superblock));
  BETR_RETURN_IF_ERROR(device.Flush());
  BETR_RETURN_IF_ERROR(layout::WriteCopy(device, newest.superblock));
  BETR_RETURN_IF_ERROR(device.Flush());
  return layout::WriteEverywhere(device, *std::move(tuned));
}

absl::Status Store::TuneImage(const std::string& path, const TuneOptions& options) {
  BETR_ASSIGN_OR_RETURN(const layout::OpenedImage image, layout::OpenToChange(path));
  return store::TuneImage(*image.device, image.newest, options);
}

}  // namespace betr
