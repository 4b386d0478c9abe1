// SPDX-License-Identifier: Apache-2.0
#include "layout/format_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/percent_text.h"
#include "base/size_text.h"
#include "base/status.h"
#include "betr/version.h"
#include "layout/codec_bytes.h"
#include "layout/limits.h"
#include "layout/space_map.h"

namespace betr::layout {
namespace {

constexpr Bytes kMinExtentArea = KiB(256);  // with less, not even tests can do anything
constexpr uint64_t kMinReserveNodes = 3;
constexpr uint64_t kReserveShare = 4;  // at most a quarter of the area is kept in reserve

// What FittedTo chooses from.
constexpr Bytes kUsualNode = MiB(4);
constexpr Bytes kSmallNode = KiB(64);
constexpr uint64_t kUsualNodes = 224;  // at least so many fit: the reserve of 16 nodes, and roots, are a small part
constexpr Bytes kUsualBasement = KiB(64);
constexpr Bytes kSmallLog = MiB(1);
constexpr Bytes kLargeLog = MiB(256);
constexpr uint64_t kLogShare = 16;        // usually a 16th of the device is log
constexpr uint64_t kLargestLogShare = 4;  // and at most a quarter

Bytes DeviceSize(Bytes log_size, Bytes area) { return kLogOffset + UnitBytes(UnitsFor(log_size)) + area + kUnit; }

Bytes WholeUnits(Bytes size) { return {size.value / kUnit.value * kUnit.value}; }

Bytes UsualLog(Bytes device_size) {
  const Bytes usual = std::clamp(device_size / kLogShare, kSmallLog, kLargeLog);
  return std::max(WholeUnits(std::min(usual, device_size / kLargestLogShare)), kMinLogSize);
}

Bytes NodeThatFits(const FormatOptions& options, Bytes device_size) {
  const Bytes least = std::max(options.basement_size, kSmallNode);
  Bytes size = kUsualNode;
  while (size > least && DeviceSize(options.log_size, size * kUsualNodes) > device_size) size = size / 2;
  return size;
}

Bytes LogThatFits(const FormatOptions& options, Bytes device_size) {
  const Bytes least = MinDeviceSize(options.node_size, options.log_size);
  const Bytes missing = least - std::min(least, device_size);
  return std::max(kMinLogSize, WholeUnits(options.log_size - std::min(options.log_size, missing)));
}

absl::Status Invalid(std::string_view option, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{} {}", option, what));
}

// Formats a size for an error message: in bytes if rounding might hide what is wrong with it.
std::string ExactSize(Bytes size) {
  std::string text = FormatSize(size);
  const absl::StatusOr<Bytes> read = ParseSize(text);
  if (read.ok() && *read == size) return text;
  return fmt::format("{} bytes", size.value);
}

absl::Status CheckBetween(std::string_view option, Bytes size, Bytes min, Bytes max) {
  return size >= min && size <= max
             ? absl::OkStatus()
             : Invalid(option, fmt::format("{}: must be {} to {}", ExactSize(size), FormatSize(min), FormatSize(max)));
}

absl::Status CheckSizes(const FormatOptions& options, Bytes device_size) {
  BETR_RETURN_IF_ERROR(CheckBetween("node size", options.node_size, kMinNodeSize, kMaxNodeSize));
  BETR_RETURN_IF_ERROR(CheckBetween("basement size", options.basement_size, kMinBasementSize, options.node_size));
  if (options.fanout < kMinFanout || options.fanout > kMaxFanout) {
    return Invalid("fanout", fmt::format("{}: must be {} to {}", options.fanout, kMinFanout, kMaxFanout));
  }
  BETR_RETURN_IF_ERROR(CheckBetween("log size", options.log_size, kMinLogSize, UnitBytes(kMaxDeviceUnits / 2)));
  if (options.log_size.value % kUnit.value != 0) {
    return Invalid("log size", fmt::format("{} bytes: must be a multiple of 4 KiB", options.log_size.value));
  }
  if (device_size < DeviceSize(options.log_size, kMinExtentArea)) return CheckRoom(options, device_size);
  return CheckBetween("device of", device_size, kUnit, UnitBytes(kMaxDeviceUnits));
}

absl::Status SetLabel(const std::string& label, Superblock* block) {
  if (!IsPaddedText(label, kLabelSize)) {
    return Invalid("label", fmt::format("must have at most {} bytes, none of them zero", kLabelSize));
  }
  block->label = label;
  return absl::OkStatus();
}

absl::Status SetUuid(const std::string& uuid, Superblock* block) {
  if (uuid.empty()) {
    block->uuid = RandomUuid();
    return absl::OkStatus();
  }
  BETR_ASSIGN_OR_RETURN(block->uuid, ParseUuid(uuid));
  return block->uuid.IsZero() ? Invalid("uuid", "must not be zero") : absl::OkStatus();
}

absl::Status SetReserve(BasisPoints reserve, Superblock* block) {
  if (reserve > kMaxReserve) {
    return Invalid("reserve",
                   fmt::format("{}: must be at most {}", FormatPercent(reserve), FormatPercent(kMaxReserve)));
  }
  block->reserve = reserve;
  return absl::OkStatus();
}

// Sets the feature bit that a reserve or a first version of the image's own needs.
void MarkTuned(Superblock* block) {
  block->features.read_only_compatible &= ~kTuned;
  block->features.read_only_compatible |= block->IsTuned() ? kTuned : 0;
}

}  // namespace

uint64_t FullNodeUnits(Bytes node_size) {
  return SpaceMap::UnitsWithMap(static_cast<uint32_t>(UnitsFor(node_size) + 1));
}

Bytes MinDeviceSize(Bytes node_size, Bytes log_size) {
  const uint64_t reserve = kMinReserveNodes * FullNodeUnits(node_size) + kReserveUnits;
  return DeviceSize(log_size, UnitBytes(kReserveShare * reserve));
}

FormatOptions FittedTo(Bytes device_size, FormatOptions options) {
  const bool chooses_log = options.log_size.value == 0;
  if (chooses_log) options.log_size = UsualLog(device_size);
  if (options.node_size.value == 0) options.node_size = NodeThatFits(options, device_size);
  if (chooses_log) options.log_size = LogThatFits(options, device_size);
  if (options.basement_size.value == 0) options.basement_size = std::min(kUsualBasement, options.node_size);
  return options;
}

absl::Status CheckRoom(const FormatOptions& wanted, Bytes device_size) {
  const FormatOptions options = FittedTo(device_size, wanted);
  BETR_RETURN_IF_ERROR(CheckBetween("node size", options.node_size, kMinNodeSize, kMaxNodeSize));
  const Bytes least = MinDeviceSize(options.node_size, options.log_size);
  if (device_size >= least) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{} is too small: with nodes of {} and a log of {} an image has at least {} ({} bytes)", FormatSize(device_size),
      FormatSize(options.node_size), FormatSize(options.log_size), FormatSize(least), least.value));
}

