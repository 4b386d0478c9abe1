// SPDX-License-Identifier: Apache-2.0
#include "fs/difference.h"

#include <absl/strings/str_format.h>

#include <cerrno>
#include <utility>
#include <variant>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

FileAttributes Shown(const InodeRecord& record) {
  FileAttributes attributes = AttributesOf(record, 0);
  attributes.inode_number = 0;
  return attributes;
}

// Of two of one type.
bool AreAlike(const FileAttributes& a, const FileAttributes& b) {
  return a.permissions == b.permissions && a.uid == b.uid && a.gid == b.gid && a.device == b.device &&
         a.size == b.size && a.modified == b.modified;
}

// The content prefixes of a directory and of those above it, nearest first.
std::vector<std::string> ContentsAbove(std::string_view content) {
  std::vector<std::string> contents = {""};
  for (size_t size = 0; size < content.size();) {
    size = key::NextContent(content, size);
    contents.insert(contents.begin(), std::string(content.substr(0, size)));
  }
  return contents;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DifferenceStream>> Difference::Of(Core& core, Inode& before, Inode& after) {
  if (core.zones().exist) return ErrnoError(ENOTSUP, "differences in an image with zones");
  // As in a listing: if the store takes no more writes now, they are a bit older.
  core.Flush().IgnoreError();
  auto difference = std::make_unique<Difference>();
  BETR_ASSIGN_OR_RETURN(difference->before_, SideOf(core, before));
  BETR_ASSIGN_OR_RETURN(difference->after_, SideOf(core, after));
  difference->trees_ = {&core.store(), core.store().Pin(), core.meta(), core.data()};
  return difference;
}

absl::StatusOr<Difference::Side> Difference::SideOf(Core& core, Inode& inode) {
  if (inode.place == InodePlace::kGone) return ErrnoError(inode.IsDirectory() ? ENOENT : ESTALE, "what was removed");
  return Side{{inode.record, core.ObjectOf(inode), inode.place == InodePlace::kGroup},
              inode.IsDirectory() ? core.ContentOf(inode) : std::string()};
}

absl::StatusOr<std::optional<EntryDifference>> Difference::Next() {
  if (!has_compared_tops_) {
    has_compared_tops_ = true;
    BETR_ASSIGN_OR_RETURN(std::optional<EntryDifference> of_tops, CompareObjects("", before_.top, after_.top, {}));
    if (of_tops) return of_tops;
  }
  const bool are_directories = before_.top.record.IsDirectory() && after_.top.record.IsDirectory();
  if (are_directories && !names_) BETR_RETURN_IF_ERROR(OpenNames());
  while (are_directories) {
    BETR_ASSIGN_OR_RETURN(const std::optional<ChangedNames::Name> name, names_->Next());
    BETR_RETURN_IF_ERROR(AddLinkedOfNewHomes());
    if (name) {
      BETR_ASSIGN_OR_RETURN(std::optional<EntryDifference> found, CompareName(*name));
      if (found) {
        return found;
      }
    } else if (!names_->HasAdded()) {
      break;
    }
  }
  return std::optional<EntryDifference>();
}

absl::Status Difference::OpenNames() {
  BETR_ASSIGN_OR_RETURN(names_, ChangedNames::Open(trees_, before_.content, after_.content));
  BETR_RETURN_IF_ERROR(AddLinked(before_));
  return AddLinked(after_);
}

absl::Status Difference::AddLinked(const Side& side) {
  for (const std::string& home : ContentsAbove(side.content)) BETR_RETURN_IF_ERROR(AddLinked(side, home, side.content));
  return absl::OkStatus();
}

absl::Status Difference::AddLinkedOfNewHomes() {
  for (const std::string& home : names_->TakeHomes()) {
    BETR_RETURN_IF_ERROR(AddLinked(before_, before_.content + home, before_.content + home));
    BETR_RETURN_IF_ERROR(AddLinked(after_, after_.content + home, after_.content + home));
  }
  return absl::OkStatus();
}

absl::Status Difference::AddLinked(const Side& side, const std::string& home, const std::string& below) {
  const std::string list = key::GroupName(home, key::Relative(home, below));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        trees_.store->NewCursor(trees_.view, trees_.meta, Range::Prefix(list)));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const std::optional<key::MetaKey> key = key::ParseMeta(cursor->Key());
    if (!key || key->kind != key::MetaKey::Kind::kGroupName) continue;
    const std::string object = key::Absolute(home, key->relative);
    if (object.starts_with(below)) {  // else it is forged
      names_->Add(object.substr(side.content.size()));
    }
  }
  return cursor->status();
}

