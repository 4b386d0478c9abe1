// SPDX-License-Identifier: Apache-2.0
#include "fs/zones.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_format.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "base/status.h"
#include "fs/copying_mover.h"
#include "fs/key.h"
#include "fs/link_groups.h"

namespace betr::fs {
namespace {

// A zone is looked at each time that zones have grown by an eighth of the zone size. What is split off has at least a
// quarter.
constexpr uint64_t kLooksPerZone = 8;
constexpr uint64_t kPartsPerZone = 4;

// What lies under a content prefix, without zones, which lie under that of the root.
std::vector<Range> RangesOf(const std::string& content) {
  if (!content.empty()) return {Range::Prefix(content)};
  const Range zones = Range::Prefix(key::kZonesPrefix);
  return {{Range::All().lo, zones.lo}, {zones.hi, Range::All().hi}};
}

absl::StatusOr<Bytes> SizeOf(const Core& core, const std::string& content) {
  Bytes size{0};
  for (const Range& range : RangesOf(content)) {
    for (const TreeId tree : {core.meta(), core.data()}) {
      BETR_ASSIGN_OR_RETURN(const RangeEstimate estimate, core.store().Estimate(tree, range));
      size += estimate.bytes;
    }
  }
  return size;
}

// Up to `limit` zones whose roots lie under a content prefix.
absl::StatusOr<std::vector<uint64_t>> ZonesUnder(Core& core, const std::string& content, size_t limit) {
  std::vector<uint64_t> zones;
  for (const Range& range : RangesOf(content)) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, core.ScanMeta(range));
    for (; cursor->Valid() && zones.size() < limit; cursor->Next()) {
      const absl::StatusOr<EntryRecord> entry = DecodeEntry(cursor->Value(), "record");
      const auto* const record = entry.ok() ? std::get_if<InodeRecord>(&*entry) : nullptr;
      if (record != nullptr && record->zone != 0) zones.push_back(record->zone);
    }
    BETR_RETURN_IF_ERROR(cursor->status());
  }
  return zones;
}

absl::Status NotItsZone(uint64_t zone) {
  return absl::DataLossError(absl::StrFormat("zone %u is that of another directory", zone));
}

// A number that no zone has had. kDataLoss if the bound of numbers is so wrong that one is known to have it.
absl::StatusOr<uint64_t> NewZone(Core& core) {
  Transaction transaction(&core);
  const uint64_t zone = transaction.FreshNumber();
  BETR_RETURN_IF_ERROR(transaction.Commit());
  if (core.inodes().RootOfZone(zone) != nullptr) return NotItsZone(zone);
  return zone;
}

// Programs that do not know zones must not open the image any more.
absl::Status PutVersion(Core& core, WriteBatch* batch) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, core.GetMeta(key::kVersionKey));
  BETR_ASSIGN_OR_RETURN(VersionRecord version, DecodeVersion(bytes.value_or("")));
  version.has_zones = true;
  batch->Put(core.meta(), key::kVersionKey, EncodeVersion(version));
  return absl::OkStatus();
}

// What is to be moved for a directory to have another content prefix.
absl::StatusOr<std::vector<PrefixMove>> MovesTo(Core& core, Inode& directory, const std::string& to) {
  const std::string from = core.ContentOf(directory);
  std::vector<PrefixMove> moves;
  for (const TreeId tree : {core.meta(), core.data()}) moves.push_back({tree, from, to});
  for (Inode* home = core.HomeAbove(directory); home != nullptr; home = core.HomeAbove(*home)) {
    BETR_ASSIGN_OR_RETURN(const bool has_members, HasMembersBelow(core, *home, from));
    const std::string home_content = core.ContentOf(*home);
    if (has_members) moves.push_back({core.meta(), GroupNameKey(home_content, from), GroupNameKey(home_content, to)});
  }
  return moves;
}

// Makes a directory that is none the root of a zone.
absl::Status MakeZone(Core& core, Inode& directory) {
  InodeRecord record = directory.record;
  BETR_ASSIGN_OR_RETURN(record.zone, NewZone(core));
  BETR_ASSIGN_OR_RETURN(std::vector<PrefixMove> moves, MovesTo(core, directory, key::Zone(record.zone)));
  CopyingMover mover(&core, std::move(moves));
  Slot nothing_there;
  BETR_RETURN_IF_ERROR(mover.Prepare(&nothing_there));
  Transaction transaction(&core);
  transaction.PutRecord(core.ObjectOf(directory), record, directory);
  mover.AddTo(&transaction.batch());
  if (!core.zones().exist) BETR_RETURN_IF_ERROR(PutVersion(core, &transaction.batch()));
  BETR_RETURN_IF_ERROR(transaction.Commit());
  core.inodes().BecomeZone(&directory, record.zone);
  core.zones().exist = true;
  return mover.Finish();
}

