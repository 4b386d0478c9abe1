// SPDX-License-Identifier: Apache-2.0
#include "betrcp_mounted.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "ask_mount.h"
#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/fs_error.h"
#include "betr/mount_ioctl.h"
#include "clone_report.h"
#include "location.h"

namespace betr::tools {
namespace {

// Whether the directory is `source` or below it, however their paths look. False if `source` is the root of the mount,
// since a clone of that cannot be anywhere else.
bool IsInside(int directory, const struct stat& source) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  ScopedFd at(openat(directory, ".", kFlags));
  struct stat here {};
  if (fstat(at.get(), &here) != 0) return false;
  for (;;) {
    ScopedFd parent(openat(at.get(), "..", kFlags));
    struct stat above {};
    if (fstat(parent.get(), &above) != 0) return false;
    const bool is_top = above.st_dev != here.st_dev || above.st_ino == here.st_ino;
    if (is_top || here.st_dev != source.st_dev) return false;
    if (here.st_ino == source.st_ino) return true;
    at = std::move(parent);
    here = above;
  }
}

// Returns how many nodes were touched by everything on the mount since it began. Nothing if the mount does not say.
std::optional<uint64_t> NodesTouched(int descriptor, const std::string& path) {
  const absl::StatusOr<Json> figures = AskMount(descriptor, path);
  const Json::json_pointer place("/counters/nodes_touched");
  if (!figures.ok() || !figures->contains(place)) return std::nullopt;
  return (*figures)[place].get<uint64_t>();
}

struct PathParts {
  std::string directory;
  std::string name;
};

PathParts SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, std::max<size_t>(slash, 1)), path.substr(slash + 1)};
}

// What is cloned. A fifo or a device is only named, since opening a fifo waits, and opening a device may do anything.
struct Source {
  ScopedFd opened;            // the source, or the directory that it is in
  std::string entry;          // the name there; empty: it is the source
  struct stat attributes {};  // of the source
};

absl::StatusOr<ScopedFd> Open(const std::string& path, int flags) {
  ScopedFd opened(OpenRetrying(path, O_RDONLY | flags));
  if (opened.get() < 0) return ErrnoError(errno, path);
  return opened;
}

absl::StatusOr<Source> FindSource(const std::string& path) {
  Source source;
  if (lstat(path.c_str(), &source.attributes) != 0) return ErrnoError(errno, path);
  const bool opens = S_ISREG(source.attributes.st_mode) || S_ISDIR(source.attributes.st_mode);
  const PathParts parts = SplitPath(path);
  if (!opens) source.entry = parts.name;
  BETR_ASSIGN_OR_RETURN(source.opened,
                        opens ? Open(path, O_NOFOLLOW | O_NONBLOCK) : Open(parts.directory, O_DIRECTORY));
  struct stat opened {};
  if (fstat(source.opened.get(), &opened) != 0) return ErrnoError(errno, path);
  const bool is_same = opened.st_dev == source.attributes.st_dev && opened.st_ino == source.attributes.st_ino;
  if (opens && !is_same) return absl::AbortedError(path + ": was replaced meanwhile");
  if (!opens && opened.st_dev != source.attributes.st_dev) return NotMounted(path);
  return source;
}

// Returns why a mount refused the clone, or that the directory is on no mount. The source is known to be on one.
absl::Status Refused(const Source& source, int directory, const std::string& to) {
  const int error = errno;
  struct stat into {};
  if (fstat(directory, &into) == 0 && into.st_dev == source.attributes.st_dev) return ErrnoError(error, to);
  // The number that names the source on its mount means nothing to another mount.
  if (error == EBADF) return ErrnoError(EXDEV, to + ": on another mount than what is cloned");
  errno = error;
  return MountError(to);
}

absl::Status CloneTo(const Source& source, int directory, const std::string& from, const std::string& to,
                     const std::string& name) {
  if (S_ISDIR(source.attributes.st_mode) && IsInside(directory, source.attributes)) return CloneIntoItself(to);
  __u64 number = 0;
  if (ioctl(source.opened.get(), BETR_IOC_SOURCE, &number) != 0) return MountError(from);
  if (source.entry.empty()) {
    betr_clone clone{.source = number, .flags = 0, .reserved = 0, .name = {}};
    std::copy(name.begin(), name.end(), std::begin(clone.name));
    return ioctl(directory, BETR_IOC_CLONE, &clone) == 0 ? absl::OkStatus() : Refused(source, directory, to);
  }
  betr_clone_entry clone{.directory = number, .flags = 0, .reserved = 0, .entry = {}, .name = {}};
  std::copy(source.entry.begin(), source.entry.end(), std::begin(clone.entry));
  std::copy(name.begin(), name.end(), std::begin(clone.name));
  return ioctl(directory, BETR_IOC_CLONE_ENTRY, &clone) == 0 ? absl::OkStatus() : Refused(source, directory, to);
}

