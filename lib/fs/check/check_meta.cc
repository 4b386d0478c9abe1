// SPDX-License-Identifier: Apache-2.0
// The scan of "meta". Keys come directory by directory, so the directories above the present key form a stack. A
// directory is checked as a whole when the scan leaves it.
#include <absl/strings/str_format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/check/check_context.h"
#include "fs/check/check_directory.h"
#include "fs/check/check_global.h"
#include "fs/check/check_home.h"
#include "fs/check/check_inode.h"
#include "fs/check/check_mend.h"
#include "fs/check/check_zones.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

class MetaScan {
 public:
  explicit MetaScan(CheckContext* context) : context_(*context) {}

  absl::Status Run();

 private:
  // A walk in the middle of another one. At its end the stack is as high as it was before.
  struct Place {
    std::unique_ptr<Cursor> cursor;
    size_t depth;
  };
  absl::Status Walk(const Range& range);
  absl::Status Begin(const Range& range, size_t depth);
  absl::Status EnterZone(std::string_view key, const InodeRecord& record);
  absl::Status Visit(std::string_view key, std::string_view value);
  absl::Status VisitEntry(const key::MetaKey& parsed, std::string_view key, std::string_view value);
  absl::Status VisitHome(std::string_view key);
  absl::Status VisitReference(std::string_view key, const Reference& reference);
  absl::Status VisitInode(std::string_view key, InodeRecord record);
  absl::Status CheckEmptyDirectory(std::string_view key, const InodeRecord& record);

  // Makes the directory with this content prefix the innermost one.
  absl::Status Enter(std::string_view content);
  absl::Status Push(std::string_view content, std::string_view object);
  absl::Status NoDirectory(CheckedDirectory* directory);
  absl::Status CutOff(size_t size);
  void MakeHome(CheckedDirectory& directory, WriteBatch* batch);
  // Counts the innermost directory as checked if one with the same content was found sound.
  absl::Status SkipIfSound();
  void RememberIfSound(const CheckedDirectory& directory);
  void Leave();
  absl::Status LeaveDownTo(size_t depth);

  CheckContext& context_;
  std::vector<CheckedDirectory> stack_;
  std::vector<Place> walks_;
  std::vector<std::string> homes_;  // that hold groups, or names of groups
  SoundSubtrees sound_;
  uint64_t links_ = 0;               // references, groups, names of groups and roots of zones met so far
  std::optional<std::string> skip_;  // the content prefix of a directory that need not be walked
};

absl::Status MetaScan::Run() {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bound, context_.GetMeta(key::kNumberBoundKey));
  if (bound) {
    const absl::StatusOr<uint64_t> number = DecodeNumberBound(*bound, "bound of inode numbers");
    if (number.ok()) context_.SetNumberBound(*number);
    if (!number.ok()) context_.BadRecord(key::kNumberBoundKey, number.status());
  }
  if (context_.number_bound() == 0) context_.SetNumberBound(kFirstNumberBound);
  BETR_RETURN_IF_ERROR(Push("", key::kRootObject));
  BETR_RETURN_IF_ERROR(CheckRootRecord(&context_, &stack_.front()));
  // Zones come with the directories that are their roots.
  const Range zones = Range::Prefix(key::kZonesPrefix);
  BETR_RETURN_IF_ERROR(Walk({Range::All().lo, zones.lo}));
  BETR_RETURN_IF_ERROR(Walk({zones.hi, Range::All().hi}));
  BETR_RETURN_IF_ERROR(LeaveDownTo(0));
  BETR_RETURN_IF_ERROR(CheckZones(&context_));
  // Only now is it known which names their homes do not list, and so whose they are.
  for (const std::string& home : homes_) BETR_RETURN_IF_ERROR(CheckHome(&context_, home));
  return absl::OkStatus();
}

absl::Status MetaScan::Walk(const Range& range) {
  BETR_RETURN_IF_ERROR(Begin(range, stack_.size()));
  while (!walks_.empty()) {
    Cursor* const cursor = walks_.back().cursor.get();
    if (!cursor->Valid()) {
      BETR_RETURN_IF_ERROR(cursor->status());
      BETR_RETURN_IF_ERROR(LeaveDownTo(walks_.back().depth));
      walks_.pop_back();
      continue;
    }
    BETR_RETURN_IF_ERROR(context_.Step());
    if (const auto end = context_.EndOfGarbage(context_.meta(), cursor->Key())) {
      cursor->Seek(*end);
      continue;
    }
    BETR_RETURN_IF_ERROR(Visit(cursor->Key(), cursor->Value()));
    if (const auto skip = std::exchange(skip_, std::nullopt)) {
      cursor->Seek(Bound::Past(*skip));
    } else {
      cursor->Next();
    }
  }
  return absl::OkStatus();
}

