// SPDX-License-Identifier: Apache-2.0
#include "layout/superblock_copy.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "layout/search.h"
#include "layout/signatures.h"
#include "layout/superblock_slots.h"

namespace betr::layout {
namespace {

std::string Place(uint64_t unit) { return fmt::format("the copy at unit {}", unit); }

// Returns the copy that `bytes` hold, if it says that it lies at this unit. An image in a file of this one has a copy
// too, but not at the unit that the copy says.
std::optional<Superblock> CopyIn(std::string_view bytes, uint64_t unit) {
  absl::StatusOr<Superblock> block = DecodeSuperblock(bytes);
  return block.ok() && block->CopyUnit() == unit ? std::optional(*std::move(block)) : std::nullopt;
}

// Whether `a` is of an image that was made later, or of the same and newer. An earlier image may have left its copy
// where the present one has nothing.
bool IsYounger(const Superblock& a, const Superblock& b) {
  return a.made_at != b.made_at ? a.made_at > b.made_at : a.generation > b.generation;
}

// Searches the whole device for the copy from which the slots are to be made anew. Errors: kCancelled; the device's, if
// there is no copy in what could be read.
absl::StatusOr<std::optional<Superblock>> SearchCopy(BlockDevice& device) {
  std::optional<Superblock> found;
  absl::Status unreadable;
  const auto look_at = [&](std::string_view bytes, uint64_t unit) {
    if (!bytes.starts_with(kSuperblockMagic)) return;
    std::optional<Superblock> copy = CopyIn(bytes, unit);
    if (copy && (!found || IsYounger(*copy, *found))) found = std::move(copy);
  };
  const auto look = [&](uint64_t unit, std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(kUnit.value)) look_at(bytes.substr(0, kUnit.value), unit++);
  };
  const auto note = [&](uint64_t, const absl::Status& error) { unreadable = error; };
  BETR_RETURN_IF_ERROR(SearchUnits(device, {0, device.Size() / kUnit}, {look, note}));
  if (!found) BETR_RETURN_IF_ERROR(unreadable);
  return found;
}

// As ReadNewerCopy, but an error counts only if a slot is missing. Otherwise a copy that cannot be read proves nothing.
absl::StatusOr<std::optional<Superblock>> NewerCopy(BlockDevice& device, const NewestSuperblock& newest) {
  absl::StatusOr<std::optional<Superblock>> newer = ReadNewerCopy(device, newest.superblock);
  if (!newer.ok() && newest.other.ok()) return std::nullopt;
  return newer;
}

// Fails if the device holds something else. What was written over the slots may be a file system that somebody wants.
absl::Status CheckNothingElse(BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(const std::optional<Signature> found, DetectForeign(device));
  if (!found.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: no valid superblock but, as it seems, {}: nothing is repaired", device.Name(), found->name));
}

// Whether ReadNewest found no intact slot. An image that was wiped cannot be told from what never was one.
bool IsWithoutSlots(const absl::Status& newest) { return absl::IsDataLoss(newest) || absl::IsInvalidArgument(newest); }

// Returns the copy, if there is one and it knows no less than any intact slot. There may be such a slot if the end of
// its image is missing. Then what lies at the end of the device may be of another image.
absl::StatusOr<std::optional<Superblock>> AnyCopy(BlockDevice& device) {
  BETR_RETURN_IF_ERROR(CheckNothingElse(device));
  absl::StatusOr<Superblock> found = FindCopy(device);
  if (absl::IsNotFound(found.status())) return std::nullopt;
  BETR_RETURN_IF_ERROR(found.status());
  BETR_ASSIGN_OR_RETURN(const std::optional<Superblock> slot, ReadNewestOfAnySize(device));
  const bool knows_less = slot && (!AreOfOneImage(*found, *slot) || found->generation < slot->generation);
  return knows_less ? std::nullopt : std::optional(*std::move(found));
}

}  // namespace

absl::Status WriteCopy(BlockDevice& device, const Superblock& superblock) {
  BETR_RETURN_IF_ERROR(CheckSuperblock(superblock));
  return device.Write(UnitBytes(superblock.CopyUnit()), EncodeSuperblock(superblock));
}

absl::Status WriteEverywhere(BlockDevice& device, Superblock superblock) {
  for (int slot = 0; slot < 2; ++slot) {
    superblock.generation = superblock.generation.Next();
    BETR_RETURN_IF_ERROR(WriteSuperblock(device, superblock));
    BETR_RETURN_IF_ERROR(device.Flush());
    BETR_RETURN_IF_ERROR(WriteCopy(device, superblock));
    BETR_RETURN_IF_ERROR(device.Flush());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Superblock>> ReadCopy(BlockDevice& device, uint64_t unit) {
  std::string bytes(kUnit.value, '\0');
  BETR_RETURN_IF_ERROR(device.Read(UnitBytes(unit), bytes));
  return CopyIn(bytes, unit);
}

absl::StatusOr<Superblock> FindCopy(BlockDevice& device) {
  if (device.Size() < kLogOffset) return absl::NotFoundError(device.Name() + ": too small for a betr image");
  absl::StatusOr<std::optional<Superblock>> copy = ReadCopy(device, device.Size() / kUnit - 1);
  if (!copy.ok() || !copy->has_value()) copy = SearchCopy(device);
  BETR_RETURN_IF_ERROR(copy.status());
  if (!copy->has_value()) return absl::NotFoundError(device.Name() + ": no copy of a superblock");
  return **std::move(copy);
}

absl::StatusOr<std::optional<Superblock>> ReadNewerCopy(BlockDevice& device, const Superblock& newest) {
  BETR_ASSIGN_OR_RETURN(std::optional<Superblock> copy, ReadCopy(device, newest.CopyUnit()));
  const bool is_newer = copy && copy->generation > newest.generation && AreOfOneImage(*copy, newest);
  return is_newer ? std::move(copy) : std::nullopt;
}

absl::StatusOr<NewestSuperblock> ReadToOpen(BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(NewestSuperblock newest, ReadNewest(device));
  const uint64_t generation = newest.superblock.generation.value;
  const std::string wrong = newest.other.ok() ? "" : fmt::format("{}: ", std::string(newest.other.message()));
  // A copy that cannot be read proves nothing.
  const absl::StatusOr<std::optional<Superblock>> copy = ReadNewerCopy(device, newest.superblock);
  if (copy.ok() && copy->has_value()) {
    return absl::DataLossError(fmt::format(
        "{}: {}the copy of the superblock at unit {} has generation {}, slot {} only {}: the newest slot is lost; "
        "fsck.betr -p goes on with the copy",
        device.Name(), wrong, newest.superblock.CopyUnit(), (*copy)->generation.value, newest.slot, generation));
  }
  if (!newest.IsKnownNewest()) {
    return absl::DataLossError(fmt::format(
        "{}: {}it may have held a newer state than generation {} of slot {}; fsck.betr -y goes on with that",
        device.Name(), wrong, generation, newest.slot));
  }
  if (!newest.other.ok()) {
    return absl::DataLossError(fmt::format("{}: {}fsck.betr -p goes on with generation {} of slot {}, the newest",
                                           device.Name(), wrong, generation, newest.slot));
  }
  return newest;
}

absl::Status CheckCopy(BlockDevice& device, const Superblock& newest) {
  BETR_ASSIGN_OR_RETURN(const std::optional<Superblock> copy, ReadCopy(device, newest.CopyUnit()));
  if (!copy || !AreOfOneImage(*copy, newest)) {
    return absl::DataLossError(fmt::format("superblock: {} is none of this image's", Place(newest.CopyUnit())));
  }
  if (copy->generation > newest.generation) {
    return absl::DataLossError(fmt::format("superblock: {} has generation {}, the slots have only {}",
                                           Place(newest.CopyUnit()), copy->generation.value, newest.generation.value));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RestoreSlots(BlockDevice& device, RestoreFrom from, const TellOlder& tell_older) {
  const absl::StatusOr<NewestSuperblock> newest = ReadNewest(device);
  std::optional<Superblock> copy;
  if (newest.ok()) {
    BETR_ASSIGN_OR_RETURN(copy, NewerCopy(device, *newest));
    if (!copy) {
      return "";
    }
  } else if (IsWithoutSlots(newest.status()) && from == RestoreFrom::kAnyCopy) {
    BETR_ASSIGN_OR_RETURN(copy, AnyCopy(device));
    if (!copy && absl::IsInvalidArgument(newest.status()) && device.Size() >= kLogOffset) {
      return absl::InvalidArgumentError(std::string(newest.status().message()) +
                                        ", and no copy of a superblock is on it");
    }
  }
  if (!copy) return newest.status();
  if (const absl::Status writable = copy->CheckWritable(); !writable.ok()) return Annotate(writable, device.Name());
  const std::string place = Place(copy->CopyUnit());
  const Generation found = copy->generation;
  const bool may_be_older = !newest.ok() && copy->log_opening == 0;
  if (may_be_older && tell_older != nullptr) {
    tell_older(fmt::format("{} has generation {}, which may be an older one", place, found.value));
  }
  copy->log_opening = 0;  // the log may have been written since
  for (int slot = 0; slot < 2; ++slot) {
    BETR_RETURN_IF_ERROR(WriteSuperblock(device, *copy));
    copy->generation = copy->generation.Next();
  }
  BETR_RETURN_IF_ERROR(device.Flush());
  return fmt::format("superblock: both slots are intact again, made anew from {}, of generation {}", place,
                     found.value);
}

}  // namespace betr::layout
