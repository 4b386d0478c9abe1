// SPDX-License-Identifier: Apache-2.0
#include "fs/core.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "base/random.h"
#include "base/status.h"
#include "base/uuid.h"
#include "fs/key.h"
#include "fs/time_coding.h"
#include "fs/zones.h"
#include "store/headroom.h"
#include "store/impl.h"

namespace betr::fs {
namespace {

constexpr uint64_t kNumberStride = 1024;
constexpr size_t kBytesPerName = 16;
constexpr size_t kMinBatch = kFileBlock.value;
// What FileSystemSpace promises for.
constexpr Bytes kPromisedPath{128};
constexpr Bytes kPromisedRecord{192};
// The longest path of a directory that can be found. It is longer than one that can be made, by the names below which a
// repair puts what has lost its place. Zones in zones could lead deeper without an end; walks go no deeper than this.
constexpr size_t kMaxFoundPath = kMaxPathSize + 2 * (kMaxNameSize + 1);

// The root of the zone that the content of a directory is in.
const Inode& ZoneRootOf(const Inode& directory) {
  const Inode* at = &directory;
  while (at->place == InodePlace::kNamed && at->record.zone == 0) at = at->parent();
  return *at;
}

size_t SizeOfNames(const Inode& top, const Inode& directory) {
  size_t size = 0;
  for (const Inode* at = &directory; at != &top; at = at->parent()) size += at->names.front().name.size() + 1;
  return size;
}

// Appends the names on the way from `top` to a directory below it, each with its NUL.
std::string AppendNames(std::string content, const Inode& top, const Inode& directory) {
  size_t size = content.size() + SizeOfNames(top, directory);
  content.resize(size, '\0');
  for (const Inode* at = &directory; at != &top; at = at->parent()) {
    const std::string& name = at->names.front().name;
    size -= name.size() + 1;
    content.replace(size, name.size(), name);
  }
  return content;
}

uint64_t RandomSeed() {
  const Uuid uuid = RandomUuid();
  uint64_t seed = 0;
  std::copy_n(uuid.bytes.begin(), sizeof seed, reinterpret_cast<char*>(&seed));
  return seed;
}

// An operation adds to what is pending, and keys add to content: with the longest path as much again. What was accepted
// must find room in the reserve, too: with its messages it takes twice as much, and a quarter may be gone.
size_t BatchBytes(const Store& store, const MountOptions& options) {
  const Bytes most = std::min(store.MaxBatch().bytes / 4, store.impl().SpaceNow().reserve / 8);
  return std::max<size_t>(kMinBatch, std::min(options.write_behind, most).value);
}

}  // namespace

Core::Core(std::unique_ptr<Store> store, TreeId meta, TreeId data, const MountOptions& options)
    : options_(options),
      store_(std::move(store)),
      meta_(meta),
      data_(data),
      clock_(options.clock != nullptr ? *options.clock : SystemClock()),
      budget_{static_cast<size_t>(options.name_cache.value) / kBytesPerName, 0, RandomSeed()},
      inodes_(&budget_, options.inode_cache),
      max_batch_(store_->MaxBatch()),
      batch_bytes_(BatchBytes(*store_, options)) {}

FileTime Core::Now() { return FileTimeOf(clock_.Now()); }

std::string Core::ContentOf(const Inode& directory) const {
  const Inode& zone = ZoneRootOf(directory);
  return AppendNames(key::Zone(zone.record.zone), zone, directory);
}

std::string Core::PathOf(const Inode& directory) const { return AppendNames("", inodes_.root(), directory); }

size_t Core::PathSizeOf(const Inode& directory) const { return SizeOfNames(inodes_.root(), directory); }

std::string Core::ObjectOf(const Inode& inode) const {
  switch (inode.place) {
    case InodePlace::kRoot:
      return std::string(key::kRootObject);
    case InodePlace::kNamed:
      return key::Entry(ContentOf(*inode.parent()), inode.names.front().name);
    case InodePlace::kGroup:
      return key::Group(ContentOf(*inode.home), inode.group);
    case InodePlace::kOrphan:
      return key::Orphan(inode.group);
    case InodePlace::kGone:
      break;
  }
  Check(false, "what is gone is nowhere");
  return {};
}

Inode& Core::HomeOf(Inode& directory) {
  Inode* at = &directory;
  while (!at->record.link_home && at->place == InodePlace::kNamed) at = at->parent();
  return *at;
}

absl::StatusOr<std::optional<std::string>> Core::GetMeta(std::string_view key) {
  ++meta_reads_;
  return store_->Get(meta_, key);
}

absl::StatusOr<std::unique_ptr<Cursor>> Core::ScanMeta(const Range& range) {
  ++meta_reads_;
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Cursor> cursor, store_->NewCursor(meta_, range));
  cursor->SeekToFirst();
  BETR_RETURN_IF_ERROR(cursor->status());
  return cursor;
}

absl::StatusOr<Inode*> Core::Find(Inode& directory, std::string_view name) {
  if (const auto child = directory.children.find(name); child != directory.children.end()) return child->second.inode;
  if (directory.known_names.SurelyAbsent(name)) return nullptr;
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, GetMeta(key::Entry(ContentOf(directory), name)));
  return value ? FindRead(directory, name, *value) : nullptr;
}

