// SPDX-License-Identifier: Apache-2.0
#include "fsck_undo.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "device/undo_file.h"
#include "fsck.h"
#include "fsck_device.h"
#include "json_output.h"
#include "shown_text.h"

namespace betr::tools {
namespace {

absl::StatusOr<Undone> Apply(const FsckOptions& options) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<FileDevice> file, OpenToCheck(options.image, FsckAccess::kOverwrite));
  const UndoFit fit = options.force ? UndoFit::kIgnore : UndoFit::kDemand;
  return ApplyUndoFile(options.undo_apply, *file, fit);
}

void PrintDocument(const Tool& tool, const FsckOptions& options, const absl::StatusOr<Undone>& undone,
                   const std::string& error, int exit) {
  Json document = NewDocument("fsck-undo");
  document["image"] = JsonText(options.image);
  document["exit_code"] = exit;
  document["error"] = undone.ok() ? Json() : Json(error);
  document["blocks_put_back"] = undone.ok() ? Json(undone->blocks) : Json();
  document["undo_file_cut_short"] = undone.ok() ? Json(undone->is_cut_short) : Json();
  PrintJson(tool.io().out, document);
}

}  // namespace

int ApplyUndo(Tool& tool, const FsckOptions& options) {
  const absl::StatusOr<Undone> undone = Apply(options);
  const int exit = undone.ok() ? kFsckClean : kFsckOperational;
  const std::string error = options.image + ": " + std::string(undone.status().message());
  if (!undone.ok()) tool.PrintError(error);
  if (tool.json()) {
    PrintDocument(tool, options, undone, error, exit);
  } else if (undone.ok() && !tool.quiet()) {
    tool.io().out << fmt::format("{}: {} blocks put back{}\n", LegibleName(options.image), undone->blocks,
                                 undone->is_cut_short ? "; the undo file was cut short" : "");
  }
  return exit;
}

}  // namespace betr::tools
