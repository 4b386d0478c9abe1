// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_home.h"

#include <absl/container/btree_map.h>
#include <absl/strings/str_format.h>

#include <memory>
#include <optional>

#include "base/status.h"
#include "fs/check/check_inode.h"
#include "fs/check/check_mend.h"
#include "fs/check/check_unlisted.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr size_t kGroupsAtOnce = 1 << 18;

using Counts = absl::btree_map<uint64_t, GroupCount>;  // in order: what is found is told in the same one each time

// Reads up to kGroupsAtOnce groups from the cursor on.
absl::Status ReadGroups(CheckContext* context, Cursor* groups, Counts* counts) {
  for (; groups->Valid() && counts->size() < kGroupsAtOnce; groups->Next()) {
    BETR_RETURN_IF_ERROR(context->Step());
    const std::optional<key::MetaKey> parsed = key::ParseMeta(groups->Key());
    if (!parsed) continue;  // the scan reports it
    absl::StatusOr<InodeRecord> record = DecodeInode(groups->Value(), "record of a link group");
    if (!record.ok()) {
      context->BadRecord(groups->Key(), record.status());
      continue;
    }
    if (record->IsDirectory()) {
      context->Guessable(CheckCode::kGroup, groups->Key(), "a directory with several names",
                         [&](WriteBatch* batch) { batch->Erase(context->meta(), groups->Key()); });
    }
    CheckNumber(context, groups->Key(), record->number);
    BETR_RETURN_IF_ERROR(CheckXattrs(context, groups->Key(), &*record));
    GroupCount& count = (*counts)[parsed->id];
    count.links = record->links;
    count.has_unlisted = context->unlisted().contains(std::string(groups->Key()));
  }
  return groups->status();
}

// Whether a name is a reference to the group.
absl::StatusOr<bool> RefersTo(CheckContext* context, std::string_view name, uint64_t id) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context->GetMeta(name));
  const absl::StatusOr<EntryRecord> entry = DecodeEntry(value.value_or(""), "record");
  const Reference* const reference = entry.ok() ? std::get_if<Reference>(&*entry) : nullptr;
  return reference != nullptr && reference->id == id;
}

// Counts the names of the groups that the home lists. Names that are none are reported once.
absl::Status CountNames(CheckContext* context, const std::string& content, bool report, Counts* counts) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> names,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::GroupNames(content))));
  for (names->SeekToFirst(); names->Valid(); names->Next()) {
    BETR_RETURN_IF_ERROR(context->Step());
    const std::optional<key::MetaKey> parsed = key::ParseMeta(names->Key());
    if (!parsed) continue;  // the scan reports it
    const std::string name = key::Absolute(content, parsed->relative);
    const absl::StatusOr<uint64_t> id = DecodeGroupName(names->Value(), "name of a link group");
    BETR_ASSIGN_OR_RETURN(const bool is_true, id.ok() ? RefersTo(context, name, *id) : absl::StatusOr<bool>(false));
    const auto count = id.ok() ? counts->find(*id) : counts->end();
    if (count != counts->end()) count->second.Add(name, is_true);
    if (is_true || !report || context->HasMovedNames()) continue;
    const bool is_clue = count != counts->end() && count->second.has_unlisted;  // to what an unlisted name was
    context->Removable(is_clue, CheckCode::kGroupName, names->Key(), "listed as the name of a link group, and is none",
                       [&](WriteBatch* batch) { batch->Erase(context->meta(), names->Key()); });
  }
  return names->status();
}

// A group without names.
absl::Status JudgeNameless(CheckContext* context, const std::string& object, const std::string& what) {
  BETR_ASSIGN_OR_RETURN(const std::optional<InodeRecord> record, context->GetInode(object));
  BETR_ASSIGN_OR_RETURN(const bool has_content, HasContent(context, object));
  std::optional<LostGroup> lost;
  if (context->salvage()) {
    BETR_ASSIGN_OR_RETURN(lost, FindLostGroup(context, object));
  }
  const bool is_missed = has_content || (record && IsWorthKeeping(*record));
  context->Removable(is_missed, CheckCode::kGroup, object, what, [&](WriteBatch* batch) {
    if (lost) return KeepLostGroup(context, batch, object, *lost);
    EraseGroup(context, batch, object);
  });
  return absl::OkStatus();
}

// Names that the home does not list are the group's, or lost; what is left without a name goes to /lost+found.
absl::Status JudgeGroups(CheckContext* context, const std::string& content, Counts* counts) {
  for (auto& [id, count] : *counts) {
    BETR_RETURN_IF_ERROR(context->Step());
    if (context->HasMovedNames()) continue;
    BETR_RETURN_IF_ERROR(SettleUnlisted(context, content, id, &count));
    if (count.links == count.names || count.is_open) continue;
    const std::string object = key::Group(content, id);
    const std::string what = absl::StrFormat("link group %u in /%s has %u names and %u links", id,
                                             context->PathOf(content), count.names, count.links);
    if (count.names == 0) {
      BETR_RETURN_IF_ERROR(JudgeNameless(context, object, what));
      continue;
    }
    context->Mendable(CheckCode::kLinks, object, what, [&, count = count](WriteBatch* batch) {
      AttributeDelta delta;
      delta.links = int64_t{count.names} - int64_t{count.links};
      context->MendRecord(batch, object, delta);
    });
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckHome(CheckContext* context, const std::string& content) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> groups,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::Groups(content))));
  groups->SeekToFirst();
  bool first = true;
  do {
    Counts counts;
    BETR_RETURN_IF_ERROR(ReadGroups(context, groups.get(), &counts));
    BETR_RETURN_IF_ERROR(CountNames(context, content, first, &counts));
    BETR_RETURN_IF_ERROR(JudgeGroups(context, content, &counts));
    first = false;
  } while (groups->Valid());
  return groups->status();
}

}  // namespace betr::fs
