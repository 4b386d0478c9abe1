// SPDX-License-Identifier: Apache-2.0
#include "fs/check/describe_loss.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/coding.h"
#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/group_names.h"
#include "fs/key.h"
#include "fs/record.h"
#include "fs/zone_roots.h"

namespace betr::fs {
namespace {

constexpr size_t kBlockNumberSize = 8;
constexpr uint64_t kMaxBlocks = kMaxFileSize / kFileBlock;

// A position between keys as people write it: names with slashes, as far as the key goes.
std::string PathOfBound(const ZoneRoots& zones, const Bound& bound) {
  std::string path = "/";
  for (const char byte : zones.WithoutZones(bound.bytes)) {
    if (byte != '\0') {
      path.push_back(byte);
    } else if (path.back() != '/') {
      path.push_back('/');
    }
  }
  return path + (bound.past ? "..." : "");
}

// The first block of the object that lies after the bound.
uint64_t FirstBlockAfter(const Bound& bound, std::string_view attachments) {
  if (!bound.bytes.starts_with(attachments)) return bound <= Bound::At(attachments) ? 0 : kMaxBlocks;
  std::string number = bound.bytes.substr(attachments.size());
  const size_t given = std::min(number.size(), kBlockNumberSize);
  const bool is_within = number.size() > kBlockNumberSize || bound.past;
  number.resize(kBlockNumberSize, '\0');
  const uint64_t block = LoadBigEndian64(number.data());
  if (!is_within) return std::min(block, kMaxBlocks);
  const uint64_t step = given == 0 ? kMaxBlocks : uint64_t{1} << (8 * (kBlockNumberSize - given));
  return block > kMaxBlocks - std::min(step, kMaxBlocks) ? kMaxBlocks : block + step;
}

// Where in "meta" the record of the object lies to which the bound belongs, or before it.
Bound RecordOf(const Bound& bound) {
  for (size_t size = bound.bytes.size(); size > 0; --size) {
    const std::string_view front = std::string_view(bound.bytes).substr(0, size);
    if (bound.bytes.size() > size && bound.bytes[size] == '\0' && key::ParseMeta(front)) return Bound::At(front);
  }
  return bound;
}

std::string Path(const ZoneRoots& zones, std::string_view entry) {
  return "/" + key::PathOfObject(zones.WithoutZones(entry));
}

// What a range of a tree tells by itself.
Loss LossOf(const ZoneRoots& zones, const store::LostRange& lost) {
  Loss loss;
  loss.changes_only = lost.changes_only;
  loss.is_partial = lost.is_partial;
  loss.but_written = lost.but_written;
  loss.why = lost.why;
  if (lost.tree.empty()) return loss;
  const std::string& key = lost.range.lo.bytes;
  const bool is_one = lost.range == Range::Only(key);
  const auto parsed = key::ParseMeta(key);
  if (lost.tree == kMetaTree && is_one && !lost.is_partial && parsed && parsed->kind == key::MetaKey::Kind::kEntry) {
    loss.kind = Loss::Kind::kName;
    loss.names = {Path(zones, key)};
    return loss;
  }
  loss.kind = lost.tree == kMetaTree ? Loss::Kind::kNames : Loss::Kind::kKeys;
  if (lost.tree != kMetaTree) loss.tree = lost.tree;
  if (lost.range.lo != Range::All().lo) loss.from = PathOfBound(zones, lost.range.lo);
  if (lost.range.hi != Range::All().hi) loss.to = PathOfBound(zones, lost.range.hi);
  return loss;
}

class Describer {
 public:
  Describer(const Store& store, absl::FunctionRef<void(const Loss&)> say)
      : store_(store), meta_(store.FindTree(kMetaTree)), groups_(store, meta_.value_or(TreeId())), say_(say) {}

  absl::Status Begin() {
    if (!meta_.ok()) return absl::OkStatus();
    BETR_ASSIGN_OR_RETURN(zones_, ZoneRoots::In(store_, *meta_));
    return absl::OkStatus();
  }

  absl::Status Add(const store::LostRange& lost) {
    // For a partial range nobody knows which files in it have lost something.
    if (lost.tree == kDataTree && meta_.ok() && !lost.is_partial) return AddContent(lost);
    Say(LossOf(zones_, lost));
    const bool may_show_older = lost.tree == kMetaTree && lost.changes_only && !lost.is_partial;
    return may_show_older && meta_.ok() ? AddGroups(lost) : absl::OkStatus();
  }

  void Finish() {
    if (pending_) say_(*pending_);
    pending_.reset();
  }

