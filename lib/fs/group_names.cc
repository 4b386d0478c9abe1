// SPDX-License-Identifier: Apache-2.0
#include "fs/group_names.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <variant>

#include "base/status.h"
#include "fs/key.h"
#include "fs/record.h"

namespace betr::fs {
namespace {

constexpr uint64_t kMaxSearched = uint64_t{1} << 22;  // keys below a home: clones in clones may be very many

}  // namespace

absl::StatusOr<std::vector<std::string>> GroupNames::Of(std::string_view home, uint64_t id, uint32_t links) {
  if (!has_home_ || home_ != home) BETR_RETURN_IF_ERROR(Load(home));
  if (names_[id].size() < links && !has_searched_) {
    BETR_RETURN_IF_ERROR(Search());
    has_searched_ = true;
  }
  return names_[id];
}

absl::Status GroupNames::Load(std::string_view home) {
  names_.clear();
  has_home_ = false;
  has_searched_ = false;
  const std::string front = key::GroupNames(home);
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(meta_, Range::Prefix(front)));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const absl::StatusOr<uint64_t> id = DecodeGroupName(cursor->Value(), "");
    if (!id.ok()) continue;
    names_[*id].push_back(key::Absolute(home, cursor->Key().substr(front.size())));
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  home_ = home;
  has_home_ = true;
  return absl::OkStatus();
}

absl::Status GroupNames::Search() {
  std::set<std::string, std::less<>> listed;
  for (const auto& [id, names] : names_) listed.insert(names.begin(), names.end());
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(meta_, Range::Prefix(home_)));
  uint64_t searched = 0;
  cursor->SeekToFirst();
  while (cursor->Valid() && ++searched <= kMaxSearched) {
    if (home_.empty() && cursor->Key().starts_with(key::kZonesPrefix)) {
      cursor->Seek(Range::Prefix(key::kZonesPrefix).hi);
      continue;
    }
    const std::optional<key::MetaKey> parsed = key::ParseMeta(cursor->Key());
    const bool is_entry = parsed && parsed->kind == key::MetaKey::Kind::kEntry;
    const absl::StatusOr<EntryRecord> entry = DecodeEntry(is_entry ? cursor->Value() : std::string_view(), "");
    const auto* const reference = entry.ok() ? std::get_if<Reference>(&*entry) : nullptr;
    if (reference != nullptr && !listed.contains(cursor->Key())) {
      BETR_ASSIGN_OR_RETURN(const bool has_nearer, HasNearerGroup(parsed->content, reference->id));
      if (!has_nearer) names_[reference->id].emplace_back(cursor->Key());
    }
    cursor->Next();
  }
  return cursor->status();
}

absl::StatusOr<bool> GroupNames::HasNearerGroup(std::string_view content, uint64_t id) const {
  for (size_t size = home_.size(); size < content.size();) {
    size = key::NextContent(content, size);
    BETR_ASSIGN_OR_RETURN(const auto record, store_.Get(meta_, key::Group(content.substr(0, size), id)));
    if (record) return true;
  }
  return false;
}

}  // namespace betr::fs