absl::Status MetaScan::Begin(const Range& range, size_t depth) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Cursor> cursor,
                        context_.store().NewCursor(context_.view(), context_.meta(), range));
  cursor->SeekToFirst();
  walks_.push_back({std::move(cursor), depth});
  return absl::OkStatus();
}

// The content of a directory that is the root of a zone comes before what follows the directory's record.
absl::Status MetaScan::EnterZone(std::string_view key, const InodeRecord& record) {
  CheckNumber(&context_, key, record.zone);
  if (context_.zones().Contains(record.zone)) {
    context_.Guessable(CheckCode::kZone, key, absl::StrFormat("zone %u is that of another directory", record.zone),
                       [&](WriteBatch* batch) {
                         InodeRecord mended = record;
                         mended.zone = 0;
                         batch->Put(context_.meta(), key, EncodeInode(mended));
                       });
    return absl::OkStatus();
  }
  context_.zones().Add(record.zone, key);
  ++links_;
  const std::string content = key::Zone(record.zone);
  const size_t depth = stack_.size();
  BETR_RETURN_IF_ERROR(Push(content, key));
  if (!std::exchange(skip_, std::nullopt)) return Begin(Range::Prefix(content), depth);
  Leave();
  return absl::OkStatus();
}

// A deep path has many directories that may need repairs, with long keys: more than a batch takes.
absl::Status MetaScan::LeaveDownTo(size_t depth) {
  while (stack_.size() > depth) {
    Leave();
    BETR_RETURN_IF_ERROR(context_.Step());
  }
  return absl::OkStatus();
}

absl::Status MetaScan::Visit(std::string_view key, std::string_view value) {
  const std::optional<key::MetaKey> parsed = key::ParseMeta(key);
  if (!parsed) {
    context_.Guessable(CheckCode::kKey, key, "no such kind of key",
                       [&](WriteBatch* batch) { batch->Erase(context_.meta(), key); });
    return absl::OkStatus();
  }
  using Kind = key::MetaKey::Kind;
  switch (parsed->kind) {
    case Kind::kEntry:
      return VisitEntry(*parsed, key, value);
    case Kind::kGroup:
    case Kind::kGroupName:
      BETR_RETURN_IF_ERROR(Enter(parsed->content));
      return skip_ ? absl::OkStatus() : VisitHome(key);
    default:
      CheckGlobal(&context_, *parsed, key, value);
      return absl::OkStatus();
  }
}

absl::Status MetaScan::VisitEntry(const key::MetaKey& parsed, std::string_view key, std::string_view value) {
  BETR_RETURN_IF_ERROR(Enter(parsed.content));
  if (skip_) return absl::OkStatus();
  CheckedDirectory& directory = stack_.back();
  const size_t reach = key.size() - directory.content.size();
  if (directory.path_size + reach > kMaxReach) return CutOff(directory.path_size + reach);
  directory.reach = std::max(directory.reach, reach);
  absl::StatusOr<EntryRecord> entry = DecodeEntry(value, "record");
  if (!entry.ok()) {
    context_.BadRecord(key, entry.status());
    return absl::OkStatus();
  }
  if (const Reference* const reference = std::get_if<Reference>(&*entry)) return VisitReference(key, *reference);
  return VisitInode(key, std::get<InodeRecord>(*std::move(entry)));
}

absl::Status MetaScan::VisitInode(std::string_view key, InodeRecord record) {
  ++(record.IsDirectory() ? context_.summary().directories : context_.summary().files);
  CheckNumber(&context_, key, record.number);
  BETR_RETURN_IF_ERROR(CheckXattrs(&context_, key, &record));
  if (record.IsDirectory()) {
    ++stack_.back().subdirectories;
    return record.zone != 0 ? EnterZone(key, record) : CheckEmptyDirectory(key, record);
  }
  CheckLinks(&context_, key, record, 1, "a file with one name");
  return absl::OkStatus();
}

// A directory without entries is never entered, so this is the place to look at its link count.
absl::Status MetaScan::CheckEmptyDirectory(std::string_view key, const InodeRecord& record) {
  if (record.links == 2) return absl::OkStatus();
  const std::string content = key::Content(stack_.back().content, key.substr(stack_.back().content.size() + 1));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        context_.store().NewCursor(context_.meta(), Range::Prefix(content)));
  cursor->SeekToFirst();
  BETR_RETURN_IF_ERROR(cursor->status());
  if (cursor->Valid()) return absl::OkStatus();
  CheckLinks(&context_, key, record, 2, "an empty directory");
  return absl::OkStatus();
}

