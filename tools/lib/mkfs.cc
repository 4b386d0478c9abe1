// SPDX-License-Identifier: Apache-2.0
#include "mkfs.h"

#include <fmt/format.h>

#include "base/size_text.h"
#include "json_output.h"
#include "layout/superblock.h"
#include "mkfs_make.h"
#include "mkfs_options.h"
#include "mkfs_plan.h"
#include "progress.h"

namespace betr::tools {
namespace {

// There are no optional features so far. The superblock has masks for them.
int ListFeatures(const Tool& tool) {
  if (tool.json()) {
    Json json = NewDocument("features");
    json["features"] = Json::array();
    PrintJson(tool.io().out, json);
  } else {
    tool.io().out << fmt::format("format {}.{} has no optional features\n", layout::kFormatMajor, layout::kFormatMinor);
  }
  return kExitOk;
}

int RefuseToOverwrite(Tool& tool, const MkfsPlan& plan) {
  tool.PrintError(fmt::format("{}: {}; -f overwrites it", plan.image, DescribeFound(plan)));
  return kExitRefused;
}

int FailToOpenTarget(Tool& tool, const absl::Status& status) {
  const int exit = tool.Fail("open", status);
  return status.code() == absl::StatusCode::kFailedPrecondition ? static_cast<int>(kExitRefused) : exit;
}

int FailToPlan(Tool& tool, const absl::Status& status) {
  tool.PrintError(MessageOf(status));
  return status.code() == absl::StatusCode::kInvalidArgument ? kExitUsage : ExitCodeOf(status);
}

void PrintResult(const Tool& tool, const MkfsPlan& plan, const std::optional<fs::CopyTotals>& counts,
                 std::chrono::nanoseconds took) {
  if (tool.json()) {
    Json json = PlanAsJson(plan);
    if (counts.has_value()) {
      json["files"] = counts->files;
      json["bytes"] = counts->bytes.value;
    }
    PrintJson(tool.io().out, json);
  } else if (counts.has_value() && !tool.quiet()) {
    tool.io().out << fmt::format("  content      {} files, {}, in {}\n", counts->files, FormatSize(counts->bytes),
                                 FormatDuration(took));
  }
}

int MakeImage(Tool& tool, const MkfsOptions& options) {
  absl::StatusOr<std::unique_ptr<FileDevice>> target = OpenTarget(options);
  if (!target.ok()) return FailToOpenTarget(tool, target.status());
  const absl::StatusOr<MkfsPlan> plan = MakePlan(options, target->get(), tool.io());
  if (!plan.ok()) return FailToPlan(tool, plan.status());
  if (plan->IsOverwriting() && !options.force) return RefuseToOverwrite(tool, *plan);
  if (const absl::Status status = CheckPaths(*plan, tool.io()); !status.ok()) return tool.Fail("make", status);
  if (!tool.json()) {
    PrintPlan(tool, *plan);
    if (!tool.io().out.flush()) return kExitFailed;  // Finish says why
  }
  if (options.dry_run) {
    if (tool.json()) PrintJson(tool.io().out, PlanAsJson(*plan));
    tool.Note("dry run: nothing was changed");
    return kExitOk;
  }
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  const auto counts = MakeFileSystem(tool, options, *plan, *std::move(target));
  if (!counts.ok()) return tool.Fail("make", counts.status());
  PrintResult(tool, *plan, *counts, tool.io().clock.Monotonic() - begun);
  return kExitOk;
}

}  // namespace

int MkfsMain(Arguments args, ToolIo& io) {
  Tool tool(MkfsDescription(), io);
  MkfsOptions options;
  AddMkfsOptions(&tool, &options);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  if (const std::optional<std::string> wrong = CheckMkfsOptions(options)) return tool.UsageError(*wrong);
  return tool.Finish(options.features == "list" ? ListFeatures(tool) : MakeImage(tool, options));
}

}  // namespace betr::tools
