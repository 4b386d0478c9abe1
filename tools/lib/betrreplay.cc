// SPDX-License-Identifier: Apache-2.0
#include "betrreplay.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>
#include <variant>

#include "base/status.h"
#include "betrreplay_options.h"
#include "betrreplay_plot.h"
#include "betrreplay_report.h"
#include "progress.h"
#include "replay/directory_target.h"
#include "replay/image_target.h"
#include "replay/interpret/manifest.h"
#include "replay/run.h"
#include "write_error.h"

namespace betr::tools {
namespace {

using TargetPointer = std::unique_ptr<replay::Target>;

// Normalizes the root as text only, since it is not known which symlinks there were.
std::string NormalizedRoot(const BetrreplayOptions& options) {
  const std::string root = options.root.empty() ? kDefaultRoot : options.root;
  const std::filesystem::path normal = std::filesystem::path(root).lexically_normal();
  return normal.has_filename() ? normal.string() : normal.parent_path().string();
}

replay::RunOptions RunOptionsOf(const BetrreplayOptions& options) {
  return {.traces = options.traces,
          .root = NormalizedRoot(options),
          .has_threads = options.has_threads,
          .speed = options.speed,
          .initial_directory = options.working_directory,
          .initial_umask = options.umask};
}

// Returns a ProgressFunction. `progress` must outlive it.
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

// Returns the image or directory that is replayed on, as the command line names it.
const std::string& PlaceOf(const Tool& tool, const BetrreplayOptions& options) {
  return options.directory.empty() ? tool.image() : options.directory;
}

// Returns null if neither an image nor a directory was named.
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

// A text of which nothing is understood is no trace. Lines here and there that are not understood are only counted.
absl::Status CheckIsTrace(const replay::TraceOutcome& outcome) {
  const replay::StreamCounts& stream = outcome.stream;
  if (stream.calls > 0 || stream.unparsed == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("no trace: {}", stream.samples.front()));
}

// A wrong root is the usual reason for a replay of nothing.
void NoteIfNothing(Tool& tool, const BetrreplayOptions& options, const replay::TraceOutcome& outcome) {
  if (outcome.operations > 0) return;
  if (outcome.stream.calls == 0) return tool.Note("there are no calls in the trace");
  const absl::StatusOr<std::string> root = replay::RootOf(RunOptionsOf(options));
  if (root.ok()) tool.Note(fmt::format("no call is about {}, the directory that is replayed (--root, --cwd)", *root));
}

int PrintManifest(Tool& tool, const BetrreplayOptions& options) {
  const absl::StatusOr<replay::Manifest> manifest = InitialState(tool, options);
  if (!manifest.ok()) return tool.Fail("infer", manifest.status());
  for (const replay::ManifestEntry& entry : manifest->entries) {
    tool.io().out << replay::FormatManifestEntry(entry) << '\n';
  }
  return kExitOk;
}

// Writes into a new file. Removes it again if something fails.
int Convert(Tool& tool, const BetrreplayOptions& options) {
  std::error_code unknown;  // then it cannot be made either
  if (std::filesystem::exists(std::filesystem::symlink_status(options.convert, unknown))) {
    tool.PrintError(options.convert + ": exists already");
    return kExitRefused;
  }
  const absl::StatusOr<replay::Manifest> initial = InitialState(tool, options);
  if (!initial.ok()) return tool.Fail("initial state", initial.status());
  errno = 0;
  std::ofstream file(options.convert, std::ios::binary);
  absl::StatusOr<replay::TraceOutcome> outcome = WriteError(options.convert, errno);
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
  NoteIfNothing(tool, options, *outcome);
  PrintConversion(tool, *outcome, options.convert, Bytes{std::filesystem::file_size(options.convert, error)});
  return kExitOk;
}

using OptionalManifest = std::optional<replay::Manifest>;

// Reads what the final state is to be compared with. Nothing if no comparison is wanted.
absl::StatusOr<OptionalManifest> ReadListing(const BetrreplayOptions& options) {
  if (options.check.empty()) return std::nullopt;
  BETR_ASSIGN_OR_RETURN(replay::Manifest listing, replay::ReadManifest(options.check));
  return listing;
}

// Compares the final state: as the target has it or, without a target, as the trace makes it.
absl::StatusOr<CheckResult> Check(const BetrreplayOptions& options, const replay::Manifest& expected,
                                  const replay::RunResult& result, replay::Target* target) {
  replay::Manifest found = result.expected;
  if (target != nullptr) {
    BETR_ASSIGN_OR_RETURN(const std::string root, replay::RootOf(RunOptionsOf(options)));
    BETR_ASSIGN_OR_RETURN(found, target->List(root));
  }
  return CheckResult{.listing = options.check,
                     .objects = found.entries.size(),
                     .comparison = replay::Compare(expected, found, result.unknown_modes)};
}

// Opens the target and checks that it is empty. Returns an exit code if that fails.
std::variant<TargetPointer, int> PrepareTarget(Tool& tool, const BetrreplayOptions& options) {
  absl::StatusOr<TargetPointer> target = OpenTarget(tool, options);
  if (!target.ok()) {
    tool.PrintError("open: " + MessageOf(target.status()));
    return ExitCodeOfOpening(target.status());
  }
  if (*target == nullptr) return *std::move(target);
  const absl::StatusOr<bool> is_empty = (*target)->IsEmpty();
  if (!is_empty.ok()) return tool.Fail("open", is_empty.status());
  if (*is_empty) return *std::move(target);
  tool.PrintError(PlaceOf(tool, options) + ": what the trace is to be replayed on is not empty");
  return kExitRefused;
}

absl::Status DrawPlot(const Tool& tool, const BetrreplayOptions& options, const replay::RunResult& result) {
  if (options.plot.empty()) return absl::OkStatus();
  const std::string others = options.traces.size() == 1 ? "" : fmt::format(" and {} more", options.traces.size() - 1);
  const std::string title = fmt::format("{}{} on {}", options.traces.front(), others, PlaceOf(tool, options));
  return WriteReplayPlot(options.plot, title, result);
}

void PrintNotes(Tool& tool, const BetrreplayOptions& options, const replay::RunResult& result) {
  NoteIfNothing(tool, options, result);
  if (options.speed > 0 && result.report.Operations() > 0 && !result.has_times) {
    tool.Note("--speed: the trace has no times, so nothing was waited for");
  }
}

// Prints the report even if the check fails.
int Report(Tool& tool, const BetrreplayOptions& options, const OptionalManifest& listing,
           const replay::RunResult& result, replay::Target* target) {
  std::optional<CheckResult> check;
  absl::Status checked;
  if (listing.has_value()) {
    absl::StatusOr<CheckResult> compared = Check(options, *listing, result, target);
    checked = compared.status();
    if (compared.ok()) check = *std::move(compared);
  }
  PrintReport(tool, result, check);
  if (!checked.ok()) return tool.Fail("check", checked);
  if (const absl::Status is_trace = CheckIsTrace(result); !is_trace.ok()) return tool.Fail("replay", is_trace);
  PrintNotes(tool, options, result);
  const bool is_equal = !check.has_value() || check->comparison.IsEqual();
  return is_equal && result.report.Different() == 0 ? kExitOk : kExitFailed;
}

// Replays the trace. Before that, checks all that is needed afterwards.
int Replay(Tool& tool, const BetrreplayOptions& options) {
  const absl::StatusOr<OptionalManifest> listing = ReadListing(options);
  if (!listing.ok()) return tool.Fail("check", listing.status());
  if (const absl::Status plot = TryReplayPlot(options.plot); !plot.ok()) return tool.Fail("plot", plot);
  const absl::StatusOr<replay::Manifest> initial = InitialState(tool, options);
  if (!initial.ok()) return tool.Fail("initial state", initial.status());
  std::variant<TargetPointer, int> prepared = PrepareTarget(tool, options);
  if (const int* const exit = std::get_if<int>(&prepared)) return *exit;
  const TargetPointer target = std::get<TargetPointer>(std::move(prepared));
  absl::StatusOr<replay::RunResult> result = absl::UnknownError("");
  {
    Progress progress(tool, "lines");
    progress.Begin("replay");
    result = replay::RunTrace(RunOptionsOf(options), *initial, target.get(), &tool.io().clock, ProgressOf(&progress));
  }
  if (!result.ok()) return tool.Fail("replay", result.status());
  const int exit = Report(tool, options, *listing, *result, target.get());
  if (target != nullptr) {
    if (const absl::Status closed = target->Close(); !closed.ok()) return tool.Fail("close", closed);
  }
  if (const absl::Status drawn = DrawPlot(tool, options, *result); !drawn.ok()) return tool.Fail("plot", drawn);
  return exit;
}

int Run(Tool& tool, const BetrreplayOptions& options) {
  const bool is_told = !options.root.empty() || !options.manifest.empty() || !options.working_directory.empty() ||
                       tool.app().count("--umask") > 0;
  if (is_told && replay::IsConverted(RunOptionsOf(options))) {
    return tool.UsageError("a converted trace has its root and initial state: no --root, --manifest, --cwd, --umask");
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