absl::StatusOr<std::optional<EntryDifference>> Difference::CompareName(const ChangedNames::Name& name) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value_before, Value(before_, name.entry));
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value_after, Value(after_, name.entry));
  if (!name.is_own && value_before != value_after) {
    return std::optional<EntryDifference>();  // told for its own sake
  }
  BETR_ASSIGN_OR_RETURN(const std::optional<Found> before, Find(before_, name.entry, value_before));
  BETR_ASSIGN_OR_RETURN(const std::optional<Found> after, Find(after_, name.entry, value_after));
  const bool was_directory = before && before->record.IsDirectory();
  const bool is_directory = after && after->record.IsDirectory();
  if (was_directory != is_directory) {
    const std::optional<key::MetaKey> key = key::ParseMeta(name.entry);
    names_->Skip(key::Content(key->content, key->name));
  }
  return CompareObjects(key::PathOfObject(name.entry), before, after, name.attachments);
}

absl::StatusOr<std::optional<std::string>> Difference::Value(const Side& side, const std::string& entry) const {
  return trees_.store->Get(*trees_.view, trees_.meta, side.content + entry);
}

absl::StatusOr<std::optional<Difference::Found>> Difference::Find(const Side& side, const std::string& entry,
                                                                  const std::optional<std::string>& value) const {
  if (!value) return std::optional<Found>();
  BETR_ASSIGN_OR_RETURN(Found found, FindEntry(side.content + entry, *value));
  return std::optional(std::move(found));
}

absl::StatusOr<Difference::Found> Difference::FindEntry(const std::string& object, std::string_view value) const {
  BETR_ASSIGN_OR_RETURN(EntryRecord record, DecodeEntry(value, key::PathOfObject(object)));
  if (InodeRecord* const own = std::get_if<InodeRecord>(&record)) return Found{std::move(*own), object, false};
  return FindGroup(std::get<Reference>(record), object);
}

absl::StatusOr<Difference::Found> Difference::FindGroup(const Reference& reference, const std::string& entry) const {
  const std::string what = key::PathOfObject(entry);
  const std::optional<key::MetaKey> key = key::ParseMeta(entry);
  for (const std::string& home : ContentsAbove(key->content)) {
    const std::string object = key::Group(home, reference.id);
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, trees_.store->Get(*trees_.view, trees_.meta, object));
    if (value) {
      BETR_ASSIGN_OR_RETURN(InodeRecord record, DecodeGroup(*value, what));
      BETR_RETURN_IF_ERROR(CheckIsMeant(reference, record, what));
      return Found{std::move(record), object, true};
    }
  }
  return absl::DataLossError(absl::StrFormat("%s: link group %u is missing", what, reference.id));
}

// `attachments`: what is known already of files that have one name each.
absl::StatusOr<std::optional<EntryDifference>> Difference::CompareObjects(const std::string& path,
                                                                          const std::optional<Found>& before,
                                                                          const std::optional<Found>& after,
                                                                          AttachmentDifference attachments) const {
  std::optional<EntryDifference> difference({.path = path, .before = std::nullopt, .after = std::nullopt});
  if (before) difference->before = Shown(before->record);
  if (after) difference->after = Shown(after->record);
  if (!before || !after || before->record.type != after->record.type) {
    return before || after ? std::move(difference) : std::nullopt;
  }
  if (path.empty() || before->is_group || after->is_group) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<DifferenceCursor> cursor,
                          trees_.store->NewDifference(trees_.view, {trees_.data, key::Attachments(before->object)},
                                                      {trees_.data, key::Attachments(after->object)}));
    cursor->Seek(Bound::At(""));
    BETR_ASSIGN_OR_RETURN(attachments, PassAttachments(*cursor, ""));
  }
  difference->content =
      attachments.content || before->record.size != after->record.size || before->record.target != after->record.target;
  difference->xattrs = attachments.xattrs || before->record.xattrs != after->record.xattrs;
  if (!difference->content && !difference->xattrs && AreAlike(*difference->before, *difference->after)) {
    return std::optional<EntryDifference>();
  }
  return difference;
}

absl::Status Difference::VisitAll(absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const {
  for (const Side* side : {&before_, &after_}) {
    BETR_RETURN_IF_ERROR(visit(Shown(side->top.record)));
    if (side->top.record.IsDirectory()) BETR_RETURN_IF_ERROR(VisitBelow(side->content, visit));
  }
  return absl::OkStatus();
}

absl::Status Difference::VisitBelow(const std::string& content,
                                    absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        trees_.store->NewCursor(trees_.view, trees_.meta, Range::Prefix(content)));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const std::optional<key::MetaKey> key = key::ParseMeta(cursor->Key());
    if (!key || key->kind != key::MetaKey::Kind::kEntry) continue;
    BETR_ASSIGN_OR_RETURN(const Found found, FindEntry(std::string(cursor->Key()), cursor->Value()));
    BETR_RETURN_IF_ERROR(visit(Shown(found.record)));
  }
  return cursor->status();
}

}  // namespace betr::fs
