// SPDX-License-Identifier: Apache-2.0
#include "fs/reach.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <deque>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// What most trees never exceed, so that in them nothing but a directory's first entry changes its reach.
constexpr size_t kFirstEnd = 256;

// With clones inside each other there may be far more ways to a directory than anybody can walk. At most this many
// directories are looked into that were met before, or are clones of such, which have the same stored inode number.
constexpr size_t kMostMetAgain = 1024;

// A directory to be looked into: how far its content prefix goes, and the keys below it at most.
struct Part {
  const Part* above = nullptr;  // nothing: the content prefix is known without it
  std::string name;             // below that
  std::string content;
  size_t begin = 0;
  size_t end = 0;
};

// The farthest comes first, and of equally far ones the deepest. So there are few at a time, and a path that is too
// long is soon found.
struct IsLessUrgent {
  bool operator()(const Part* a, const Part* b) const {
    return std::tie(a->end, a->begin) < std::tie(b->end, b->begin);
  }
};

// Reads how far the keys below a directory go, in all zones, until one goes farther than `limit`. What is in
// directories that end before that by their own `reach` is not read.
class Measurement {
 public:
  Measurement(Core* core, const Inode& directory, size_t limit) : core_(*core), limit_(limit) {
    Add({nullptr, "", core_.ContentOf(directory), 0, directory.record.reach});
  }

  // Returns more than the limit also if there are too many clones to be sure.
  absl::StatusOr<size_t> Run() {
    while (!parts_.empty() && reach_ <= limit_) {
      const Part& part = *parts_.top();
      parts_.pop();
      BETR_RETURN_IF_ERROR(Scan(part));
    }
    return reach_;
  }

 private:
  void Add(Part part) {
    all_.push_back(std::move(part));
    parts_.push(&all_.back());
  }

  static std::string ContentOf(const Part& part) {
    std::string below;
    const Part* at = &part;
    for (; at->above != nullptr; at = at->above) below.insert(0, key::Content("", at->name));
    return at->content + below;
  }

  absl::Status Scan(const Part& part) {
    const std::string content = ContentOf(part);
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, core_.ScanMeta(key::Entries(content)));
    for (; cursor->Valid() && reach_ <= limit_; cursor->Next()) {
      const std::optional<key::MetaKey> parsed = key::ParseMeta(cursor->Key());
      if (!parsed || parsed->kind != key::MetaKey::Kind::kEntry) continue;
      const size_t end = part.begin + cursor->Key().size() - content.size();
      reach_ = std::max(reach_, end);
      LookAt(part, *parsed, cursor->Value(), end);
    }
    return cursor->status();
  }

  // What is no record is in nobody's way here.
  void LookAt(const Part& part, const key::MetaKey& entry, std::string_view value, size_t end) {
    const absl::StatusOr<EntryRecord> decoded = DecodeEntry(value, "record");
    const auto* const record = decoded.ok() ? std::get_if<InodeRecord>(&*decoded) : nullptr;
    if (record == nullptr || !record->IsDirectory()) return;
    const size_t farthest = end + record->reach;
    if (farthest <= limit_) {
      reach_ = std::max(reach_, farthest);
    } else if (!met_.insert(record->number).second && ++met_again_ > kMostMetAgain) {
      reach_ = farthest;
    } else if (record->zone == 0) {
      Add({&part, std::string(entry.name), "", end, farthest});
    } else if (zones_.insert(record->zone).second) {
      Add({nullptr, "", key::Zone(record->zone), end, farthest});
    }
  }

  Core& core_;
  const size_t limit_;
  std::deque<Part> all_;
  std::priority_queue<const Part*, std::vector<const Part*>, IsLessUrgent> parts_;
  absl::flat_hash_set<uint64_t> met_;
  absl::flat_hash_set<uint64_t> zones_;
  size_t met_again_ = 0;
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