absl::StatusOr<Superblock> NewSuperblock(const FormatOptions& wanted, Bytes device_size, std::chrono::nanoseconds now) {
  const FormatOptions options = FittedTo(device_size, wanted);
  BETR_RETURN_IF_ERROR(CheckSizes(options, device_size));
  Superblock block;
  BETR_RETURN_IF_ERROR(SetLabel(options.label, &block));
  BETR_RETURN_IF_ERROR(SetUuid(options.uuid, &block));
  BETR_ASSIGN_OR_RETURN(block.codec, ParseCodec(options.compression));
  block.features.incompatible = kCounted;
  block.generation = Generation{1};
  block.device_units = device_size / kUnit;
  block.log = {UnitsFor(kLogOffset), UnitsFor(options.log_size)};
  block.node_size = options.node_size;
  block.basement_size = options.basement_size;
  block.fanout = options.fanout;
  BETR_RETURN_IF_ERROR(SetReserve(options.reserve, &block));
  block.next_node_id = NodeId{1};
  block.next_tree_id = TreeId{1};
  block.next_version = FirstVersionOf(block.uuid);
  block.made_at = now;
  block.made_by = fmt::format("betr {}", LibraryVersion());
  MarkTuned(&block);
  BETR_RETURN_IF_ERROR(CheckSuperblock(block));
  return block;
}

absl::StatusOr<Superblock> Tuned(const Superblock& superblock, const TuneOptions& options) {
  BETR_RETURN_IF_ERROR(superblock.CheckWritable());
  Superblock tuned = superblock;
  if (options.label) BETR_RETURN_IF_ERROR(SetLabel(*options.label, &tuned));
  if (options.uuid) BETR_RETURN_IF_ERROR(SetUuid(*options.uuid, &tuned));
  if (options.reserve) BETR_RETURN_IF_ERROR(SetReserve(*options.reserve, &tuned));
  if (tuned.uuid != superblock.uuid) {
    const bool has_ended = superblock.log_opening != 0 || superblock.session_version == 0;
    if (!has_ended) {
      return absl::FailedPreconditionError(
          "the uuid names what the log has to replay: mount the image and unmount it before, or fsck.betr -p");
    }
    const uint64_t first = superblock.FirstVersion();
    tuned.first_version = first == FirstVersionOf(tuned.uuid) ? 0 : first;
  }
  MarkTuned(&tuned);
  return tuned;
}

FormatOptions OptionsOf(const Superblock& superblock) {
  FormatOptions options;
  options.node_size = superblock.node_size;
  options.basement_size = superblock.basement_size;
  options.fanout = superblock.fanout;
  options.log_size = UnitBytes(superblock.log.units);
  options.compression = FormatCodec(superblock.codec);
  options.label = superblock.label;
  options.uuid = FormatUuid(superblock.uuid);
  options.reserve = superblock.reserve;
  return options;
}

}  // namespace betr::layout
