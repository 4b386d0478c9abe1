// SPDX-License-Identifier: Apache-2.0
#include "betrreplay.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/status.h"
#include "betrreplay_options.h"
#include "betrreplay_plot.h"
#include "betrreplay_report.h"
#include "progress.h"
#include "replay/directory_target.h"
#include "replay/image_target.h"
#include "replay/manifest.h"
#include "replay/run.h"

namespace betr::tools {
namespace {

using TargetPointer = std::unique_ptr<replay::Target>;

replay::RunOptions RunOptionsOf(const BetrreplayOptions& options) {
  return {.traces = options.traces,
          .root = options.root.empty() ? kDefaultRoot : options.root,
          .has_threads = options.has_threads,
          .speed = options.speed,
          .initial_directory = options.working_directory};
}

// As ProgressFunction; outlives no call.
auto ProgressOf(Progress* progress) {
  return [progress](uint64_t lines, Bytes read, Bytes total) {
    progress->SetTotal(0, total);
    progress->Update(lines, read);
  };
}

absl::StatusOr<replay::Manifest> InitialState(const Tool& tool, const BetrreplayOptions& options) {
  if (!options.manifest.empty()) return replay::ReadManifest(options.manifest);
  Progress progress(tool, "lines");
  progress.Begin("infer");
  return replay::InferManifest(RunOptionsOf(options), ProgressOf(&progress));
}

// Null without an image and a directory.
absl::StatusOr<TargetPointer> OpenTarget(const Tool& tool, const BetrreplayOptions& options) {
  if (!options.directory.empty()) {
    BETR_ASSIGN_OR_RETURN(TargetPointer opened, replay::DirectoryTarget::Open(options.directory, options.seed));
    return opened;
  }
  if (tool.image().empty()) return TargetPointer();
  const replay::ImageTargetOptions target{
      .image = tool.image(),
      .program = tool.name(),
      .cache_size = options.cache_size,
      .experiments = options.experiments,
      .seed = options.seed,
      .disk = FindDiskProfile(options.disk),
      .disk_timing = options.waits_for_disk ? DiskDevice::Timing::kWait : DiskDevice::Timing::kAccount};
  BETR_ASSIGN_OR_RETURN(TargetPointer opened, replay::ImageTarget::Open(target));
  return opened;
}

// A text of which nothing is understood is no trace. Lines here and there are only counted.
absl::Status CheckIsTrace(const replay::TraceOutcome& outcome) {
  const replay::StreamCounts& stream = outcome.stream;
  if (stream.calls > 0 || stream.unparsed == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("no trace: {}", stream.samples.front()));
}

int PrintManifest(Tool& tool, const BetrreplayOptions& options) {
  const absl::StatusOr<replay::Manifest> manifest = InitialState(tool, options);
  if (!manifest.ok()) return tool.Fail("infer", manifest.status());
  for (const replay::ManifestEntry& entry : manifest->entries) {
    tool.io().out << replay::FormatManifestEntry(entry) << '\n';
  }
  return kExitOk;
}

// Writes into a new file, which is gone again if something fails.
int Convert(Tool& tool, const BetrreplayOptions& options) {
  if (std::filesystem::exists(options.convert)) {
    tool.PrintError(options.convert + ": exists already");
    return kExitRefused;
  }
  const absl::StatusOr<replay::Manifest> initial = InitialState(tool, options);
  if (!initial.ok()) return tool.Fail("initial state", initial.status());
  std::ofstream file(options.convert, std::ios::binary);
  absl::StatusOr<replay::TraceOutcome> outcome = absl::UnavailableError(options.convert + ": cannot be written");
  if (file) {
    Progress progress(tool, "lines");
    progress.Begin("convert");
    outcome = replay::ConvertTrace(RunOptionsOf(options), *initial, &file, ProgressOf(&progress));
  }
  file.close();
  const absl::Status status = outcome.ok() ? CheckIsTrace(*outcome) : outcome.status();
  std::error_code error;
  if (!status.ok()) {
    std::filesystem::remove(options.convert, error);
    return tool.Fail("convert", status);
  }
  PrintConversion(tool, *outcome, options.convert, Bytes{std::filesystem::file_size(options.convert, error)});
  return kExitOk;
}

// The final state, as the target has it, or without a target as the trace makes it.
absl::StatusOr<CheckResult> Check(const BetrreplayOptions& options, const replay::RunResult& result,
                                  replay::Target* target) {
  BETR_ASSIGN_OR_RETURN(const replay::Manifest expected, replay::ReadManifest(options.check));
  replay::Manifest found = result.expected;
  if (target != nullptr) {
    BETR_ASSIGN_OR_RETURN(const std::string root, replay::RootOf(RunOptionsOf(options)));
    BETR_ASSIGN_OR_RETURN(found, target->List(root));
  }
  return CheckResult{.listing = options.check,
                     .objects = found.entries.size(),
                     .comparison = replay::Compare(expected, found, result.unknown_modes)};
}

int Replay(Tool& tool, const BetrreplayOptions& options) {
  const absl::StatusOr<replay::Manifest> initial = InitialState(tool, options);
  if (!initial.ok()) return tool.Fail("initial state", initial.status());
  absl::StatusOr<TargetPointer> target = OpenTarget(tool, options);
  if (!target.ok()) {
    tool.PrintError("open: " + MessageOf(target.status()));
    return ExitCodeOfOpening(target.status());
  }
  if (*target != nullptr) {
    const absl::StatusOr<bool> is_empty = (*target)->IsEmpty();
    if (!is_empty.ok()) return tool.Fail("open", is_empty.status());
    if (!*is_empty) {
      tool.PrintError("what the trace is to be replayed on is not empty");
      return kExitRefused;
    }
  }
  absl::StatusOr<replay::RunResult> result = absl::UnknownError("");
  {
    Progress progress(tool, "lines");
    progress.Begin("replay");
    result = replay::RunTrace(RunOptionsOf(options), *initial, target->get(), &tool.io().clock, ProgressOf(&progress));
  }
  if (!result.ok()) return tool.Fail("replay", result.status());
  std::optional<CheckResult> check;
  if (!options.check.empty()) {
    absl::StatusOr<CheckResult> checked = Check(options, *result, target->get());
    if (!checked.ok()) return tool.Fail("check", checked.status());
    check = *std::move(checked);
  }
  PrintReport(tool, *result, check);
  if (const absl::Status is_trace = CheckIsTrace(*result); !is_trace.ok()) return tool.Fail("replay", is_trace);
  if (*target != nullptr) {
    if (const absl::Status closed = (*target)->Close(); !closed.ok()) return tool.Fail("close", closed);
  }
  if (!options.plot.empty()) {
    const std::string others = options.traces.size() == 1 ? "" : fmt::format(" and {} more", options.traces.size() - 1);
    const std::string title = fmt::format("{}{} on {}", options.traces.front(), others,
                                          options.directory.empty() ? tool.image() : options.directory);
    const absl::Status drawn = WriteReplayPlot(options.plot, title, *result);
    if (!drawn.ok()) return tool.Fail("plot", drawn);
  }
  const bool is_equal =
      !check.has_value() || (check->comparison.differences.empty() && check->comparison.is_digest_equal);
  return is_equal && result->report.Different() == 0 ? kExitOk : kExitFailed;
}

int Run(Tool& tool, const BetrreplayOptions& options) {
  const bool is_told = !options.root.empty() || !options.manifest.empty() || !options.working_directory.empty();
  if (is_told && replay::IsConverted(RunOptionsOf(options))) {
    return tool.UsageError("a converted trace has its root and initial state: no --root, --manifest, --cwd");
  }
  if (options.prints_manifest) return PrintManifest(tool, options);
  return options.convert.empty() ? Replay(tool, options) : Convert(tool, options);
}

}  // namespace

int BetrreplayMain(Arguments args, ToolIo& io) {
  Tool tool(BetrreplayDescription(), io);
  BetrreplayOptions options;
  AddBetrreplayOptions(&tool, &options);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  if (const std::optional<std::string> wrong = CheckBetrreplayOptions(tool, options)) return tool.UsageError(*wrong);
  return tool.Finish(Run(tool, options));
}

}  // namespace betr::tools