 private:
  // Lost names say nothing of files that have several, whose records are elsewhere. (The checker, which looks at each
  // name, reports those that are gone altogether.)
  absl::Status AddGroups(const store::LostRange& lost) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(*meta_, lost.range));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      const auto parsed = key::ParseMeta(cursor->Key());
      if (!parsed || parsed->kind != key::MetaKey::Kind::kGroup) continue;
      const absl::StatusOr<InodeRecord> record = DecodeInode(cursor->Value(), "");
      BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            groups_.Of(parsed->content, parsed->id, record.ok() ? record->links : 0));
      const auto is_told = [&](const std::string& name) { return lost.range.Contains(name); };
      if (std::all_of(names.begin(), names.end(), is_told)) continue;
      Loss loss;
      loss.kind = Loss::Kind::kName;
      loss.changes_only = true;
      loss.why = lost.why;
      loss.names = Paths(names);
      Say(loss, cursor->Key());
    }
    return cursor->status();
  }

  absl::Status AddContent(const store::LostRange& lost) {
    const Range records{RecordOf(lost.range.lo), lost.range.hi};
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(*meta_, records));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      const absl::StatusOr<EntryRecord> entry = DecodeEntry(cursor->Value(), "record");
      const auto* const record = entry.ok() ? std::get_if<InodeRecord>(&*entry) : nullptr;
      if (record != nullptr) BETR_RETURN_IF_ERROR(AddFile(lost, cursor->Key(), *record));
    }
    return cursor->status();
  }

  absl::Status AddFile(const store::LostRange& lost, std::string_view object, const InodeRecord& record) {
    Loss loss;
    loss.changes_only = lost.changes_only;
    loss.but_written = lost.but_written;
    loss.why = lost.why;
    const std::string attachments = key::Attachments(object);
    loss.first = FirstBlockAfter(lost.range.lo, attachments) * kFileBlock.value;
    const uint64_t end = std::min(FirstBlockAfter(lost.range.hi, attachments) * kFileBlock.value, record.size);
    if (record.type == FileType::kRegular && loss.first < end) {
      loss.kind = Loss::Kind::kBytes;
      loss.last = end - 1;
      BETR_RETURN_IF_ERROR(AddNames(object, record, &loss));
      Say(loss, object);
    }
    for (const XattrRecord& xattr : record.xattrs) {
      if (!xattr.external || !lost.range.Contains(key::Xattr(object, xattr.name))) continue;
      loss.kind = Loss::Kind::kAttribute;
      loss.attribute = xattr.name;
      BETR_RETURN_IF_ERROR(AddNames(object, record, &loss));
      Say(loss, object);
    }
    return absl::OkStatus();
  }

  absl::Status AddNames(std::string_view object, const InodeRecord& record, Loss* loss) {
    const auto parsed = key::ParseMeta(object);
    loss->names.clear();
    if (parsed && parsed->kind == key::MetaKey::Kind::kGroup) {
      BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            groups_.Of(parsed->content, parsed->id, record.links));
      loss->names = Paths(names);
      loss->has_lost_names = names.empty();
    } else if (parsed && parsed->kind == key::MetaKey::Kind::kRoot) {
      loss->names = {"/"};
    } else if (parsed && parsed->kind == key::MetaKey::Kind::kEntry) {
      loss->names = {Path(zones_, object)};
    }
    return absl::OkStatus();
  }

  std::vector<std::string> Paths(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(Path(zones_, name));
    return paths;
  }

  // Joins bytes that follow those of before in the same object.
  void Say(Loss loss, std::string_view object = {}) {
    const bool goes_on = pending_ && pending_->kind == Loss::Kind::kBytes && loss.kind == Loss::Kind::kBytes &&
                         pending_object_ == object && pending_->changes_only == loss.changes_only &&
                         pending_->but_written == loss.but_written && loss.first <= pending_->last + 1;
    if (goes_on) {
      pending_->last = std::max(pending_->last, loss.last);
      return;
    }
    Finish();
    pending_ = std::move(loss);
    pending_object_ = object;
  }

  const Store& store_;
  const absl::StatusOr<TreeId> meta_;
  ZoneRoots zones_;
  GroupNames groups_;
  absl::FunctionRef<void(const Loss&)> say_;
  std::optional<Loss> pending_;
  std::string pending_object_;
};

// Whether there is only one key between two ranges.
bool IsKeyApart(const Range& range, const Range& next) {
  return !range.hi.past && next.lo == Bound::At(range.hi.bytes + '\0');
}

