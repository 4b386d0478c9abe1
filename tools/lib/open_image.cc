// SPDX-License-Identifier: Apache-2.0
#include "open_image.h"

#include "base/status.h"

namespace betr::tools {

void AddStaleOk(Tool& tool, bool* stale_ok) {
  tool.app().add_flag("--stale-ok", *stale_ok,
                      "Read the last checkpoint, without a lock: also of an image that is mounted");
}

void AddExperiments(Tool& tool, Experiments* experiments) {
  const auto read = [experiments](const std::string& list) -> absl::Status {
    BETR_ASSIGN_OR_RETURN(*experiments, ParseExperiments(list));
    return absl::OkStatus();
  };
  tool.AddParsed("--experiment", read, "As an earlier version did it, to compare")->type_name("NAME,...");
}

absl::Status ExplainStale(const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(std::string(status.message()) +
                             " (--stale-ok: if the image is in use, what was read may have been replaced: try again)");
}

absl::Status WithReason(const absl::Status& failed, const absl::Status& closed) {
  const bool is_said = closed.ok() || failed.message().find(closed.message()) != absl::string_view::npos;
  return is_said ? failed : Annotate(closed, MessageOf(failed));
}

absl::StatusOr<StoreOptions> ImageOptions(const Tool& tool, ImageAccess access) {
  StoreOptions options;
  options.read_only = access == ImageAccess::kReadOnly || access == ImageAccess::kStale;
  options.stale = access == ImageAccess::kStale;
  options.program = tool.name();
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&options.functions));
  return options;
}

int FailToOpen(Tool& tool, const absl::Status& status) {
  tool.PrintError("open: " + MessageOf(status));
  return ExitCodeOfOpening(status);
}

}  // namespace betr::tools
