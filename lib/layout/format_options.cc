// SPDX-License-Identifier: Apache-2.0
#include "layout/format_options.h"

#include <fmt/format.h>

#include "base/size_text.h"
#include "base/status.h"
#include "betr/version.h"
#include "layout/codec_bytes.h"
#include "layout/limits.h"
#include "layout/space_map.h"

namespace betr::layout {
namespace {

constexpr Bytes kMinExtentArea = KiB(256);  // below, not even tests can do anything
constexpr uint64_t kMinReserveNodes = 3;
constexpr uint64_t kReserveShare = 4;  // at most that part of the area is kept

Bytes DeviceSize(Bytes log_size, Bytes area) { return kLogOffset + UnitBytes(UnitsFor(log_size)) + area + kUnit; }

absl::Status Invalid(std::string_view option, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{} {}", option, what));
}

// The bytes where rounding would hide what is wrong with them.
std::string ExactSize(Bytes size) {
  std::string text = FormatSize(size);
  const absl::StatusOr<Bytes> read = ParseSize(text);
  return read.ok() && *read == size ? text : fmt::format("{} bytes", size.value);
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
  if (device_size < DeviceSize(options.log_size, kMinExtentArea)) {
    return CheckRoom(options, device_size);
  }
  return CheckBetween("device of", device_size, kUnit, UnitBytes(kMaxDeviceUnits));
}

}  // namespace

uint64_t FullNodeUnits(Bytes node_size) {
  return SpaceMap::UnitsWithMap(static_cast<uint32_t>(UnitsFor(node_size) + 1));
}

Bytes MinDeviceSize(Bytes node_size, Bytes log_size) {
  const uint64_t reserve = kMinReserveNodes * FullNodeUnits(node_size) + kReserveUnits;
  return DeviceSize(log_size, UnitBytes(kReserveShare * reserve));
}

absl::Status CheckRoom(const FormatOptions& options, Bytes device_size) {
  BETR_RETURN_IF_ERROR(CheckBetween("node size", options.node_size, kMinNodeSize, kMaxNodeSize));
  const Bytes least = MinDeviceSize(options.node_size, options.log_size);
  if (device_size >= least) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "{} is too small: with nodes of {} and a log of {} an image has at least {} ({} bytes)", FormatSize(device_size),
      FormatSize(options.node_size), FormatSize(options.log_size), FormatSize(least), least.value));
}

absl::StatusOr<Superblock> NewSuperblock(const FormatOptions& options, Bytes device_size,
                                         std::chrono::nanoseconds now) {
  BETR_RETURN_IF_ERROR(CheckSizes(options, device_size));
  Superblock block;
  if (!IsPaddedText(options.label, kLabelSize)) {
    return Invalid("label", fmt::format("must have at most {} bytes, none of them zero", kLabelSize));
  }
  block.label = options.label;
  if (options.uuid.empty()) {
    block.uuid = RandomUuid();
  } else {
    BETR_ASSIGN_OR_RETURN(block.uuid, ParseUuid(options.uuid));
  }
  if (block.uuid.IsZero()) {
    return Invalid("uuid", "must not be zero");
  }
  BETR_ASSIGN_OR_RETURN(block.codec, ParseCodec(options.compression));
  block.generation = Generation{1};
  block.device_units = device_size / kUnit;
  block.log = {UnitsFor(kLogOffset), UnitsFor(options.log_size)};
  block.node_size = options.node_size;
  block.basement_size = options.basement_size;
  block.fanout = options.fanout;
  block.next_node_id = NodeId{1};
  block.next_tree_id = TreeId{1};
  block.next_version = FirstVersion(block.uuid);
  block.made_at = now;
  block.made_by = fmt::format("betr {}", LibraryVersion());
  BETR_RETURN_IF_ERROR(CheckSuperblock(block));
  return block;
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
  return options;
}

}  // namespace betr::layout
