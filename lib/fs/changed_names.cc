// SPDX-License-Identifier: Apache-2.0
#include "fs/changed_names.h"

#include <algorithm>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// A block as it reads, without the zeros at its end.
std::string_view Shown(std::optional<std::string_view> block) {
  const std::string_view bytes = block.value_or("");
  return bytes.substr(0, bytes.find_last_not_of('\0') + 1);
}

absl::StatusOr<std::unique_ptr<DifferenceCursor>> FirstDifference(const TreesAt& trees, TreeId tree,
                                                                  const std::string& before, const std::string& after) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<DifferenceCursor> cursor,
                        trees.store->NewDifference(trees.view, {tree, before}, {tree, after}));
  cursor->Seek(Bound::At(""));
  return cursor;
}

}  // namespace

absl::StatusOr<AttachmentDifference> PassAttachments(DifferenceCursor& cursor, std::string_view prefix) {
  AttachmentDifference found;
  while (cursor.Valid() && cursor.Key().starts_with(prefix)) {
    if (key::IsXattr(cursor.Key().substr(prefix.size()))) {
      found.xattrs = true;
      cursor.Seek(Bound::Past(prefix));
    } else if (Shown(cursor.Before()) == Shown(cursor.After())) {
      cursor.Next();
    } else {
      found.content = true;
      cursor.Seek(key::XattrsUnder(prefix));
    }
  }
  BETR_RETURN_IF_ERROR(cursor.status());
  return found;
}

absl::StatusOr<ChangedNames> ChangedNames::Open(const TreesAt& trees, const std::string& before,
                                                const std::string& after) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<DifferenceCursor> meta, FirstDifference(trees, trees.meta, before, after));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<DifferenceCursor> data, FirstDifference(trees, trees.data, before, after));
  return ChangedNames(std::move(meta), std::move(data));
}

absl::StatusOr<std::optional<ChangedNames::Name>> ChangedNames::Next() {
  const std::optional<std::string> in_meta = FindInMeta();
  const std::optional<std::string> in_data = FindInData();
  const std::optional<std::string> added = FindAdded();
  BETR_RETURN_IF_ERROR(meta_->status());
  BETR_RETURN_IF_ERROR(data_->status());
  std::optional<Name> name;
  for (const std::optional<std::string>& entry : {in_meta, in_data, added}) {
    if (entry && (!name || *entry < name->entry)) name = Name{*entry, false, {}};
  }
  if (!name) return name;
  if (in_meta == name->entry) {
    name->is_own = true;
    meta_->Next();
  }
  if (in_data == name->entry) {
    name->is_own = true;
    BETR_ASSIGN_OR_RETURN(name->attachments, PassAttachments(*data_, key::Attachments(name->entry)));
  }
  added_.erase(name->entry);
  return name;
}

std::optional<std::string> ChangedNames::FindInMeta() {
  while (meta_->Valid()) {
    if (PassSkipped(*meta_)) continue;
    const std::optional<key::MetaKey> key = key::ParseMeta(meta_->Key());
    if (!key) {
      meta_->Next();
      continue;
    }
    const std::string content(key->content);
    switch (key->kind) {
      case key::MetaKey::Kind::kEntry:
        return std::string(meta_->Key());
      case key::MetaKey::Kind::kGroup:
      case key::MetaKey::Kind::kGroupName:
        NoteHome(content);
        meta_->Seek(
            Bound::Past(key->kind == key::MetaKey::Kind::kGroup ? key::Groups(content) : key::GroupNames(content)));
        break;
      default:
        meta_->Seek(Bound::Past(key::kGlobalPrefix));
    }
  }
  return std::nullopt;
}

std::optional<std::string> ChangedNames::FindInData() {
  while (data_->Valid()) {
    if (PassSkipped(*data_)) continue;
    const std::optional<key::DataKey> key = key::ParseData(data_->Key());
    const std::optional<key::MetaKey> object = key ? key::ParseMeta(key->object) : std::nullopt;
    if (!object) {
      data_->Next();
      continue;
    }
    switch (object->kind) {
      case key::MetaKey::Kind::kEntry:
        return std::string(key->object);
      case key::MetaKey::Kind::kGroup: {
        const std::string content(object->content);
        NoteHome(content);
        data_->Seek(Bound::Past(key::Groups(content)));
        break;
      }
      default:
        data_->Seek(Bound::Past(key::kGlobalPrefix));
    }
  }
  return std::nullopt;
}

std::optional<std::string> ChangedNames::FindAdded() {
  while (!added_.empty() && SkippedAround(*added_.begin()) != nullptr) added_.erase(added_.begin());
  return added_.empty() ? std::nullopt : std::optional(*added_.begin());
}

// Skipped prefixes do not lie in each other, since nothing in one of them is returned.
const std::string* ChangedNames::SkippedAround(std::string_view key) const {
  const auto behind = skipped_.upper_bound(std::string(key));
  return behind != skipped_.begin() && key.starts_with(*std::prev(behind)) ? &*std::prev(behind) : nullptr;
}

bool ChangedNames::PassSkipped(DifferenceCursor& cursor) const {
  const std::string* const skipped = SkippedAround(cursor.Key());
  if (skipped != nullptr) cursor.Seek(Bound::Past(*skipped));
  return skipped != nullptr;
}

// Does not note the two directories themselves. The caller looks for their groups anyway, since homes above them have
// some, too.
void ChangedNames::NoteHome(std::string_view content) {
  if (!content.empty() && homes_.emplace(content).second) new_homes_.emplace_back(content);
}

}  // namespace betr::fs
