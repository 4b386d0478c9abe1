// SPDX-License-Identifier: Apache-2.0
#include "betrcp_mounted.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "ask_mount.h"
#include "base/status.h"
#include "betr/fs_error.h"
#include "betr/mount_ioctl.h"
#include "clone_report.h"
#include "fs/host_file.h"
#include "location.h"

namespace betr::tools {
namespace {

absl::Status LastError(const std::string& path) {
  if (errno == ENOTTY || errno == EOPNOTSUPP) {
    return absl::FailedPreconditionError(path + ": not on a mounted betr image, and no image was named (-i)");
  }
  return ErrnoError(errno, path);
}

// Whether the directory is `source` or below it, however the paths to them look. Not if that is the root of the mount:
// a clone of everything has nowhere else to be than inside.
bool IsInside(int directory, const struct stat& source) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  fs::HostFile at(openat(directory, ".", kFlags));
  struct stat here {};
  if (fstat(at.get(), &here) != 0) return false;
  for (;;) {
    fs::HostFile parent(openat(at.get(), "..", kFlags));
    struct stat above {};
    if (fstat(parent.get(), &above) != 0) return false;
    const bool is_top = above.st_dev != here.st_dev || above.st_ino == here.st_ino;
    if (is_top || here.st_dev != source.st_dev) return false;
    if (here.st_ino == source.st_ino) return true;
    at = std::move(parent);
    here = above;
  }
}

// By everything on the mount since it began; nothing if the mount does not say.
std::optional<uint64_t> NodesTouched(int descriptor, const std::string& path) {
  const absl::StatusOr<Json> figures = AskMount(descriptor, path);
  const Json::json_pointer place("/counters/nodes_touched");
  if (!figures.ok() || !figures->contains(place)) return std::nullopt;
  return (*figures)[place].get<uint64_t>();
}

absl::Status CloneOpen(int source, int directory, const std::string& from, const std::string& to,
                       const std::string& name) {
  struct stat attributes {};
  if (fstat(source, &attributes) != 0) return ErrnoError(errno, from);
  if (S_ISDIR(attributes.st_mode) && IsInside(directory, attributes)) return CloneIntoItself(to);
  betr_clone clone{};
  if (ioctl(source, BETR_IOC_SOURCE, &clone.source) != 0) return LastError(from);
  std::copy(name.begin(), name.end(), std::begin(clone.name));
  return ioctl(directory, BETR_IOC_CLONE, &clone) == 0 ? absl::OkStatus() : LastError(to);
}

absl::StatusOr<CloneReport> Clone(const Tool& tool, const std::string& from, const std::string& to) {
  const size_t slash = to.rfind('/');
  const std::string into = slash == std::string::npos ? "." : to.substr(0, std::max<size_t>(slash, 1));
  const std::string name = slash == std::string::npos ? to : to.substr(slash + 1);
  if (name.empty()) return ErrnoError(EINVAL, to);
  if (name.size() >= sizeof betr_clone::name) return ErrnoError(ENAMETOOLONG, name);
  const fs::HostFile source(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (source.get() < 0) return ErrnoError(errno, from);
  const fs::HostFile directory(open(into.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (directory.get() < 0) return ErrnoError(errno, into);
  const auto touched = [&] { return NodesTouched(directory.get(), into); };
  CloneReport report{.from = from, .to = to, .is_shared = true};
  const std::optional<uint64_t> touched_before = touched();
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  BETR_RETURN_IF_ERROR(CloneOpen(source.get(), directory.get(), from, to, name));
  report.took = tool.io().clock.Monotonic() - begun;
  const std::optional<uint64_t> touched_after = touched();
  if (touched_before && touched_after) report.nodes_touched = *touched_after - *touched_before;
  return report;
}

}  // namespace

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

}  // namespace betr::tools
