// SPDX-License-Identifier: Apache-2.0
#include "fs/check_home.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_format.h>

#include <memory>
#include <optional>

#include "base/status.h"
#include "fs/check_inode.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr size_t kGroupsAtOnce = 1 << 18;

struct Count {
  uint32_t links = 0;  // as the record says
  uint32_t names = 0;  // as listed
};
using Counts = absl::flat_hash_map<uint64_t, Count>;

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
    (*counts)[parsed->id].links = record->links;
  }
  return groups->status();
}

// Whether the name under the cursor is a reference to the group that it is listed for; that group.
absl::StatusOr<std::optional<uint64_t>> TrueName(CheckContext* context, const std::string& content,
                                                 const Cursor& names) {
  const std::optional<key::MetaKey> parsed = key::ParseMeta(names.Key());
  if (!parsed) return std::nullopt;  // the scan reports it
  const absl::StatusOr<uint64_t> id = DecodeGroupName(names.Value(), "name of a link group");
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                        context->GetMeta(key::Absolute(content, parsed->relative)));
  const absl::StatusOr<EntryRecord> entry = DecodeEntry(value.value_or(""), "record");
  const Reference* const reference = entry.ok() ? std::get_if<Reference>(&*entry) : nullptr;
  if (!id.ok() || reference == nullptr || reference->id != *id) return std::nullopt;
  return *id;
}

// Counts the true names of the groups; what the home does not list counts too. Names that are none are reported once.
absl::Status CountNames(CheckContext* context, const std::string& content, bool report, Counts* counts) {
  for (auto& [id, count] : *counts) {
    const auto unlisted = context->unlisted().find(key::Group(content, id));
    if (unlisted != context->unlisted().end()) count.names = unlisted->second;
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> names,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::GroupNames(content))));
  for (names->SeekToFirst(); names->Valid(); names->Next()) {
    BETR_RETURN_IF_ERROR(context->Step());
    BETR_ASSIGN_OR_RETURN(const std::optional<uint64_t> id, TrueName(context, content, *names));
    const auto count = id ? counts->find(*id) : counts->end();
    if (count != counts->end()) ++count->second.names;
    if (id || !report || !key::ParseMeta(names->Key())) continue;
    context->Mendable(CheckCode::kGroupName, names->Key(), "listed as the name of a link group, and is none",
                      [&](WriteBatch* batch) { batch->Erase(context->meta(), names->Key()); });
  }
  return names->status();
}

absl::Status JudgeGroups(CheckContext* context, const std::string& content, const Counts& counts) {
  for (const auto& [id, count] : counts) {
    BETR_RETURN_IF_ERROR(context->Step());
    if (count.links == count.names) continue;
    const std::string object = key::Group(content, id);
    const auto mend = [&, count = count](WriteBatch* batch) {
      if (count.names == 0) {
        batch->Erase(context->meta(), object);
        batch->EraseRange(context->data(), Range::Prefix(key::Attachments(object)));
        return;
      }
      AttributeDelta delta;
      delta.links = int64_t{count.names} - int64_t{count.links};
      context->MendRecord(batch, object, delta);
    };
    const std::string what = absl::StrFormat("link group %u in /%s has %u names and %u links", id,
                                             context->PathOf(content), count.names, count.links);
    context->Mendable(count.names == 0 ? CheckCode::kGroup : CheckCode::kLinks, object, what, mend);
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
    BETR_RETURN_IF_ERROR(JudgeGroups(context, content, counts));
    first = false;
  } while (groups->Valid());
  return groups->status();
}

}  // namespace betr::fs
