// SPDX-License-Identifier: Apache-2.0
#include "betrcp_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include "base/size_text.h"
#include "base/status.h"
#include "exclude_options.h"
#include "json_output.h"
#include "open_inside.h"
#include "progress.h"
#include "session.h"
#include "shown_text.h"
#include "stream_target.h"
#include "transfer.h"

namespace betr::tools {
namespace {

enum class PathKind { kMissing, kDirectory, kRegular, kOther };

absl::StatusOr<PathKind> KindOnHost(const std::string& path, bool follow) {
  std::error_code error;
  const auto status = follow ? std::filesystem::status(path, error) : std::filesystem::symlink_status(path, error);
  // For a path below a file, status() says not_found as for a missing one. Only the error differs.
  if (status.type() == std::filesystem::file_type::not_found && error != std::errc::not_a_directory) {
    return PathKind::kMissing;
  }
  if (error) return ErrnoError(error.value(), path);
  if (std::filesystem::is_regular_file(status)) return PathKind::kRegular;
  return std::filesystem::is_directory(status) ? PathKind::kDirectory : PathKind::kOther;
}

absl::StatusOr<PathKind> KindInside(PathFileSystem& paths, const std::string& path) {
  BETR_ASSIGN_OR_RETURN(const bool exists, paths.Exists(path));
  if (!exists) return PathKind::kMissing;
  BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenInside(paths, path));
  if (file.attributes().type == FileType::kRegular) return PathKind::kRegular;
  return file.attributes().type == FileType::kDirectory ? PathKind::kDirectory : PathKind::kOther;
}

bool IsHostLink(const Location& place) {
  std::error_code error;
  return !place.is_inside && std::filesystem::is_symlink(place.path, error);
}

// What a copy is to do, apart from the image.
struct CopyJob {
  std::vector<Location> sources;
  Location destination;
  bool into_image = false;
  bool recursive = false;
  bool no_target_directory = false;
  fs::CopyOptions transfer;
};

absl::StatusOr<PathKind> KindOfSource(PathFileSystem& paths, const Location& source) {
  return source.is_inside ? KindInside(paths, source.path) : KindOnHost(source.path, /*follow=*/false);
}

absl::StatusOr<PathKind> KindOfDestination(PathFileSystem& paths, const Location& destination) {
  return destination.is_inside ? KindInside(paths, destination.path) : KindOnHost(destination.path, /*follow=*/true);
}

// Refuses a copy that would replace a device or a stream: the content was meant to go into that. A device may replace a
// device.
absl::Status CheckIsNoStream(const std::string& host, PathKind source) {
  if (source == PathKind::kDirectory || !LeadsToStream(host)) return absl::OkStatus();
  if (source == PathKind::kOther && IsDeviceItself(host)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: is a device or a stream, or leads to one: betrcp --cat writes to it", host));
}

// Returns where the copy of `source` is to be. Errors: why it cannot be made.
absl::StatusOr<std::string> TargetOf(PathFileSystem& paths, const CopyJob& job, const Location& source,
                                     PathKind destination) {
  BETR_ASSIGN_OR_RETURN(const PathKind kind, KindOfSource(paths, source));
  if (kind == PathKind::kMissing) return ErrnoError(ENOENT, source.path);
  if (kind == PathKind::kDirectory && !job.recursive) {
    return absl::InvalidArgumentError(fmt::format("{}: is a directory: -r or -a copies it", source.path));
  }
  const std::string& to = job.destination.path;
  if (destination == PathKind::kDirectory && !job.no_target_directory) {
    const std::string name = CopyName(source.path);
    // The content of the source goes into the directory that the link leads to, since the link itself is no directory.
    return JoinPath(to, name.empty() && IsHostLink(job.destination) ? "." : name);
  }
  if (destination != PathKind::kDirectory && (job.sources.size() > 1 || to.ends_with('/'))) {
    // The copy of a directory may make the destination.
    const bool makes_it = job.sources.size() == 1 && destination == PathKind::kMissing && kind == PathKind::kDirectory;
    if (!makes_it) return ErrnoError(destination == PathKind::kMissing ? ENOENT : ENOTDIR, to);
  }
  if (!job.into_image) BETR_RETURN_IF_ERROR(CheckIsNoStream(to, kind));
  return to;
}

// Returns what is copied, and where to. Errors: one of the sources cannot be copied, or would take another one's place,
// or --delete would remove from a directory what another one has brought.
absl::StatusOr<std::vector<fs::CopyPair>> TreesOf(PathFileSystem& paths, const CopyJob& job, PathKind destination) {
  std::vector<fs::CopyPair> trees;
  std::unordered_map<std::string, std::string> sources;  // by their targets
  for (const Location& source : job.sources) {
    BETR_ASSIGN_OR_RETURN(const std::string target, TargetOf(paths, job, source, destination));
    BETR_ASSIGN_OR_RETURN(const PathKind kind, KindOfSource(paths, source));
    const auto [same, is_new] = sources.emplace(target, source.path);
    if (!is_new && kind != PathKind::kDirectory) {
      return absl::InvalidArgumentError(fmt::format("{}: {} becomes {}, too", source.path, same->second, target));
    }
    trees.push_back({source.path, target});
    // A source without a name stands for its content. That goes into the directory that the other sources are put into.
    const std::string& first = trees.front().from;
    const bool shares = !is_new || (trees.size() > 1 && (CopyName(source.path).empty() || CopyName(first).empty()));
    if (job.transfer.remove_others && shares) {
      return absl::InvalidArgumentError(
          fmt::format("{}: goes into one directory with {}: --delete keeps only what one of them has", source.path,
                      is_new ? first : same->second));
    }
  }
  return trees;
}

std::string OthersIn(const fs::CopyTotals& counts) {
  std::string text;
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(counts.unchanged, "unchanged");
  add(counts.removed, "removed");
  add(counts.excluded, "excluded");
  return text;
}

void TellOfCopy(const Tool& tool, const fs::CopyTotals& counts, bool is_dry_run, std::chrono::nanoseconds took) {
  if (tool.json()) {
    Json json = NewDocument("copy");
    json["files"] = counts.files;
    json["bytes"] = counts.bytes.value;
    json["unreadable"] = counts.gone_without;
    json["unchanged"] = counts.unchanged;
    json["removed"] = counts.removed;
    json["excluded"] = counts.excluded;
    json["dry_run"] = is_dry_run;
    json["nanoseconds"] = took.count();
    PrintJson(tool.io().out, json);
  } else if (tool.verbosity() > 0 && !tool.quiet()) {
    // Not on stdout: an archive may go there.
    tool.io().err << fmt::format("{} files, {}{}, in {}\n", counts.files, FormatSize(counts.bytes), OthersIn(counts),
                                 FormatDuration(took));
  }
}

void ExpectAll(Transfer& transfer, const CopyJob& job) {
  std::vector<std::string> paths;
  for (const Location& source : job.sources) paths.push_back(source.path);
  job.into_image ? transfer.ExpectFromHost(paths) : transfer.ExpectFromInside(paths);
}

std::string NameOf(bool into_image) { return into_image ? "import" : "export"; }

WorkError CopyAll(Transfer& transfer, PathFileSystem& paths, const CopyJob& job) {
  const std::string what = NameOf(job.into_image);
  const absl::StatusOr<PathKind> destination = KindOfDestination(paths, job.destination);
  if (!destination.ok()) return {what, destination.status()};
  ExpectAll(transfer, job);
  const absl::StatusOr<std::vector<fs::CopyPair>> trees = TreesOf(paths, job, *destination);
  if (!trees.ok()) return {what, trees.status()};
  const absl::Status copied = job.into_image ? transfer.ImportTrees(*trees) : transfer.ExportTrees(*trees);
  return {what, copied.ok() && job.into_image ? paths.fs().Sync() : copied};
}

// A tree is imported without a log. If that is interrupted, it has to be done again anyway, and the image is whole at
// any time.
SessionOptions SessionFor(const BetrcpOptions& options, bool into_image, bool is_large) {
  const ImageAccess to_write = options.dry_run ? ImageAccess::kTrial : ImageAccess::kReadWrite;
  return {.access = into_image ? to_write : ReadAccess(options),
          .logging = into_image && is_large ? Logging::kBulk : Logging::kFull,
          .cache_size = options.cache_size,
          .experiments = options.experiments};
}

absl::Status CheckDirection(const BetrcpOptions& options, bool into_image) {
  if (options.update && !options.archive) return absl::InvalidArgumentError("-u: only with -a, which keeps the times");
  const bool is_recursive = options.recursive || options.archive;
  if (options.remove_others && !is_recursive) return absl::InvalidArgumentError("--delete: only with -r or -a");
  if (options.one_file_system && !is_recursive) return absl::InvalidArgumentError("-x: only with -r or -a");
  if (options.one_file_system && !into_image) {
    return absl::InvalidArgumentError("-x: only into the image, which is one file system");
  }
  return absl::OkStatus();
}

absl::StatusOr<CopyJob> JobOf(const BetrcpOptions& options) {
  CopyJob job;
  for (const std::string& operand : options.operands) job.sources.push_back(ParseLocation(operand));
  job.destination = job.sources.back();
  job.sources.pop_back();
  job.into_image = job.destination.is_inside;
  job.recursive = options.recursive || options.archive;
  job.no_target_directory = options.no_target_directory;
  job.transfer.all_attributes = options.archive;
  job.transfer.update = options.update;
  job.transfer.remove_others = options.remove_others;
  job.transfer.one_file_system = options.one_file_system;
  job.transfer.dry_run = options.dry_run;
  BETR_ASSIGN_OR_RETURN(job.transfer.exclusions, ExclusionsOf(options.exclude));
  BETR_RETURN_IF_ERROR(CheckDirection(options, job.into_image));
  for (const Location& source : job.sources) {
    if (source.is_inside && job.into_image) {
      return absl::InvalidArgumentError("both SRC and DST are inside the image: --clone does that");
    }
    if (!source.is_inside && !job.into_image) {
      return absl::InvalidArgumentError(
          fmt::format("neither {} nor {} is inside an image: :/path is", source.path, job.destination.path));
    }
  }
  return job;
}

// Runs `work` and tells what it did. `what` names it in messages.
int Run(Tool& tool, const SessionOptions& session, fs::CopyOptions options, const std::string& image,
        const std::string& what, absl::FunctionRef<WorkError(PathFileSystem&, Transfer&)> work) {
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  fs::CopyTotals counts;
  Session run(&tool, session);
  int exit_without = kExitOk;
  options.gone_without = [&](const absl::Status& status) {
    exit_without = std::max(exit_without, run.Tell({what, status}));
  };
  options.left_out = [&](std::string_view file) { tool.Note(fmt::format("{}: {}: left out", what, file)); };
  const auto list = [&](char letter, std::string_view path) {
    tool.io().out << letter << ' ' << ShownName(path, tool.io().is_out_terminal) << '\n';
  };
  if (options.dry_run && !tool.json()) {
    options.written = [&](std::string_view path, bool is_new) { list(is_new ? 'A' : 'M', path); };
    options.removed = [&](std::string_view path) { list('D', path); };
  } else if (tool.verbosity() > 0) {
    options.removed = [&](std::string_view path) { tool.Note(fmt::format("{}: {}: removed", what, path)); };
  }
  const int exit = run.Run(image, [&](PathFileSystem& paths) {
    Transfer transfer(tool, &paths.fs(), image, options);
    const WorkError error = work(paths, transfer);
    counts = transfer.counts();
    return error;
  });
  if (exit == kExitOk) TellOfCopy(tool, counts, options.dry_run, tool.io().clock.Monotonic() - begun);
  return std::max(exit, exit_without);
}

WorkError CopyArchive(Transfer& transfer, PathFileSystem& paths, const Location& from, const Location& to,
                      const std::optional<Location>& since) {
  if (to.is_inside) {
    const absl::Status copied = transfer.ImportTar(from.path, to.path);
    return {"import", copied.ok() ? paths.fs().Sync() : copied};
  }
  if (since) return {"export", transfer.ExportLayer(since->path, from.path, to.path)};
  transfer.ExpectFromInside({from.path});
  return {"export", transfer.ExportTar(from.path, to.path)};
}

}  // namespace

int CopyFiles(Tool& tool, const BetrcpOptions& options) {
  const absl::StatusOr<CopyJob> job = JobOf(options);
  std::vector<Location> all;
  for (const std::string& operand : options.operands) all.push_back(ParseLocation(operand));
  const bool names_image = std::ranges::any_of(all, &Location::is_inside);
  // Checks the image first: that there are two says more than what would be wrong in one.
  const absl::StatusOr<std::string> image = ImageOf(tool, all);
  if (names_image && !image.ok()) return tool.UsageError(MessageOf(image.status()));
  if (!job.ok()) return tool.UsageError(MessageOf(job.status()));
  const SessionOptions session = SessionFor(options, job->into_image, job->recursive);
  return Run(tool, session, job->transfer, *image, NameOf(job->into_image),
             [&](PathFileSystem& paths, Transfer& transfer) { return CopyAll(transfer, paths, *job); });
}

int CopyTar(Tool& tool, const BetrcpOptions& options) {
  const Location from = ParseLocation(options.operands[0]);
  const Location to = ParseLocation(options.operands[1]);
  if (from.is_inside == to.is_inside) {
    return tool.UsageError("--tar: wants an archive on the host and a place in the image: ARCHIVE :/path, or back");
  }
  if (options.layer && !to.is_inside) return tool.UsageError("--layer: only into the image; --since :/base makes one");
  std::optional<Location> since;
  if (!options.since.empty()) {
    if (to.is_inside) return tool.UsageError("--since: only out of the image; --layer unpacks what it makes");
    since = ParseInside(options.since);
  }
  std::vector<Location> places{from, to};
  if (since) places.push_back(*since);
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  if (!to.is_inside && to.path == "-" && tool.io().is_out_terminal) {
    return tool.UsageError("--tar: will not write an archive to a terminal");
  }
  if (!to.is_inside && to.path == "-" && tool.json()) return tool.UsageError("--json: stdout takes the archive");
  const absl::StatusOr<fs::Exclusions> exclusions = ExclusionsOf(options.exclude);
  if (!exclusions.ok()) return tool.UsageError(MessageOf(exclusions.status()));
  const SessionOptions session = SessionFor(options, to.is_inside, /*is_large=*/true);
  const fs::CopyOptions copy_options{.is_layer = options.layer, .exclusions = *exclusions};
  return Run(tool, session, copy_options, *image, NameOf(to.is_inside),
             [&](PathFileSystem& paths, Transfer& transfer) { return CopyArchive(transfer, paths, from, to, since); });
}

}  // namespace betr::tools
