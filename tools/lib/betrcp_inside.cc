// SPDX-License-Identifier: Apache-2.0
#include "betrcp_inside.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/status.h"
#include "betr/fs_error.h"
#include "clone_report.h"
#include "fs/transfer/host_file.h"
#include "open_inside.h"
#include "session.h"

namespace betr::tools {
namespace {

using Places = std::vector<Location>;

Session SessionFor(Tool& tool, const BetrcpOptions& options, ImageAccess access) {
  return {&tool, {.access = access, .cache_size = options.cache_size, .experiments = options.experiments}};
}

// Runs `work` on the two operands.
int RunOnTwo(Tool& tool, const BetrcpOptions& options,
             absl::FunctionRef<WorkError(PathFileSystem&, const Places&)> work) {
  const Places places = ParseAllInside(options.operands);
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  Session session = SessionFor(tool, options, ImageAccess::kReadWrite);
  return session.Run(*image, [&](PathFileSystem& paths) { return work(paths, places); });
}

// Runs `work` on each operand, whatever becomes of the others.
int RunOnEach(Tool& tool, const BetrcpOptions& options, ImageAccess access, const std::string& what,
              absl::FunctionRef<absl::Status(PathFileSystem&, const std::string& path)> work) {
  const Places places = ParseAllInside(options.operands);
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  return SessionFor(tool, options, access).RunEach(*image, places, [&](PathFileSystem& paths, const Location& place) {
    return WorkError{what, work(paths, place.path)};
  });
}

// Returns where the result of cloning or renaming `from` is to be: in `to`, if that is a directory.
absl::StatusOr<std::string> TargetOf(PathFileSystem& paths, const BetrcpOptions& options, const std::string& from,
                                     const std::string& to) {
  BETR_ASSIGN_OR_RETURN(const OpenFile source, OpenInside(paths, from));
  BETR_ASSIGN_OR_RETURN(const bool exists, paths.Exists(to));
  if (!exists) {
    const bool fits = source.attributes().type == FileType::kDirectory || !MeansDirectory(to);
    return fits ? absl::StatusOr<std::string>(to) : ErrnoError(ENOTDIR, to);
  }
  BETR_ASSIGN_OR_RETURN(const OpenFile target, OpenInside(paths, to));
  const bool is_into = target.attributes().type == FileType::kDirectory && !options.no_target_directory;
  return is_into ? JoinPath(to, CopyName(from)) : to;
}

// Refuses to clone a directory into itself. A clone of the root is let through, since it cannot be anywhere else.
absl::Status CheckNotWithin(PathFileSystem& paths, const std::string& from, const std::string& to) {
  if (NormalPath(from).empty() || !IsWithin(to, from)) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, paths.Stat(from));
  return attributes.type == FileType::kDirectory ? CloneIntoItself(to) : absl::OkStatus();
}

absl::Status Clone(const Tool& tool, PathFileSystem& paths, const std::string& from, const std::string& to) {
  BETR_RETURN_IF_ERROR(CheckNotWithin(paths, from, to));
  const Store& store = paths.fs().store();
  const uint64_t touched_before = store.Stats().nodes_touched;
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  BETR_RETURN_IF_ERROR(paths.Clone(from, to));
  BETR_RETURN_IF_ERROR(paths.fs().Sync());
  const std::chrono::nanoseconds took = tool.io().clock.Monotonic() - begun;
  const uint64_t touched = store.Stats().nodes_touched - touched_before;
  TellOfClone(tool, {.from = from, .to = to, .took = took, .nodes_touched = touched});
  return absl::OkStatus();
}

absl::Status MakeOne(PathFileSystem& paths, const std::string& path, const BetrcpOptions& options) {
  NewFile directory;
  directory.type = FileType::kDirectory;
  directory.permissions = 0777 & ~fs::Umask();
  directory.uid = geteuid();
  directory.gid = getegid();
  return options.parents ? paths.MakeDirectories(NormalPath(path), directory) : paths.Create(path, directory).status();
}

absl::Status Remove(PathFileSystem& paths, const std::string& path) {
  if (NormalPath(path).empty()) return absl::InvalidArgumentError("/: the root cannot be removed");
  // As rm(1): it would be the directory above that loses a name.
  if (EndsInDots(path)) return absl::InvalidArgumentError(path + ": '.' and '..' are not removed");
  if (path.ends_with('/')) BETR_RETURN_IF_ERROR(OpenInside(paths, path).status());
  return paths.RemoveTree(path);
}

absl::Status Cat(Tool& tool, PathFileSystem& paths, const std::string& path) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenInside(paths, path));
  std::string buffer(MiB(1).value, '\0');
  for (uint64_t offset = 0;;) {
    const absl::StatusOr<size_t> size = paths.fs().Read(file.inode(), offset, buffer);
    if (!size.ok()) return Annotate(size.status(), path);
    if (*size == 0 || !tool.Print({buffer.data(), *size})) return absl::OkStatus();
    offset += *size;
  }
}

// Whether the operand is a path into a directory that the host has.
bool FitsOnHost(const std::string& operand) {
  const std::filesystem::path directory = std::filesystem::path(operand).parent_path();
  std::error_code error;
  return !directory.empty() && std::filesystem::is_directory(directory, error);
}

// Adds a hint to the error. Whoever means paths on a mount may have forgotten that BETR_IMAGE names an image.
absl::Status WithImage(Tool& tool, const BetrcpOptions& options, const absl::Status& status) {
  const auto names_image = [](const std::string& operand) { return ParseLocation(operand).is_inside; };
  const bool is_by_variable = tool.app().count("--image") == 0 && std::ranges::none_of(options.operands, names_image);
  const bool may_be_meant = is_by_variable && std::ranges::all_of(options.operands, FitsOnHost);
  if (ToErrno(status) != ENOENT || !may_be_meant) return status;
  return {status.code(),
          fmt::format("{} in {}, as BETR_IMAGE says: unset that for a mount", MessageOf(status), tool.image())};
}

}  // namespace

int CloneInside(Tool& tool, const BetrcpOptions& options) {
  return RunOnTwo(tool, options, [&](PathFileSystem& paths, const Places& places) -> WorkError {
    const absl::StatusOr<std::string> target = TargetOf(paths, options, places[0].path, places[1].path);
    const absl::Status cloned = target.ok() ? Clone(tool, paths, places[0].path, *target) : target.status();
    return {"clone", WithImage(tool, options, cloned)};
  });
}

int RenameInside(Tool& tool, const BetrcpOptions& options) {
  return RunOnTwo(tool, options, [&](PathFileSystem& paths, const Places& places) -> WorkError {
    const absl::StatusOr<std::string> target = TargetOf(paths, options, places[0].path, places[1].path);
    return {"rename", target.ok() ? paths.Rename(places[0].path, *target) : target.status()};
  });
}

int RemoveInside(Tool& tool, const BetrcpOptions& options) {
  return RunOnEach(
      tool, options, ImageAccess::kReadWrite, "remove",
      [&](PathFileSystem& paths, const std::string& path) { return WithImage(tool, options, Remove(paths, path)); });
}

int MakeDirectories(Tool& tool, const BetrcpOptions& options) {
  return RunOnEach(tool, options, ImageAccess::kReadWrite, "mkdir",
                   [&](PathFileSystem& paths, const std::string& path) { return MakeOne(paths, path, options); });
}

int CatInside(Tool& tool, const BetrcpOptions& options) {
  return RunOnEach(tool, options, ReadAccess(options), "cat",
                   [&](PathFileSystem& paths, const std::string& path) { return Cat(tool, paths, path); });
}

}  // namespace betr::tools
