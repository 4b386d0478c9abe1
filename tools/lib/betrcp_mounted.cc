// SPDX-License-Identifier: Apache-2.0
#include "betrcp_mounted.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/escape.h"
#include "base/status.h"
#include "betr/fs_error.h"
#include "betr/mount_ioctl.h"
#include "fs/host_file.h"
#include "json_output.h"
#include "location.h"
#include "progress.h"

namespace betr::tools {
namespace {

absl::Status LastError(const std::string& path) {
  if (errno == ENOTTY || errno == EOPNOTSUPP) {
    return absl::FailedPreconditionError(path + ": not on a mounted betr image, and no image was named (-i)");
  }
  return ErrnoError(errno, path);
}

absl::Status Clone(const std::string& from, const std::string& to) {
  const size_t slash = to.rfind('/');
  const std::string into = slash == std::string::npos ? "." : to.substr(0, std::max<size_t>(slash, 1));
  const std::string name = slash == std::string::npos ? to : to.substr(slash + 1);
  betr_clone clone{};
  if (name.empty()) return ErrnoError(EINVAL, to);
  if (name.size() >= sizeof clone.name) return ErrnoError(ENAMETOOLONG, name);
  const fs::HostFile source(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (source.get() < 0) return ErrnoError(errno, from);
  const fs::HostFile directory(open(into.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (directory.get() < 0) return ErrnoError(errno, into);
  if (ioctl(source.get(), BETR_IOC_SOURCE, &clone.source) != 0) return LastError(from);
  std::copy(name.begin(), name.end(), std::begin(clone.name));
  return ioctl(directory.get(), BETR_IOC_CLONE, &clone) == 0 ? absl::OkStatus() : LastError(to);
}

void Tell(const Tool& tool, const std::string& from, const std::string& to, std::chrono::nanoseconds took) {
  if (tool.json()) {
    Json json = NewDocument("clone");
    json["from"] = JsonText(from);
    json["to"] = JsonText(to);
    json["nanoseconds"] = took.count();
    PrintJson(tool.io().out, json);
  } else if (tool.verbosity() > 0) {
    tool.io().out << fmt::format("clone {} -> {}: {}\n", Escape(from), Escape(to), FormatDuration(took));
  }
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
  const std::chrono::nanoseconds begun = tool.io().clock.Monotonic();
  if (const absl::Status status = Clone(from, to); !status.ok()) return tool.Fail("clone", status);
  Tell(tool, from, to, tool.io().clock.Monotonic() - begun);
  return kExitOk;
}

}  // namespace betr::tools