absl::StatusOr<Inode*> Core::FindRead(Inode& directory, std::string_view name, std::string_view value) {
  if (const auto child = directory.children.find(name); child != directory.children.end()) return child->second.inode;
  const std::string what = key::PathOfObject(key::Entry(PathOf(directory), name));
  BETR_ASSIGN_OR_RETURN(EntryRecord entry, DecodeEntry(value, what));
  if (InodeRecord* const record = std::get_if<InodeRecord>(&entry)) {
    if (record->IsDirectory()) BETR_RETURN_IF_ERROR(Annotate(CheckBelow(directory, name, *record), what));
    return &inodes_.AddNamed(&directory, name, std::move(*record));
  }
  const Reference& reference = std::get<Reference>(entry);
  BETR_ASSIGN_OR_RETURN(Inode* const inode, FindGroup(directory, reference.id));
  BETR_RETURN_IF_ERROR(CheckIsMeant(reference, inode->record, what));
  inodes_.AddName(inode, &directory, name);
  return inode;
}

absl::Status Core::CheckBelow(const Inode& directory, std::string_view name, const InodeRecord& record) {
  if (PathSizeOf(directory) + name.size() > kMaxFoundPath) {
    return absl::DataLossError(absl::StrFormat("a directory with a path of more than %u bytes", kMaxFoundPath));
  }
  return record.zone == 0 ? absl::OkStatus() : CheckZoneIsFree(*this, record.zone);
}

absl::StatusOr<Inode*> Core::Get(Inode& directory, std::string_view name) {
  BETR_ASSIGN_OR_RETURN(Inode* const inode, Find(directory, name));
  if (inode == nullptr) return ErrnoError(ENOENT, name);
  return inode;
}

absl::StatusOr<Inode*> Core::FindGroup(Inode& directory, uint64_t id) {
  for (Inode* home = &HomeOf(directory); home != nullptr; home = HomeAbove(*home)) {
    if (const auto known = home->groups.find(id); known != home->groups.end()) return known->second;
    const std::string key = key::Group(ContentOf(*home), id);
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, GetMeta(key));
    if (value) {
      BETR_ASSIGN_OR_RETURN(InodeRecord record, DecodeGroup(*value, key::PathOfObject(key)));
      return &inodes_.AddGroup(home, id, std::move(record));
    }
  }
  return absl::DataLossError(
      absl::StrFormat("link group %u of a name in /%s is missing", id, key::PathOfContent(ContentOf(directory))));
}

absl::StatusOr<bool> Core::IsEmpty(Inode& directory) {
  if (!directory.children.empty()) return false;
  if (directory.known_names.Known()) return directory.known_names.KnownEmpty();
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, ScanMeta(key::Entries(ContentOf(directory))));
  return !cursor->Valid();
}

FileSystemSpace Core::Space() const { return SpaceOf(store_->Space()); }

bool Core::HasSpaceForBatch() const { return SpaceOf(store_->impl().SpaceNow()).available.value >= batch_bytes_; }

FileSystemSpace Core::SpaceOf(const SpaceStats& stats) const {
  const FormatOptions format = store_->Format();
  const auto space_of = [&](Bytes entry) { return store::SpaceOfEntry(format.node_size, format.fanout, entry); };
  // A file for each block is the worst case.
  const Bytes block = space_of(kPromisedPath + kFileBlock) + space_of(kPromisedPath + kPromisedRecord);
  // A batch is promised twice, until it has left the root.
  const Bytes batches = Bytes{2 * batch_bytes_};
  const Bytes usable = stats.available > batches ? stats.available - batches : Bytes{0};
  const Bytes pending{pending_bytes_};
  const Bytes promised = kFileBlock * (usable / block);
  return {stats.total, stats.free, promised > pending ? promised - pending : Bytes{0}};
}

uint64_t Core::FreshNumber(WriteBatch* batch) {
  if (next_number_ >= staged_bound_) {
    staged_bound_ = next_number_ + kNumberStride;
    batch->Put(meta_, key::kNumberBoundKey, EncodeNumberBound(staged_bound_));
  }
  return next_number_++;
}

void Core::NumbersCommitted(bool ok) {
  if (ok) {
    number_bound_ = staged_bound_;
  } else {
    staged_bound_ = number_bound_;
  }
}

void Core::SetNumberBound(uint64_t bound) { next_number_ = number_bound_ = staged_bound_ = bound; }

absl::Status CheckName(std::string_view name) {
  if (name.size() > kMaxNameSize) return ErrnoError(ENAMETOOLONG, name);
  if (!key::ValidName(name)) return ErrnoError(EINVAL, absl::StrFormat("name `%s`", name));
  return absl::OkStatus();
}

absl::Status CheckDirectory(const Inode& inode) {
  if (!inode.IsDirectory()) return ErrnoError(ENOTDIR, "not a directory");
  if (inode.place == InodePlace::kGone) return ErrnoError(ENOENT, "removed directory");
  return absl::OkStatus();
}

}  // namespace betr::fs