// Joins ranges that touch or overlap, and those with only a single key between them. The latter is not done for
// content, of which it is said which files have lost some.
void Join(std::vector<store::LostRange>* lost, bool tells_content) {
  const auto place = [](const store::LostRange& range) {
    return std::tie(range.tree, range.changes_only, range.is_partial);
  };
  std::stable_sort(lost->begin(), lost->end(), [&](const store::LostRange& a, const store::LostRange& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.range.lo < b.range.lo;
  });
  std::vector<store::LostRange> joined;
  for (store::LostRange& range : *lost) {
    const bool is_alike = !joined.empty() && !range.tree.empty() && place(joined.back()) == place(range);
    const bool may_skip = is_alike && !range.is_partial && !(tells_content && range.tree == kDataTree);
    const bool skips = may_skip && IsKeyApart(joined.back().range, range.range);
    if (!is_alike || (!skips && joined.back().range.hi < range.range.lo)) {
      joined.push_back(std::move(range));
      continue;
    }
    store::LostRange& last = joined.back();
    last.but_written = last.but_written || range.but_written || skips;
    last.range.hi = std::max(last.range.hi, range.range.hi);
    if (range.why != last.why && !last.why.ends_with(", and more")) last.why += ", and more";
  }
  *lost = std::move(joined);
}

std::string NamesText(const Loss& loss) {
  const std::string_view nameless =
      loss.has_lost_names ? "a file that has lost its names" : "a file that was unlinked, but open";
  std::string text = loss.names.empty() ? std::string(nameless) : Escape(loss.names.front());
  for (size_t i = 1; i < loss.names.size(); ++i) {
    text += absl::StrFormat("%s%s", i == 1 ? " (also " : ", ", Escape(loss.names[i]));
  }
  return text + (loss.names.size() > 1 ? ")" : "");
}

std::string BoundsText(const Loss& loss) {
  if (loss.from.empty() && loss.to.empty()) return "all";
  return absl::StrFormat("from %s %s", loss.from.empty() ? "/" : Escape(loss.from),
                         loss.to.empty() ? "to the end" : "up to " + Escape(loss.to));
}

std::string PartialText(const Loss& loss) {
  std::string place;
  if (loss.kind == Loss::Kind::kNames) place = "names " + BoundsText(loss) + ": ";
  if (loss.kind == Loss::Kind::kKeys) {
    place = absl::StrFormat("tree \"%s\": keys %s: ", Escape(loss.tree), BoundsText(loss));
  }
  if (loss.changes_only && loss.kind == Loss::Kind::kUnknown) return loss.why;
  const std::string_view what = loss.changes_only ? "may be older or missing" : "and further ones";
  return absl::StrFormat("%s%s: %s", place, what, loss.why);
}

}  // namespace

std::string ToText(const Loss& loss) {
  if (loss.is_partial) return PartialText(loss);
  const std::string verb = absl::StrFormat("%s%s", loss.changes_only ? "the latest changes are lost" : "lost",
                                           loss.but_written ? ", but for what was written later" : "");
  switch (loss.kind) {
    case Loss::Kind::kBytes:
      return absl::StrFormat("%s: bytes %u to %u: %s", NamesText(loss), loss.first, loss.last, verb);
    case Loss::Kind::kAttribute:
      return absl::StrFormat("%s: attribute %s: %s", NamesText(loss), Escape(loss.attribute), verb);
    case Loss::Kind::kName:
      return absl::StrFormat("%s: %s (%s)", NamesText(loss), verb, loss.why);
    case Loss::Kind::kNames:
      return absl::StrFormat("names %s: %s (%s)", BoundsText(loss), verb, loss.why);
    case Loss::Kind::kKeys:
      return absl::StrFormat("tree \"%s\": keys %s: %s (%s)", Escape(loss.tree), BoundsText(loss), verb, loss.why);
    case Loss::Kind::kUnknown:
      break;
  }
  return loss.why;
}

std::string_view KindName(Loss::Kind kind) {
  switch (kind) {
    case Loss::Kind::kBytes:
      return "bytes";
    case Loss::Kind::kAttribute:
      return "attribute";
    case Loss::Kind::kName:
      return "name";
    case Loss::Kind::kNames:
      return "names";
    case Loss::Kind::kKeys:
      return "keys";
    case Loss::Kind::kUnknown:
      break;
  }
  return "unknown";
}

void DescribeRanges(std::vector<store::LostRange> lost, absl::FunctionRef<void(const Loss&)> say) {
  Join(&lost, false);
  for (const store::LostRange& range : lost) say(LossOf({}, range));
}

absl::Status DescribeLosses(const Store& store, std::vector<store::LostRange> lost,
                            absl::FunctionRef<void(const Loss&)> say) {
  Join(&lost, true);
  Describer describer(store, say);
  BETR_RETURN_IF_ERROR(describer.Begin());
  for (const store::LostRange& range : lost) BETR_RETURN_IF_ERROR(describer.Add(range));
  describer.Finish();
  return absl::OkStatus();
}

}  // namespace betr::fs