absl::Status MetaScan::VisitReference(std::string_view key, const Reference& reference) {
  ++context_.summary().files;
  ++links_;
  BETR_ASSIGN_OR_RETURN(const FoundGroup group, FindGroup(&context_, stack_, reference.id));
  if (group.home == nullptr) {
    context_.Guessable(CheckCode::kReference, key, "no link home above",
                       [&](WriteBatch* batch) { MakeHome(stack_.front(), batch); });
    return absl::OkStatus();
  }
  const std::string& home = group.home->content;
  if (!group.record) {
    context_.LoseName(CheckCode::kReference, key,
                      absl::StrFormat("group %u is not in /%s", reference.id, context_.PathOf(home)));
    return absl::OkStatus();
  }
  const std::string listed = key::GroupName(home, key::Relative(home, key));
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context_.GetMeta(listed));
  const bool is_listed = value && *value == EncodeGroupName(reference.id);
  const bool is_alike = group.record->type == reference.type;
  if (!is_listed) {
    context_.unlisted()[key::Group(home, reference.id)].push_back(
        {std::string(key), is_alike ? group.way : NameWay::kOtherHome});
  } else if (!is_alike) {
    context_.Guessable(CheckCode::kReference, key,
                       absl::StrFormat("group %u in /%s is of another type", reference.id, context_.PathOf(home)),
                       [&](WriteBatch* batch) {
                         batch->Put(context_.meta(), key, EncodeReference({group.record->type, reference.id}));
                       });
  }
  return absl::OkStatus();
}

absl::Status MetaScan::VisitHome(std::string_view key) {
  ++links_;
  CheckedDirectory& home = stack_.back();
  if (home.home_checked) return absl::OkStatus();
  home.home_checked = true;
  if (home.exists && !home.record.link_home) {
    context_.Guessable(CheckCode::kHome, key, "link groups in a directory that is no link home",
                       [&](WriteBatch* batch) { MakeHome(home, batch); });
    return absl::OkStatus();
  }
  homes_.push_back(home.content);
  return absl::OkStatus();
}

absl::Status MetaScan::Enter(std::string_view content) {
  size_t depth = stack_.size();
  while (!content.starts_with(stack_[depth - 1].content)) --depth;
  BETR_RETURN_IF_ERROR(LeaveDownTo(depth));
  while (!skip_ && stack_.back().content.size() < content.size()) {
    const std::string_view above = stack_.back().content;
    const size_t next = key::NextContent(content, above.size());
    // So the stack does not grow with what no path can be.
    const size_t path_size = stack_.back().path_size;
    if (path_size + next - above.size() > kMaxReach) return CutOff(path_size + content.size() - above.size());
    const std::string object = key::Entry(above, content.substr(above.size(), next - 1 - above.size()));
    BETR_RETURN_IF_ERROR(Push(content.substr(0, next), object));
    BETR_RETURN_IF_ERROR(context_.Step());
  }
  return absl::OkStatus();
}

absl::Status MetaScan::Push(std::string_view content, std::string_view object) {
  CheckedDirectory directory;
  directory.content = content;
  directory.object = object;
  BETR_ASSIGN_OR_RETURN(std::optional<InodeRecord> record, context_.GetInode(object));
  if (!stack_.empty()) {
    directory.name_size = object.size() - stack_.back().content.size();
    directory.path_size = stack_.back().path_size + directory.name_size;
  }
  const bool is_elsewhere = record && record->zone != 0 && content != key::Zone(record->zone) && !content.empty();
  directory.exists = record && record->IsDirectory() && !is_elsewhere;
  directory.made_anew = !directory.exists || (record->born == FileTime{} && !content.empty());
  if (directory.exists) {
    directory.record = *std::move(record);
  } else if (stack_.empty() || stack_.back().exists) {
    BETR_RETURN_IF_ERROR(NoDirectory(&directory));
  }
  BETR_ASSIGN_OR_RETURN(directory.digest, context_.Digest(content));
  directory.before = context_.summary();
  directory.links_before = links_;
  stack_.push_back(std::move(directory));
  return SkipIfSound();
}

