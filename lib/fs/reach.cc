// SPDX-License-Identifier: Apache-2.0
#include "fs/reach.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>
#include <vector>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// What most trees never exceed, so that in them nothing but a directory's first entry changes its reach.
constexpr size_t kFirstEnd = 256;

// A directory, or the root of a zone below it: how far the key of that goes.
struct Part {
  std::string content;
  size_t begin = 0;
};

// Reads how far the keys below a directory go, in all zones, until one goes farther than `limit`.
class Measurement {
 public:
  Measurement(Core* core, const Inode& directory, size_t limit) : core_(*core), limit_(limit) {
    parts_.push_back({core_.ContentOf(directory), 0});
  }

  absl::StatusOr<size_t> Run() {
    for (size_t i = 0; i < parts_.size() && reach_ <= limit_; ++i) BETR_RETURN_IF_ERROR(Scan(Part(parts_[i])));
    return reach_;
  }

 private:
  absl::Status Scan(const Part& part) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, core_.ScanMeta(Range::Prefix(part.content)));
    for (; cursor->Valid() && reach_ <= limit_; cursor->Next()) {
      const std::optional<key::MetaKey> parsed = key::ParseMeta(cursor->Key());
      if (!parsed || parsed->kind != key::MetaKey::Kind::kEntry) continue;
      if (key::ZoneOf(cursor->Key()) != key::ZoneOf(part.content)) continue;  // the root's prefix is that of all zones
      const size_t end = part.begin + cursor->Key().size() - part.content.size();
      reach_ = std::max(reach_, end);
      if (core_.zones().exist) AddZone(cursor->Value(), end);
    }
    return cursor->status();
  }

  // What is no record is in nobody's way here.
  void AddZone(std::string_view value, size_t end) {
    const absl::StatusOr<EntryRecord> entry = DecodeEntry(value, "record");
    const auto* const record = entry.ok() ? std::get_if<InodeRecord>(&*entry) : nullptr;
    if (record == nullptr || record->zone == 0 || !zones_.insert(record->zone).second) return;
    parts_.push_back({key::Zone(record->zone), end});
  }

  Core& core_;
  const size_t limit_;
  std::vector<Part> parts_;
  absl::flat_hash_set<uint64_t> zones_;
  size_t reach_ = 0;
};

}  // namespace

size_t RoomyEnd(size_t end) { return std::min(std::bit_ceil(std::max(end, kFirstEnd)), kMaxReach); }

absl::Status CheckReach(Core& core, const Slot& slot, Inode* inode) {
  if (!inode->IsDirectory()) return absl::OkStatus();
  const size_t limit = kMaxReach - (PathSize(core, slot) + 1);
  if (inode->record.reach <= limit) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const size_t reach, Measurement(&core, *inode, limit).Run());
  if (reach > limit) return ErrnoError(ENAMETOOLONG, absl::StrFormat("a path below %s", slot.name));
  inode->record.reach = reach;
  return absl::OkStatus();
}

absl::Status CheckMove(Core& core, const Slot& from, const Slot& to) {
  const size_t size = PathSize(core, to);
  if (size <= PathSize(core, from)) return absl::OkStatus();
  return size > kMaxPathSize ? ErrnoError(ENAMETOOLONG, to.name) : CheckReach(core, to, from.inode);
}

}  // namespace betr::fs
