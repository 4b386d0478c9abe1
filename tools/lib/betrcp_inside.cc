// SPDX-License-Identifier: Apache-2.0
#include "betrcp_inside.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "base/escape.h"
#include "base/status.h"
#include "json_output.h"
#include "progress.h"
#include "session.h"

namespace betr::tools {
namespace {

// Runs `work` on the image that the operands name.
int RunInside(Tool& tool, const BetrcpOptions& options, ImageAccess access, const std::vector<Location>& locations,
              absl::FunctionRef<WorkError(PathFileSystem&)> work) {
  const absl::StatusOr<std::string> image = ImageOf(tool, locations);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  const SessionOptions session{.access = access, .cache_size = options.cache_size, .experiments = options.experiments};
  return Session(&tool, session).Run(*image, work);
}

// Where the result of cloning or renaming `from` is to be: in `to`, if that is a directory.
absl::StatusOr<std::string> TargetOf(PathFileSystem& paths, const BetrcpOptions& options, const std::string& from,
                                     const std::string& to) {
  if (options.no_target_directory) return to;
  BETR_ASSIGN_OR_RETURN(const bool exists, paths.Exists(to));
  if (!exists) return to;
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, paths.Stat(to));
  return attributes.type == FileType::kDirectory ? JoinPath(to, CopyName(from)) : to;
}

void TellOfClone(const Tool& tool, const std::string& from, const std::string& to, std::chrono::nanoseconds took,
                 uint64_t nodes) {
  if (tool.json()) {
    Json json = NewDocument("clone");
    json["from"] = JsonText(from);
    json["to"] = JsonText(to);
    json["nanoseconds"] = took.count();
    json["nodes_touched"] = nodes;
    PrintJson(tool.io().out, json);
  } else if (tool.verbosity() > 0) {
    tool.io().out << fmt::format("clone {} -> {}: {}, {} nodes touched\n", Escape(from), Escape(to),
                                 FormatDuration(took), nodes);
  }
}

absl::Status Clone(const Tool& tool, PathFileSystem& paths, const std::string& from, const std::string& to) {
  // A clone of everything has nowhere else to be than inside.
  const bool is_everything = NormalPath(from).empty();
  if (!is_everything && IsWithin(to, from)) {
    return absl::InvalidArgumentError(fmt::format("{}: cannot clone a directory into itself", to));
  }
  const Store& store = paths.fs().store();
  const uint64_t touched_before = store.Stats().nodes_touched;
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  BETR_RETURN_IF_ERROR(paths.Clone(from, to));
  BETR_RETURN_IF_ERROR(paths.fs().Sync());
  const std::chrono::nanoseconds took = tool.io().clock.Monotonic() - begun;
  TellOfClone(tool, from, to, took, store.Stats().nodes_touched - touched_before);
  return absl::OkStatus();
}

uint32_t CallersUmask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

absl::Status MakeOne(PathFileSystem& paths, const std::string& path, const BetrcpOptions& options) {
  const uint32_t permissions = 0777 & ~CallersUmask();
  if (options.parents) return paths.MakeDirectories(path, permissions);
  return paths.MakeDirectory(path, permissions);
}

absl::Status Remove(PathFileSystem& paths, const std::string& path) {
  if (NormalPath(path).empty()) return absl::InvalidArgumentError("/: the root cannot be removed");
  return paths.RemoveTree(path);
}

absl::Status Cat(PathFileSystem& paths, const std::string& path, std::ostream& out) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, paths.Open(path));
  std::string buffer(MiB(1).value, '\0');
  for (uint64_t offset = 0;;) {
    const absl::StatusOr<size_t> size = paths.fs().Read(file.inode(), offset, buffer);
    if (!size.ok()) return Annotate(size.status(), path);
    if (*size == 0 || !out.good()) return absl::OkStatus();
    out.write(buffer.data(), static_cast<std::streamsize>(*size));
    offset += *size;
  }
}

}  // namespace

int CloneInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  return RunInside(tool, options, ImageAccess::kReadWrite, places, [&](PathFileSystem& paths) -> WorkError {
    const absl::StatusOr<std::string> target = TargetOf(paths, options, places[0].path, places[1].path);
    return {"clone", target.ok() ? Clone(tool, paths, places[0].path, *target) : target.status()};
  });
}

int RenameInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  return RunInside(tool, options, ImageAccess::kReadWrite, places, [&](PathFileSystem& paths) -> WorkError {
    const absl::StatusOr<std::string> target = TargetOf(paths, options, places[0].path, places[1].path);
    return {"rename", target.ok() ? paths.Rename(places[0].path, *target) : target.status()};
  });
}

int RemoveInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  return RunInside(tool, options, ImageAccess::kReadWrite, places, [&](PathFileSystem& paths) -> WorkError {
    for (const Location& place : places) {
      if (const absl::Status status = Remove(paths, place.path); !status.ok()) return {"remove", status};
    }
    return {};
  });
}

int MakeDirectories(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  return RunInside(tool, options, ImageAccess::kReadWrite, places, [&](PathFileSystem& paths) -> WorkError {
    for (const Location& place : places) {
      if (const absl::Status status = MakeOne(paths, place.path, options); !status.ok()) return {"mkdir", status};
    }
    return {};
  });
}

int CatInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  return RunInside(tool, options, ReadAccess(options), places, [&](PathFileSystem& paths) -> WorkError {
    for (const Location& place : places) {
      if (const absl::Status status = Cat(paths, place.path, tool.io().out); !status.ok()) return {"cat", status};
    }
    return {};
  });
}

}  // namespace betr::tools
