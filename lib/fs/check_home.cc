// SPDX-License-Identifier: Apache-2.0
#include "fs/check_home.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_format.h>

#include <memory>

#include "base/status.h"
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
    const absl::StatusOr<InodeRecord> record = DecodeInode(groups->Value(), "record of a link group");
    if (!record.ok()) {
      context->Broken(CheckCode::kKey, groups->Key(), std::string(record.status().message()));
      continue;
    }
    if (record->IsDirectory()) context->Broken(CheckCode::kGroup, groups->Key(), "a directory with several names");
    (*counts)[parsed->id].links = record->links;
  }
  return groups->status();
}

absl::Status CountNames(CheckContext* context, const std::string& content, Counts* counts) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> names,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::GroupNames(content))));
  for (names->SeekToFirst(); names->Valid(); names->Next()) {
    BETR_RETURN_IF_ERROR(context->Step());
    const absl::StatusOr<uint64_t> id = DecodeGroupName(names->Value(), "name of a link group");
    const auto count = id.ok() ? counts->find(*id) : counts->end();
    if (count != counts->end()) ++count->second.names;
  }
  return names->status();
}

void JudgeGroups(CheckContext* context, const std::string& content, const Counts& counts) {
  for (const auto& [id, count] : counts) {
    if (count.links == count.names) continue;
    const std::string object = key::Group(content, id);
    const auto mend = [&, id = id, count = count](WriteBatch* batch) {
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
                                             key::PathOfContent(content), count.names, count.links);
    context->Mendable(count.names == 0 ? CheckCode::kGroup : CheckCode::kLinks, object, what, mend);
  }
}

// Every listed name is a reference to the group that it is listed for.
absl::Status CheckNames(CheckContext* context, const std::string& content) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> names,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::GroupNames(content))));
  for (names->SeekToFirst(); names->Valid(); names->Next()) {
    BETR_RETURN_IF_ERROR(context->Step());
    const std::optional<key::MetaKey> parsed = key::ParseMeta(names->Key());
    if (!parsed) continue;  // the scan reports it
    const std::string entry = content + std::string(parsed->relative);
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context->GetMeta(entry));
    const absl::StatusOr<uint64_t> id = DecodeGroupName(names->Value(), "name of a link group");
    const absl::StatusOr<EntryRecord> found = DecodeEntry(value.value_or(""), "record");
    const Reference* const reference = found.ok() ? std::get_if<Reference>(&*found) : nullptr;
    if (id.ok() && reference != nullptr && reference->id == *id) continue;
    context->Mendable(CheckCode::kGroupName, entry, "listed as the name of a link group, and is none",
                      [&](WriteBatch* batch) { batch->Erase(context->meta(), names->Key()); });
  }
  return names->status();
}

}  // namespace

absl::Status CheckHome(CheckContext* context, const std::string& content) {
  BETR_RETURN_IF_ERROR(CheckNames(context, content));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> groups,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::Groups(content))));
  groups->SeekToFirst();
  while (groups->Valid()) {
    Counts counts;
    BETR_RETURN_IF_ERROR(ReadGroups(context, groups.get(), &counts));
    BETR_RETURN_IF_ERROR(CountNames(context, content, &counts));
    JudgeGroups(context, content, counts);
  }
  return groups->status();
}

}  // namespace betr::fs
