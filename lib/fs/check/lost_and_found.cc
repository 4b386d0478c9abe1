// SPDX-License-Identifier: Apache-2.0
#include "fs/check/lost_and_found.h"

#include <absl/strings/str_format.h>

#include <memory>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/key.h"
#include "fs/record.h"

namespace betr::fs {
namespace {

constexpr std::string_view kName = "lost+found";
constexpr size_t kRoomForAgain = 32;  // "again-1/" of what has a namesake

// Keys below the root of a zone do not begin with its path.
bool IsPlainDirectory(const EntryRecord& entry) {
  const auto* const record = std::get_if<InodeRecord>(&entry);
  return record != nullptr && record->IsDirectory() && record->zone == 0;
}

std::string EntryOf(std::string_view content) {
  const std::string_view path = content.substr(0, content.size() - 1);
  const size_t name = path.rfind('\0') + 1;
  return key::Entry(path.substr(0, name), path.substr(name));
}

// Its path as a content prefix, outside of zones.
std::string PlainPathOf(std::string_view object) {
  const std::optional<key::MetaKey> parsed = key::ParseMeta(object);
  Check(parsed.has_value(), "an object has a key that can be parsed");
  const bool is_group = parsed->kind == key::MetaKey::Kind::kGroup;
  return key::OutOfZone(
      key::Content(parsed->content, is_group ? absl::StrFormat("link-%u", parsed->id) : std::string(parsed->name)));
}

// The end of a content prefix, of whole names, that has at most so many bytes.
std::string_view EndOfPath(std::string_view content, size_t size) {
  while (content.size() > size) content.remove_prefix(content.find('\0') + 1);
  return content;
}

}  // namespace

absl::StatusOr<std::string> LostAndFoundName(const Store& store, TreeId meta) {
  for (int number = 1;; ++number) {
    std::string name = number == 1 ? std::string(kName) : absl::StrFormat("%s-%d", kName, number);
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, store.Get(meta, key::Entry("", name)));
    if (!value) return name;
    const absl::StatusOr<EntryRecord> entry = DecodeEntry(*value, "record");
    // A damaged record is made anew as a directory's.
    if (entry.ok() ? IsPlainDirectory(*entry) : absl::IsDataLoss(entry.status())) return name;
  }
}

absl::StatusOr<std::string> LostAndFound::Content() {
  if (!content_) {
    BETR_ASSIGN_OR_RETURN(const std::string name, LostAndFoundName(store_, meta_));
    content_ = key::Content("", name);
  }
  return *content_;
}

absl::StatusOr<std::string> LostAndFound::PlaceForContent(std::string_view content) {
  return FirstFree(key::OutOfZone(content), content);
}

absl::StatusOr<std::string> LostAndFound::PlaceForObject(std::string_view object) {
  BETR_ASSIGN_OR_RETURN(const std::string directory, Content());
  if (object.starts_with(directory)) object.remove_prefix(directory.size());
  BETR_ASSIGN_OR_RETURN(const std::string content, FirstFree(PlainPathOf(object), ""));
  return EntryOf(content);
}

absl::StatusOr<std::string> LostAndFound::PlaceFor(std::string_view name) {
  BETR_ASSIGN_OR_RETURN(const std::string content, FirstFree(key::Content("", name), ""));
  return EntryOf(content);
}

absl::StatusOr<std::string> LostAndFound::ShortPlaceFor(std::string_view object, std::string_view content) {
  const std::string path = PlainPathOf(object);
  const size_t name = path.rfind('\0', path.size() - 2) + 1;  // 0 if there is nothing above
  return FirstFree(std::string_view(path).substr(name), content);
}

absl::StatusOr<std::string> LostAndFound::FirstFree(std::string_view content, std::string_view below) {
  BETR_ASSIGN_OR_RETURN(const std::string directory, Content());
  content = EndOfPath(content, kMaxPathSize - directory.size() - kRoomForAgain);
  std::string place = directory;
  for (int again = 1;; ++again) {
    place.append(content);
    BETR_ASSIGN_OR_RETURN(const bool is_free, IsFree(place));
    if (is_free && (below.empty() || !place.starts_with(below))) {
      given_.insert(place);
      return place;
    }
    place = key::Content(directory, absl::StrFormat("again-%d", again));
  }
}

absl::StatusOr<bool> LostAndFound::IsFree(std::string_view content) const {
  const auto given = given_.lower_bound(content);
  if (given != given_.end() && given->starts_with(content)) return false;
  const std::string entry = EntryOf(content);
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> record, store_.Get(meta_, entry));
  if (record) return false;
  for (const auto& [tree, prefix] :
       {std::pair(meta_, std::string(content)), {data_, std::string(content)}, {data_, key::Attachments(entry)}}) {
    BETR_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(tree, prefix));
    if (!is_empty) return false;
  }
  return true;
}

absl::StatusOr<bool> LostAndFound::IsEmpty(TreeId tree, std::string_view prefix) const {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(tree, Range::Prefix(prefix)));
  cursor->SeekToFirst();
  BETR_RETURN_IF_ERROR(cursor->status());
  return !cursor->Valid();
}

}  // namespace betr::fs
