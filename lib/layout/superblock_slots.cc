// SPDX-License-Identifier: Apache-2.0
#include "layout/superblock_slots.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "layout/signatures.h"
#include "layout/superblock_copy.h"

namespace betr::layout {
namespace {

size_t SlotOf(Generation generation) { return generation.value % 2; }

std::string SlotName(size_t slot) { return fmt::format("slot {} at byte {}", slot, kSlotOffset[slot].value); }

absl::StatusOr<Superblock> ReadSlotOfAnySize(BlockDevice& device, size_t slot) {
  std::string bytes(kUnit.value, '\0');
  BETR_RETURN_IF_ERROR(device.Read(kSlotOffset[slot], bytes));
  absl::StatusOr<Superblock> block = DecodeSuperblock(bytes);
  if (!block.ok()) return Annotate(block.status(), SlotName(slot));
  if (SlotOf(block->generation) != slot) {
    return absl::DataLossError(fmt::format("{}: superblock: generation {} belongs into the other slot", SlotName(slot),
                                           block->generation.value));
  }
  return block;
}

absl::StatusOr<Superblock> ReadSlot(BlockDevice& device, size_t slot) {
  absl::StatusOr<Superblock> block = ReadSlotOfAnySize(device, slot);
  if (block.ok() && UnitBytes(block->device_units) > device.Size()) {
    return absl::DataLossError(
        fmt::format("{}: superblock: the image has {} bytes, the device only {}: its end is missing", SlotName(slot),
                    UnitBytes(block->device_units).value, device.Size().value));
  }
  return block;
}

std::string Text(const absl::Status& status) { return std::string(status.message()); }

// Whether an error leaves open what a slot holds. Then the other slot may be too old to go on with.
bool Undecided(const absl::Status& status) { return absl::IsUnavailable(status) || absl::IsUnimplemented(status); }

// Says why there is no superblock, given the errors of both slots.
absl::Status NoSuperblock(BlockDevice& device, const absl::Status& first, const absl::Status& second) {
  // Looks only in the last unit. Searching the whole device for a copy is left to the repair.
  const absl::StatusOr<std::optional<Superblock>> copy = ReadCopy(device, device.Size() / kUnit - 1);
  const bool has_copy = copy.ok() && copy->has_value();
  BETR_ASSIGN_OR_RETURN(const std::optional<Signature> found, DetectForeign(device));
  if (absl::IsNotFound(first) && absl::IsNotFound(second) && (!has_copy || found.has_value())) {
    return absl::InvalidArgumentError(fmt::format("{}: not a betr image{}{}", device.Name(),
                                                  found.has_value() ? " but, as it seems, " : "",
                                                  found.has_value() ? found->name : ""));
  }
  BETR_ASSIGN_OR_RETURN(const std::optional<Superblock> whole, ReadNewestOfAnySize(device));
  if (whole && !has_copy) {
    const uint64_t size = UnitBytes(whole->device_units).value;
    return absl::DataLossError(
        fmt::format("{}: the image has {} bytes, the device only {}: its end is missing: make it as long again "
                    "(truncate -s {}), then fsck.betr -y saves the rest",
                    device.Name(), size, device.Size().value, size));
  }
  return absl::DataLossError(
      fmt::format("{}: no valid superblock: {}; {}{}", device.Name(), Text(first), Text(second),
                  has_copy ? "; there is a copy at the end: fsck.betr -y goes on with that" : ""));
}

absl::Status CompareWithOther(const Superblock& newest, const absl::StatusOr<Superblock>& other) {
  const uint64_t before = newest.generation.value - 1;
  if (absl::IsNotFound(other.status()) && before == 0) return absl::OkStatus();
  if (!other.ok()) return absl::IsNotFound(other.status()) ? absl::DataLossError(Text(other.status())) : other.status();
  if (!AreOfOneImage(*other, newest)) {
    return absl::DataLossError(fmt::format("{}: superblock: of another image, {}",
                                           SlotName(1 - SlotOf(newest.generation)), FormatUuid(other->uuid)));
  }
  if (other->generation.value != before) {
    return absl::DataLossError(fmt::format("{}: superblock: of generation {}, must be {}",
                                           SlotName(1 - SlotOf(newest.generation)), other->generation.value, before));
  }
  return absl::OkStatus();
}

}  // namespace

std::array<absl::StatusOr<Superblock>, 2> ReadSlots(BlockDevice& device) {
  return {ReadSlot(device, 0), ReadSlot(device, 1)};
}

absl::StatusOr<NewestSuperblock> ReadNewest(BlockDevice& device) {
  if (device.Size() < kLogOffset) return absl::InvalidArgumentError(device.Name() + ": too small for a betr image");
  auto slots = ReadSlots(device);
  for (const auto& slot : slots) {
    if (Undecided(slot.status())) return Annotate(slot.status(), device.Name());
  }
  if (!slots[0].ok() && !slots[1].ok()) return NoSuperblock(device, slots[0].status(), slots[1].status());
  const bool second = !slots[0].ok() || (slots[1].ok() && slots[1]->generation > slots[0]->generation);
  NewestSuperblock newest;
  newest.slot = second ? 1 : 0;
  newest.superblock = *std::move(slots[newest.slot]);
  newest.other = CompareWithOther(newest.superblock, slots[1 - newest.slot]);
  return newest;
}

absl::StatusOr<std::optional<Superblock>> ReadNewestOfAnySize(BlockDevice& device) {
  std::optional<Superblock> newest;
  for (const size_t slot : {0, 1}) {
    absl::StatusOr<Superblock> block = ReadSlotOfAnySize(device, slot);
    if (Undecided(block.status())) return block.status();
    if (block.ok() && (!newest || block->generation > newest->generation)) newest = *std::move(block);
  }
  return newest;
}

absl::Status WriteSuperblock(BlockDevice& device, const Superblock& superblock) {
  Check(UnitBytes(superblock.device_units) <= device.Size(), "an image is not larger than its device");
  BETR_RETURN_IF_ERROR(CheckSuperblock(superblock));
  return device.Write(kSlotOffset[SlotOf(superblock.generation)], EncodeSuperblock(superblock));
}

}  // namespace betr::layout
