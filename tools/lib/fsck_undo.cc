// SPDX-License-Identifier: Apache-2.0
#include "fsck_undo.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "device/undo_file.h"
#include "fsck.h"
#include "fsck_device.h"

namespace betr::tools {

int ApplyUndo(Tool& tool, const FsckOptions& options) {
  const auto fail = [&](const absl::Status& status) {
    tool.PrintError(options.image + ": " + std::string(status.message()));
    return kFsckOperational;
  };
  const absl::StatusOr<std::unique_ptr<FileDevice>> file = OpenLocked(options.image, FsckAccess::kOverwrite);
  if (!file.ok()) {
    return fail(file.status());
  }
  const UndoFit fit = options.force ? UndoFit::kIgnore : UndoFit::kDemand;
  const absl::StatusOr<Undone> undone = ApplyUndoFile(options.undo_apply, **file, fit);
  if (!undone.ok()) {
    return fail(undone.status());
  }
  if (!tool.quiet()) {
    tool.io().out << fmt::format("{}: {} blocks put back{}\n", options.image, undone->blocks,
                                 undone->is_cut_short ? "; the undo file was cut short" : "");
  }
  return kFsckClean;
}

}  // namespace betr::tools