// If nothing is there, a directory is made. If something else is there, nothing can be below it, except in the root.
absl::Status MetaScan::NoDirectory(CheckedDirectory* directory) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context_.GetMeta(directory->object));
  const bool is_other = value && DecodeEntry(*value, "record").ok() && !directory->content.empty();
  std::string place;
  if (is_other && context_.salvage()) {
    BETR_ASSIGN_OR_RETURN(place, context_.lost_and_found().PlaceForContent(directory->content));
    skip_ = directory->content;
  }
  BETR_ASSIGN_OR_RETURN(const bool has_groups, HasGroups(&context_, directory->content));
  context_.Guessable(CheckCode::kParent, directory->object, "there are keys below this path, and it is no directory",
                     [&](WriteBatch* batch) {
                       if (is_other) return context_.Move(batch, directory->content, place);
                       directory->record = NewDirectory(context_.FreshNumber(batch));
                       directory->record.link_home = has_groups || directory->content.empty();
                       directory->exists = true;
                       batch->Put(context_.meta(), directory->object, EncodeInode(directory->record));
                     });
  return absl::OkStatus();
}

// A path that is too long, from the root on: what is below one of the directories on the way goes to /lost+found. The
// next pass looks at it there.
absl::Status MetaScan::CutOff(size_t size) {
  const size_t cut = WhereToCut(stack_, walks_.back().depth, size);
  const CheckedDirectory& directory = stack_[cut];
  std::string place;
  if (context_.salvage()) {
    BETR_ASSIGN_OR_RETURN(place, context_.lost_and_found().ShortPlaceFor(directory.object, directory.content));
  }
  context_.Guessable(CheckCode::kReach, directory.object,
                     absl::StrFormat("a path below has %u bytes, at most %u are allowed", size - 1, kMaxPathSize),
                     [&](WriteBatch* batch) { context_.Move(batch, directory.content, place); });
  skip_ = directory.content;
  for (auto below = stack_.begin() + static_cast<ptrdiff_t>(cut); below != stack_.end(); ++below) {
    below->is_cut_off = true;
  }
  return absl::OkStatus();
}

void MetaScan::MakeHome(CheckedDirectory& directory, WriteBatch* batch) {
  if (!directory.exists) return;
  directory.record.link_home = true;
  batch->Put(context_.meta(), directory.object, EncodeInode(directory.record));
}

absl::Status MetaScan::SkipIfSound() {
  CheckedDirectory& directory = stack_.back();
  const auto sound = directory.digest ? sound_.find(*directory.digest) : sound_.end();
  if (sound == sound_.end()) return absl::OkStatus();
  const SoundTotals& totals = sound->second;
  if (directory.path_size + totals.reach > kMaxReach) return absl::OkStatus();
  directory.subdirectories = totals.subdirectories;
  directory.digest.reset();
  context_.summary().files += totals.files;
  context_.summary().directories += totals.directories;
  directory.reach = totals.reach;
  skip_ = directory.content;
  return absl::OkStatus();
}

// Links are judged by their home, which may lie elsewhere: what has any is walked each time.
void MetaScan::RememberIfSound(const CheckedDirectory& directory) {
  const CheckSummary& now = context_.summary();
  const bool sound = now.findings == directory.before.findings && links_ == directory.links_before;
  if (!directory.digest || !sound || directory.reach == 0) return;
  SoundTotals totals;
  totals.files = now.files - directory.before.files;
  totals.directories = now.directories - directory.before.directories;
  totals.subdirectories = directory.subdirectories;
  totals.reach = directory.reach;
  sound_[*directory.digest] = totals;
}

void MetaScan::Leave() {
  const CheckedDirectory directory = std::move(stack_.back());
  stack_.pop_back();
  RememberIfSound(directory);
  if (!stack_.empty() && directory.reach > 0) {
    stack_.back().reach = std::max(stack_.back().reach, directory.name_size + directory.reach);
  }
  if (!directory.exists || directory.is_cut_off) return;
  CheckLinks(&context_, directory.object, directory.record, 2 + directory.subdirectories, "a directory");
  const size_t reach = directory.reach;
  if (directory.record.reach >= reach) return;
  AttributeDelta farther;
  farther.reach_at_least = reach;
  context_.Mendable(CheckCode::kReach, directory.object,
                    absl::StrFormat("keys below reach %u bytes, the record says %u", reach, directory.record.reach),
                    [&](WriteBatch* batch) { context_.MendRecord(batch, directory.object, farther); });
}

}  // namespace

absl::Status CheckMeta(CheckContext* context) { return MetaScan(context).Run(); }

}  // namespace betr::fs