// Of the directories from one up to the root of its zone, takes the largest that is smaller than a zone. If that is
// small, takes the next one.
absl::Status SplitZone(Core& core, Inode& directory, Bytes zone_size) {
  Inode* part = nullptr;
  Bytes part_size{0};
  for (Inode* at = &directory;; at = at->parent()) {
    BETR_ASSIGN_OR_RETURN(const Bytes size, SizeOf(core, core.ContentOf(*at)));
    if (at->place != InodePlace::kNamed || at->record.zone != 0) {
      const bool is_wanted = part != nullptr && size > zone_size && part_size >= zone_size / kPartsPerZone;
      return is_wanted ? MakeZone(core, *part) : absl::OkStatus();
    }
    if (part != nullptr && size > zone_size && part_size >= zone_size / kPartsPerZone) continue;
    part = at;
    part_size = size;
  }
}

}  // namespace

absl::StatusOr<bool> FitIntoZone(Core& core, Bytes zone_size, std::span<const PrefixMove> moves) {
  BETR_RETURN_IF_ERROR(core.Flush());  // what is pending counts
  Bytes size{0};
  for (const PrefixMove& move : moves) {
    BETR_ASSIGN_OR_RETURN(const RangeEstimate estimate, core.store().Estimate(move.tree, Range::Prefix(move.from)));
    size += estimate.bytes;
  }
  return size <= zone_size;
}

absl::Status MakeZoneIfLarge(Core& core, Inode& inode) {
  const std::optional<Bytes> zone_size = core.store().Options().experiments.zone_size;
  if (!zone_size || !inode.IsDirectory() || inode.record.zone != 0) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(core.Flush());  // what is pending counts
  BETR_ASSIGN_OR_RETURN(const Bytes size, SizeOf(core, core.ContentOf(inode)));
  return size > *zone_size ? MakeZone(core, inode) : absl::OkStatus();
}

void SplitZoneIfGrown(Core& core, const Inode& inode, Bytes more) {
  const std::optional<Bytes> zone_size = core.store().Options().experiments.zone_size;
  if (!zone_size) return;
  Bytes& grown = core.zones().grown;
  grown += more;
  if (more == Bytes{0} || grown < *zone_size / kLooksPerZone || inode.place != InodePlace::kNamed) return;
  grown = Bytes{0};
  SplitZone(core, *inode.parent(), *zone_size).IgnoreError();  // it is tried again when more has come
}

absl::StatusOr<std::vector<std::string>> ContentsBelow(Core& core, const Inode& directory) {
  std::vector<std::string> contents = {core.ContentOf(directory)};
  if (!core.zones().exist || directory.place == InodePlace::kRoot) return contents;
  absl::flat_hash_set<uint64_t> seen;
  for (size_t i = 0; i < contents.size(); ++i) {
    const std::string content = contents[i];
    BETR_ASSIGN_OR_RETURN(const std::vector<uint64_t> zones,
                          ZonesUnder(core, content, std::numeric_limits<size_t>::max()));
    for (const uint64_t zone : zones) {
      const Inode* const root = core.inodes().RootOfZone(zone);
      if (root != nullptr && !IsBelow(*root, directory)) return NotItsZone(zone);
      if (seen.insert(zone).second) contents.push_back(key::Zone(zone));
    }
  }
  return contents;
}

absl::Status CheckZoneIsFree(Core& core, uint64_t zone) {
  if (!core.zones().exist) return absl::DataLossError(absl::StrFormat("zone %u in a file system without zones", zone));
  return core.inodes().RootOfZone(zone) == nullptr ? absl::OkStatus() : NotItsZone(zone);
}

absl::Status CheckHasNoZones(Core& core, const Inode& inode) {
  if (!core.zones().exist || !inode.IsDirectory()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const std::vector<uint64_t> zones, ZonesUnder(core, core.ContentOf(inode), 1));
  return zones.empty() ? absl::OkStatus() : ErrnoError(ENOTSUP, "a clone of a directory with zones below it");
}

}  // namespace betr::fs
