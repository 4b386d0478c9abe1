// SPDX-License-Identifier: Apache-2.0
#include "mkfs_plan.h"

#include <absl/strings/numbers.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/percent_text.h"
#include "base/scoped_fd.h"
#include "base/size_text.h"
#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/tar/tar_copy.h"
#include "layout/format_options.h"
#include "layout/limits.h"
#include "layout/open_locked.h"
#include "own_image.h"
#include "shown_text.h"
#include "store/headroom.h"

namespace betr::tools {
namespace {

Bytes RoundDown(Bytes size) { return kBlockSize * (size / kBlockSize); }

absl::StatusOr<std::chrono::nanoseconds> ParseEpoch(const std::string& epoch) {
  constexpr int64_t kMaxSeconds = std::numeric_limits<int64_t>::max() / 1'000'000'000;
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(epoch, &seconds) || seconds < 0 || seconds > kMaxSeconds) {
    return absl::InvalidArgumentError(fmt::format("SOURCE_DATE_EPOCH: {}: must be a number of seconds", epoch));
  }
  return std::chrono::seconds(seconds);
}

absl::StatusOr<Bytes> SizeOfImage(const MkfsOptions& options, const FileDevice* target) {
  const Bytes present = target != nullptr ? target->Size() : Bytes{0};
  if (options.size.value == 0) {
    if (present.value > 0) return present;
    return absl::InvalidArgumentError(fmt::format("{}: -s must give the size of a new image", options.image));
  }
  const Bytes wanted = RoundDown(options.size);
  if (target != nullptr && target->IsBlockDevice() && wanted != present) {
    return absl::InvalidArgumentError(
        fmt::format("{}: the block device has {}; -s cannot change that", options.image, FormatSize(present)));
  }
  return wanted;
}

// Finds content in the rest of a file that is no whole block. It is not part of the device, but would be lost as well.
std::optional<Bytes> FindContentBehind(const std::string& path, Bytes end) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(end.value));
  std::string rest(kBlockSize.value, '\0');
  file.read(rest.data(), static_cast<std::streamsize>(rest.size()));
  const size_t at = rest.find_first_not_of('\0');
  return at == std::string::npos ? std::nullopt : std::optional(end + Bytes{at});
}