absl::StatusOr<CloneReport> Clone(const Tool& tool, const std::string& from, const std::string& to) {
  const auto [into, name] = SplitPath(to);
  if (name.empty()) return ErrnoError(EINVAL, to);
  if (name.size() >= sizeof betr_clone::name) return ErrnoError(ENAMETOOLONG, name);
  BETR_ASSIGN_OR_RETURN(const Source source, FindSource(from));
  BETR_ASSIGN_OR_RETURN(const ScopedFd directory, Open(into, O_DIRECTORY));
  const auto touched = [&, path = into] { return NodesTouched(directory.get(), path); };
  CloneReport report{.from = from, .to = to, .is_shared = true};
  const std::optional<uint64_t> touched_before = touched();
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  BETR_RETURN_IF_ERROR(CloneTo(source, directory.get(), from, to, name));
  report.took = tool.io().clock.Monotonic() - begun;
  const std::optional<uint64_t> touched_after = touched();
  if (touched_before && touched_after) report.nodes_touched = *touched_after - *touched_before;
  return report;
}

absl::Status Remove(const std::string& path) {
  if (EndsInDots(path)) return absl::InvalidArgumentError(path + ": '.' and '..' are not removed");
  const std::string trimmed = path.substr(0, path.find_last_not_of('/') + 1);
  if (trimmed.empty()) return NotMounted(path);
  const auto [directory, name] = SplitPath(trimmed);
  if (name.size() >= sizeof betr_remove::name) return ErrnoError(ENAMETOOLONG, name);
  BETR_ASSIGN_OR_RETURN(const ScopedFd parent, Open(directory, O_DIRECTORY));
  struct stat above {};
  struct stat victim {};
  if (fstat(parent.get(), &above) != 0) return ErrnoError(errno, directory);
  if (fstatat(parent.get(), name.c_str(), &victim, AT_SYMLINK_NOFOLLOW) != 0) return ErrnoError(errno, path);
  if (victim.st_dev != above.st_dev) return ErrnoError(EBUSY, path + ": something is mounted there");
  if (path.ends_with('/') && !S_ISDIR(victim.st_mode)) return ErrnoError(ENOTDIR, path);
  betr_remove removal{};
  std::copy(name.begin(), name.end(), std::begin(removal.name));
  return ioctl(parent.get(), BETR_IOC_REMOVE, &removal) == 0 ? absl::OkStatus() : MountError(path);
}

}  // namespace

absl::StatusOr<ScopedFd> OpenOnMount(const std::string& path, std::string_view done) {
  struct stat attributes {};
  if (lstat(path.c_str(), &attributes) != 0) return ErrnoError(errno, path);
  if (!S_ISREG(attributes.st_mode) && !S_ISDIR(attributes.st_mode)) {
    return absl::InvalidArgumentError(fmt::format("{}: on a mount only files and directories are {}", path, done));
  }
  return Open(path, O_NOFOLLOW | O_NONBLOCK);
}

absl::Status NotMounted(const std::string& path) {
  return absl::FailedPreconditionError(path + ": not on a mounted betr image, and no image was named (-i)");
}

absl::Status MountError(const std::string& path) {
  return errno == ENOTTY || errno == EOPNOTSUPP ? NotMounted(path) : ErrnoError(errno, path);
}

bool NamesNoImage(const Tool& tool, const BetrcpOptions& options) {
  return tool.image().empty() && std::none_of(options.operands.begin(), options.operands.end(),
                                              [](const std::string& one) { return ParseLocation(one).is_inside; });
}

int CloneOnMount(Tool& tool, const BetrcpOptions& options) {
  const std::string& from = options.operands[0];
  std::string to = options.operands[1];
  std::error_code ignored;
  const bool is_directory = !options.no_target_directory && std::filesystem::is_directory(to, ignored);
  if (is_directory) to = JoinPath(to, CopyName(from));
  while (to.size() > 1 && to.ends_with('/')) to.pop_back();
  const absl::StatusOr<CloneReport> report = Clone(tool, from, to);
  if (!report.ok()) return tool.Fail("clone", report.status());
  TellOfClone(tool, *report);
  return kExitOk;
}

int RemoveOnMount(Tool& tool, const BetrcpOptions& options) {
  int exit = kExitOk;
  for (const std::string& path : options.operands) {
    const absl::Status removed = Remove(path);
    if (!removed.ok()) exit = std::max(exit, tool.Fail("remove", removed));
  }
  return exit;
}

}  // namespace betr::tools
