// SPDX-License-Identifier: Apache-2.0
#include "mkfs_plan.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/escape.h"
#include "base/size_text.h"
#include "base/status.h"
#include "layout/format_options.h"
#include "layout/limits.h"

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

}  // namespace

absl::StatusOr<std::unique_ptr<FileDevice>> OpenTarget(const MkfsOptions& options) {
  using Access = FileDevice::Access;
  using LockMode = FileDevice::LockMode;
  absl::StatusOr<std::unique_ptr<FileDevice>> device =
      FileDevice::Open(options.image, options.dry_run ? Access::kReadOnly : Access::kReadWrite);
  if (absl::IsNotFound(device.status())) return nullptr;
  BETR_RETURN_IF_ERROR(device.status());
  BETR_RETURN_IF_ERROR(
      (*device)->Lock(options.dry_run ? LockMode::kShared : LockMode::kExclusive, layout::kOwnerOffset));
  return device;
}

Bytes DefaultLogSize(Bytes image_size) {
  const Bytes scaled = std::clamp(image_size / 16, MiB(1), MiB(256));
  return std::max(RoundDown(std::min(scaled, image_size / 4)), layout::kMinLogSize);
}

Bytes DefaultNodeSize(const FormatOptions& format, Bytes image_size) {
  const Bytes least = std::max(format.basement_size, KiB(64));
  Bytes size = FormatOptions().node_size;
  while (size > least && layout::MinDeviceSize(size, format.log_size) > image_size) size = size / 2;
  return size;
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
  if (target != nullptr && target->Size().value > 0) {
    BETR_ASSIGN_OR_RETURN(plan.found, layout::DetectSignatures(*target));
  }
  plan.format = options.format;
  if (plan.format.log_size.value == 0) plan.format.log_size = DefaultLogSize(plan.size);
  if (plan.format.node_size.value == 0) plan.format.node_size = DefaultNodeSize(plan.format, plan.size);
  BETR_ASSIGN_OR_RETURN(const layout::Superblock superblock, layout::NewSuperblock(plan.format, plan.size, plan.time));
  BETR_RETURN_IF_ERROR(layout::CheckRoom(plan.format, plan.size));
  plan.format = layout::OptionsOf(superblock);
  return plan;
}

Json PlanAsJson(const MkfsPlan& plan) {
  Json json = NewDocument("mkfs");
  json["image"] = JsonText(plan.image);
  json["creates"] = plan.creates;
  json["size"] = plan.size.value;
  json["label"] = JsonText(plan.format.label);
  json["uuid"] = plan.format.uuid;
  json["node_size"] = plan.format.node_size.value;
  json["basement_size"] = plan.format.basement_size.value;
  json["fanout"] = plan.format.fanout;
  json["log_size"] = plan.format.log_size.value;
  json["compression"] = plan.format.compression;
  json["overwrites"] = Json::array();
  for (const layout::Signature& signature : plan.found) {
    json["overwrites"].push_back({{"name", signature.name}, {"offset", signature.offset.value}});
  }
  return json;
}

void PrintPlan(const Tool& tool, const MkfsPlan& plan) {
  std::ostream& out = tool.io().out;
  if (tool.quiet()) return;
  const FormatOptions& format = plan.format;
  out << fmt::format("{}: {}, {}\n", Escape(plan.image),
                     plan.creates ? "new file" : (plan.is_block_device ? "block device" : "file"),
                     FormatSize(plan.size));
  for (const layout::Signature& signature : plan.found) {
    out << fmt::format("  overwrites   {} (magic at {})\n", signature.name, signature.offset.value);
  }
  if (!format.label.empty()) out << fmt::format("  label        {}\n", Escape(format.label));
  out << fmt::format("  uuid         {}\n", format.uuid);
  out << fmt::format("  nodes        {}, basements {}, fanout {}\n", FormatSize(format.node_size),
                     FormatSize(format.basement_size), format.fanout);
  out << fmt::format("  compression  {}\n", format.compression);
  out << fmt::format("  log          {}\n", FormatSize(format.log_size));
}

}  // namespace betr::tools