absl::Status FindOverwritten(FileDevice& target, MkfsPlan* plan) {
  BETR_ASSIGN_OR_RETURN(plan->found, layout::DetectSignatures(target));
  if (!plan->found.empty()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(plan->unknown, layout::FindContent(target));
  if (!plan->unknown && !target.IsBlockDevice()) plan->unknown = FindContentBehind(plan->image, target.Size());
  return absl::OkStatus();
}

// Checks with the effective ids, as opening does.
bool IsAllowed(const std::string& path, int mode) { return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0; }

absl::Status CheckCreation(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  if (parent.empty()) parent = ".";
  struct stat there {};
  if (!IsAllowed(parent, W_OK | X_OK)) return ErrnoError(errno, path + ": create");
  if (lstat(path.c_str(), &there) == 0) return ErrnoError(EEXIST, path + ": is a symbolic link to nothing");
  return absl::OkStatus();
}

// Checks the source itself, not what it leads to: a copy follows no link, not even at its beginning.
absl::Status CheckDirectory(const MkfsPlan& plan) {
  struct stat source {};
  if (lstat(plan.source.c_str(), &source) != 0) return ErrnoError(errno, plan.source);
  if (!S_ISDIR(source.st_mode)) return ErrnoError(ENOTDIR, plan.source);
  if (!IsAllowed(plan.source, R_OK | X_OK)) return ErrnoError(errno, plan.source);
  return plan.creates ? absl::OkStatus() : CheckIsOutside(plan.image, plan.source);
}

absl::Status CheckArchive(const MkfsPlan& plan, int stdin_descriptor) {
  BETR_RETURN_IF_ERROR(CheckIsNotImage(plan.source, stdin_descriptor, plan.image));
  if (plan.source == "-") return Annotate(fs::CheckTar(stdin_descriptor), "stdin");
  struct stat source {};
  if (stat(plan.source.c_str(), &source) != 0) return ErrnoError(errno, plan.source);
  if (S_ISDIR(source.st_mode)) return ErrnoError(EISDIR, plan.source);
  if (!IsAllowed(plan.source, R_OK)) return ErrnoError(errno, plan.source);
  if (!S_ISREG(source.st_mode)) return absl::OkStatus();
  const ScopedFd file(OpenRetrying(plan.source, O_RDONLY));
  return file.get() < 0 ? ErrnoError(errno, plan.source) : Annotate(fs::CheckTar(file.get()), plan.source);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileDevice>> OpenTarget(const MkfsOptions& options) {
  absl::StatusOr<std::unique_ptr<FileDevice>> device =
      layout::OpenLocked(options.image, FileDevice::Access::kReadWrite);
  if (absl::IsNotFound(device.status())) return nullptr;
  return device;
}

absl::Status CheckPaths(const MkfsPlan& plan, const ToolIo& io) {
  if (plan.creates) BETR_RETURN_IF_ERROR(CheckCreation(plan.image));
  if (plan.source.empty()) return absl::OkStatus();
  return plan.source_kind == "directory" ? CheckDirectory(plan) : CheckArchive(plan, io.in_descriptor);
}

absl::StatusOr<MkfsPlan> MakePlan(const MkfsOptions& options, FileDevice* target, const ToolIo& io) {
  MkfsPlan plan;
  plan.image = options.image;
  plan.creates = target == nullptr;
  plan.is_block_device = target != nullptr && target->IsBlockDevice();
  plan.time = io.clock.Now();
  if (const std::string epoch = io.environment("SOURCE_DATE_EPOCH").value_or(""); !epoch.empty()) {
    BETR_ASSIGN_OR_RETURN(plan.time, ParseEpoch(epoch));
    plan.is_reproducible = true;
  }
  BETR_ASSIGN_OR_RETURN(plan.size, SizeOfImage(options, target));
  if (target != nullptr) BETR_RETURN_IF_ERROR(FindOverwritten(*target, &plan));
  plan.source = options.from_tar.empty() ? options.from_directory : options.from_tar;
  plan.source_kind = plan.source.empty() ? "" : options.from_tar.empty() ? "directory" : "archive";
  BETR_ASSIGN_OR_RETURN(plan.exclusions, ExclusionsOf(options.exclude));
  plan.format = layout::FittedTo(plan.size, options.format);
  // Takes the size before it is rounded, so that the message tells what was asked for.
  BETR_RETURN_IF_ERROR(layout::CheckRoom(plan.format, options.size.value > 0 ? options.size : plan.size));
  BETR_ASSIGN_OR_RETURN(const layout::Superblock superblock, layout::NewSuperblock(plan.format, plan.size, plan.time));
  plan.format = layout::OptionsOf(superblock);
  plan.reserve = store::ReserveOf(superblock);
  // The image itself will get another one.
  if (options.dry_run && options.format.uuid.empty()) plan.format.uuid.clear();
  return plan;
}

std::string DescribeFound(const MkfsPlan& plan) {
  if (plan.found.empty()) return fmt::format("data of an unknown kind is on it (from byte {} on)", plan.unknown->value);
  return fmt::format("{} is on it (magic at {})", plan.found.front().name, plan.found.front().offset.value);
}

Json PlanAsJson(const MkfsPlan& plan) {
  Json json = NewDocument("mkfs");
  json["image"] = JsonText(plan.image);
  json["creates"] = plan.creates;
  json["size"] = plan.size.value;
  json["label"] = JsonText(plan.format.label);
  json["uuid"] = plan.format.uuid.empty() ? Json() : Json(plan.format.uuid);
  json["node_size"] = plan.format.node_size.value;
  json["basement_size"] = plan.format.basement_size.value;
  json["fanout"] = plan.format.fanout;
  json["log_size"] = plan.format.log_size.value;
  json["compression"] = plan.format.compression;
  json["reserve"] = plan.reserve.value;
  json["overwrites"] = Json::array();
  for (const layout::Signature& signature : plan.found) {
    json["overwrites"].push_back({{"name", signature.name}, {"offset", signature.offset.value}});
  }
  if (plan.unknown) json["overwrites"].push_back({{"name", "unknown"}, {"offset", plan.unknown->value}});
  if (!plan.source.empty()) json["filled_from"] = {{"kind", plan.source_kind}, {"path", JsonText(plan.source)}};
  return json;
}

void PrintPlan(const Tool& tool, const MkfsPlan& plan) {
  std::ostream& out = tool.io().out;
  if (tool.quiet()) return;
  const FormatOptions& format = plan.format;
  out << fmt::format("{}: {}, {}\n", LegibleName(plan.image),
                     plan.creates ? "new file" : (plan.is_block_device ? "block device" : "file"),
                     FormatSize(plan.size));
  for (const layout::Signature& signature : plan.found) {
    out << fmt::format("  overwrites   {} (magic at {})\n", signature.name, signature.offset.value);
  }
  if (plan.unknown) {
    out << fmt::format("  overwrites   data of an unknown kind (from byte {} on)\n", plan.unknown->value);
  }
  if (!plan.source.empty()) {
    out << fmt::format("  filled from  {} {}\n", plan.source_kind,
                       plan.source == "-" ? "stdin" : LegibleName(plan.source));
  }
  if (!format.label.empty()) out << fmt::format("  label        {}\n", LegibleName(format.label));
  out << fmt::format("  uuid         {}\n", format.uuid.empty() ? "random" : format.uuid);
  out << fmt::format("  nodes        {}, basements {}, fanout {}\n", FormatSize(format.node_size),
                     FormatSize(format.basement_size), format.fanout);
  out << fmt::format("  compression  {}\n", format.compression);
  out << fmt::format("  log          {}\n", FormatSize(format.log_size));
  if (format.reserve.value != 0) {
    out << fmt::format("  reserve      {} ({})\n", FormatSize(plan.reserve), FormatPercent(format.reserve));
  }
}

}  // namespace betr::tools
