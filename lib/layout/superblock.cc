// SPDX-License-Identifier: Apache-2.0
#include "layout/superblock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "device/block_device.h"
#include "layout/codec_bytes.h"
#include "layout/limits.h"
#include "layout/table_page.h"

namespace betr::layout {
namespace {

constexpr size_t kChecksumAt = kSectorSize.value - 8;
constexpr size_t kFieldsEnd = 400;

absl::Status Bad(std::string_view field, std::string_view what) {
  return absl::DataLossError(fmt::format("superblock: {} {}", field, what));
}

absl::Status CheckLimits(std::string_view field, uint64_t value, uint64_t min, uint64_t max) {
  return value >= min && value <= max ? absl::OkStatus()
                                      : Bad(field, fmt::format("is {}, must be {} to {}", value, min, max));
}

absl::Status CheckIdentity(const Superblock& block) {
  if (block.generation.value == 0) return Bad("generation", "is 0");
  if (block.uuid.IsZero()) return Bad("uuid", "is zero");
  if (!IsPaddedText(block.label, kLabelSize)) return Bad("label", "is too long or contains a zero byte");
  if (!IsPaddedText(block.made_by, kMadeBySize)) return Bad("made-by text", "is too long or contains a zero byte");
  return absl::OkStatus();
}

absl::Status CheckAreas(const Superblock& block) {
  BETR_RETURN_IF_ERROR(CheckLimits("device size in units", block.device_units, 1, kMaxDeviceUnits));
  if (block.log.start != UnitsFor(kLogOffset)) {
    return Bad("log area", fmt::format("starts at unit {}, must be {}", block.log.start, UnitsFor(kLogOffset)));
  }
  BETR_RETURN_IF_ERROR(CheckLimits("log size in units", block.log.units, UnitsFor(kMinLogSize), kMaxDeviceUnits));
  if (block.log.end() >= block.CopyUnit()) {
    return Bad("log area", fmt::format("ends at unit {} of {}", block.log.end(), block.device_units));
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const Superblock& block) {
  BETR_RETURN_IF_ERROR(CheckLimits("node size", block.node_size.value, kMinNodeSize.value, kMaxNodeSize.value));
  BETR_RETURN_IF_ERROR(
      CheckLimits("basement size", block.basement_size.value, kMinBasementSize.value, block.node_size.value));
  BETR_RETURN_IF_ERROR(CheckLimits("fanout", block.fanout, kMinFanout, kMaxFanout));
  return IsCodec(block.codec) ? absl::OkStatus() : Bad("compression", "is unknown or has an impossible level");
}

absl::Status CheckPlace(const Superblock& block, std::string_view field, const ExtentAddress& extent) {
  if (extent.units == 0 || extent.units > kMaxExtentUnits || !block.ExtentArea().Covers(extent)) {
    return Bad(field,
               fmt::format("is the {}, must be between the log and unit {}", ToString(extent), block.device_units));
  }
  return absl::OkStatus();
}

absl::Status CheckCatalogAddress(const Superblock& block) {
  const CatalogAddress& catalog = block.catalog;
  if (catalog.Nowhere()) {
    return catalog == CatalogAddress{} ? absl::OkStatus() : Bad("catalog", "is nowhere, but has a place");
  }
  for (const ExtentAddress& copy : catalog.copies) BETR_RETURN_IF_ERROR(CheckPlace(block, "catalog", copy));
  return catalog.copies[0].units == catalog.copies[1].units ? absl::OkStatus()
                                                            : Bad("catalog", "has copies of different sizes");
}

absl::Status CheckTableAddress(const Superblock& block) {
  const TableAddress& table = block.table;
  if (table.root.extent.Nowhere()) {
    return table == TableAddress{} ? absl::OkStatus() : Bad("node table", "is nowhere, but has a place or holds nodes");
  }
  BETR_RETURN_IF_ERROR(CheckPlace(block, "node table", table.root.extent));
  if (table.root.extent.units != 1 || table.root.extent.scattered) {
    return Bad("node table", fmt::format("has a root page of {} units, must be 1", table.root.extent.units));
  }
  BETR_RETURN_IF_ERROR(CheckLimits("level of the node table", table.level, 0, dag::TablePage::kMaxLevel));
  return CheckLimits("number of nodes", table.nodes, 1, block.next_node_id.value - 1);
}

absl::Status CheckState(const Superblock& block) {
  if (block.next_node_id == kNoNode || block.next_tree_id.value == 0 || block.next_version == 0) {
    return Bad("next node id, tree id or write version", "is 0");
  }
  BETR_RETURN_IF_ERROR(CheckCatalogAddress(block));
  return CheckTableAddress(block);
}

absl::Status CheckTuning(const Superblock& block) {
  BETR_RETURN_IF_ERROR(CheckLimits("reserve", block.reserve.value, 0, kMaxReserve.value));
  const bool says_so = (block.features.read_only_compatible & kTuned) != 0;
  return block.IsTuned() == says_so ? absl::OkStatus() : Bad("feature \"tuned\"", "contradicts what is tuned");
}

absl::Status CheckCounters(const Superblock& block) {
  const std::pair<const char*, uint64_t> counters[] = {{"generation", block.generation.value},
                                                       {"checkpoint lsn", block.checkpoint_lsn.value},
                                                       {"log head", block.log_head},
                                                       {"log opening", block.log_opening},
                                                       {"next node id", block.next_node_id.value},
                                                       {"next tree id", block.next_tree_id.value},
                                                       {"next write version", block.next_version},
                                                       {"session's write version", block.session_version},
                                                       {"first write version", block.first_version}};
  for (const auto& [name, value] : counters) BETR_RETURN_IF_ERROR(CheckLimits(name, value, 0, kMaxCounter));
  return absl::OkStatus();
}

void PutExtent(std::string* out, const ExtentAddress& extent) {
  PutFixed64(out, extent.start);
  PutFixed32(out, MarkedUnits(extent));
}

void PutIdentity(std::string* out, const Superblock& block) {
  out->append(kSuperblockMagic);
  out->append(block.uuid.View());
  PutPadded(out, block.label, kLabelSize);
  PutFixed16(out, kFormatMajor);
  PutFixed16(out, block.minor_version);
  PutFixed32(out, 0);
  PutFixed64(out, block.features.compatible);
  PutFixed64(out, block.features.read_only_compatible);
  PutFixed64(out, block.features.incompatible);
  PutFixed64(out, block.generation.value);
}

void PutShape(std::string* out, const Superblock& block) {
  PutFixed64(out, block.device_units);
  PutFixed64(out, block.log.start);
  PutFixed64(out, block.log.units);
  PutFixed64(out, block.node_size.value);
  PutFixed64(out, block.basement_size.value);
  PutFixed32(out, block.fanout);
  PutCodec(out, block.codec);
  PutFixed16(out, 0);
}

void PutState(std::string* out, const Superblock& block) {
  PutFixed64(out, block.checkpoint_lsn.value);
  PutFixed64(out, block.log_head);
  PutFixed64(out, block.next_node_id.value);
  PutFixed64(out, block.next_tree_id.value);
  PutFixed64(out, block.next_version);
  PutFixed64(out, static_cast<uint64_t>(block.made_at.count()));
  PutExtent(out, block.table.root.extent);
  PutFixed32(out, block.table.level);  // one byte and three zeros
  PutFixed64(out, block.table.root.checksum);
  PutFixed64(out, block.table.nodes);
  PutExtent(out, block.catalog.copies[0]);
  PutFixed32(out, 0);
  PutFixed64(out, block.catalog.checksum);
  PutPadded(out, block.made_by, kMadeBySize);
  PutFixed64(out, block.log_chain);
  PutFixed64(out, block.log_opening);
  PutExtent(out, block.catalog.copies[1]);
  PutFixed32(out, 0);
  PutFixed64(out, block.session_version);
}

void PutTuning(std::string* out, const Superblock& block) {
  PutFixed32(out, block.reserve.value);
  PutFixed32(out, 0);
  PutFixed64(out, block.first_version);
}

void ReadShape(Decoder& in, Superblock& block) {
  block.device_units = in.Fixed64();
  block.log.start = in.Fixed64();
  block.log.units = in.Fixed64();
  block.node_size.value = in.Fixed64();
  block.basement_size.value = in.Fixed64();
  block.fanout = in.Fixed32();
  block.codec = ReadCodec(in);
  in.Zeros(2);
}

void ReadExtent(Decoder& in, ExtentAddress& extent) {
  const uint64_t start = in.Fixed64();
  extent = FromMarked(start, in.Fixed32());
}

void ReadState(Decoder& in, Superblock& block) {
  block.checkpoint_lsn.value = in.Fixed64();
  block.log_head = in.Fixed64();
  block.next_node_id.value = in.Fixed64();
  block.next_tree_id.value = in.Fixed64();
  block.next_version = in.Fixed64();
  block.made_at = std::chrono::nanoseconds(static_cast<int64_t>(in.Fixed64()));
  ReadExtent(in, block.table.root.extent);
  block.table.level = in.Fixed8();
  in.Zeros(3);
  block.table.root.checksum = in.Fixed64();
  block.table.nodes = in.Fixed64();
  ReadExtent(in, block.catalog.copies[0]);
  in.Zeros(4);
  block.catalog.checksum = in.Fixed64();
  block.made_by = ReadPadded(in, kMadeBySize);
  block.log_chain = in.Fixed64();
  block.log_opening = in.Fixed64();
  ReadExtent(in, block.catalog.copies[1]);
  in.Zeros(4);
  block.session_version = in.Fixed64();
}

void ReadTuning(Decoder& in, Superblock& block) {
  block.reserve.value = in.Fixed32();
  in.Zeros(4);
  block.first_version = in.Fixed64();
}

// Checks what comes before anything else is believed: that this is a superblock, and that it is whole.
absl::Status CheckReadable(std::string_view bytes) {
  if (!bytes.starts_with(kSuperblockMagic)) return absl::NotFoundError("superblock: no magic");
  const auto expected = LoadFixed<uint64_t>(bytes.data() + kChecksumAt);
  const uint64_t found = Checksum(bytes.substr(0, kChecksumAt));
  if (found != expected) return Bad("checksum", fmt::format("is {:016x}, the contents have {:016x}", expected, found));
  return absl::OkStatus();
}

absl::Status CheckFormat(uint16_t major, const Features& features) {
  if (major != kFormatMajor) {
    return absl::UnimplementedError(
        fmt::format("superblock: format version {}; this build knows {}", major, kFormatMajor));
  }
  const uint64_t unknown = features.incompatible & ~kKnownFeatures.incompatible;
  if (unknown != 0) {
    return absl::UnimplementedError(
        fmt::format("superblock: needs features that this build does not have: incompatible {:#x}", unknown));
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t FirstVersionOf(const Uuid& uuid) { return Checksum(uuid.View()) >> 3 | 1; }

uint64_t Superblock::UnusedVersion() const {
  constexpr uint64_t kOfASession = uint64_t{1} << 32;  // more writes than a session does before its first checkpoint
  return generation.value > 1 ? std::max(next_version, session_version) + kOfASession : next_version;
}

absl::Status Superblock::CheckWritable() const {
  const uint64_t unknown = features.read_only_compatible & ~kKnownFeatures.read_only_compatible;
  if (unknown != 0) {
    return absl::UnimplementedError(fmt::format(
        "the image has features that this version cannot write: read-only-compatible {:#x}: it can only be read",
        unknown));
  }
  return absl::OkStatus();
}

bool AreOfOneImage(const Superblock& a, const Superblock& b) {
  return a.uuid == b.uuid || (a.FirstVersion() == b.FirstVersion() && a.made_at == b.made_at);
}

absl::Status CheckSuperblock(const Superblock& superblock) {
  BETR_RETURN_IF_ERROR(CheckIdentity(superblock));
  BETR_RETURN_IF_ERROR(CheckAreas(superblock));
  BETR_RETURN_IF_ERROR(CheckShape(superblock));
  BETR_RETURN_IF_ERROR(CheckTuning(superblock));
  BETR_RETURN_IF_ERROR(CheckCounters(superblock));
  return CheckState(superblock);
}

std::string EncodeSuperblock(const Superblock& superblock) {
  Check(CheckSuperblock(superblock).ok(), "a superblock that is written is sound");
  std::string bytes;
  bytes.reserve(kUnit.value);
  PutIdentity(&bytes, superblock);
  PutShape(&bytes, superblock);
  PutState(&bytes, superblock);
  PutTuning(&bytes, superblock);
  Check(bytes.size() == kFieldsEnd, "the fields of a superblock take what the format says");
  bytes.resize(kChecksumAt, '\0');
  PutFixed64(&bytes, Checksum(bytes));
  bytes.resize(kUnit.value, '\0');
  return bytes;
}

absl::StatusOr<Superblock> DecodeSuperblock(std::string_view bytes) {
  Check(bytes.size() == kUnit.value, "a superblock slot has one unit");
  BETR_RETURN_IF_ERROR(CheckReadable(bytes));
  Decoder in(bytes.substr(0, kChecksumAt));
  Superblock block;
  in.Raw(kSuperblockMagic.size());
  const std::string_view uuid = in.Raw(block.uuid.bytes.size());
  std::copy(uuid.begin(), uuid.end(), block.uuid.bytes.begin());
  block.label = ReadPadded(in, kLabelSize);
  const uint16_t major = in.Fixed16();
  block.minor_version = in.Fixed16();
  in.Zeros(4);
  block.features.compatible = in.Fixed64();
  block.features.read_only_compatible = in.Fixed64();
  block.features.incompatible = in.Fixed64();
  BETR_RETURN_IF_ERROR(CheckFormat(major, block.features));
  block.generation.value = in.Fixed64();
  ReadShape(in, block);
  ReadState(in, block);
  ReadTuning(in, block);
  if (block.Writable()) {  // an unknown feature that forbids writing may use the rest
    in.Zeros(in.remaining());
  }
  BETR_RETURN_IF_ERROR(in.status("superblock"));
  if (block.Writable() && bytes.find_first_not_of('\0', kSectorSize.value) != std::string_view::npos) {
    return Bad("slot", "is not zero behind its first sector");
  }
  BETR_RETURN_IF_ERROR(CheckSuperblock(block));
  return block;
}

}  // namespace betr::layout
