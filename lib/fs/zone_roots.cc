// SPDX-License-Identifier: Apache-2.0
#include "fs/zone_roots.h"

#include <memory>
#include <optional>

#include "base/status.h"
#include "fs/key.h"
#include "fs/record.h"

namespace betr::fs {

absl::StatusOr<ZoneRoots> ZoneRoots::In(const Store& store, TreeId meta) {
  ZoneRoots roots;
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, store.Get(meta, key::kVersionKey));
  const absl::StatusOr<VersionRecord> version = DecodeVersion(bytes.value_or(""));
  if (!version.ok() || !version->has_zones) return roots;
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(meta));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const absl::StatusOr<EntryRecord> entry = DecodeEntry(cursor->Value(), "record");
    const auto* const record = entry.ok() ? std::get_if<InodeRecord>(&*entry) : nullptr;
    if (record != nullptr && record->zone != 0) roots.Add(record->zone, cursor->Key());
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  return roots;
}

bool ZoneRoots::Add(uint64_t zone, std::string_view object) {
  const auto [at, is_new] = objects_.emplace(zone, object);
  return is_new || at->second == object;
}

std::string ZoneRoots::WithoutZones(std::string_view key) const {
  std::string result(key);
  // In a damaged image a zone may lie in itself.
  while (result.size() <= kMaxKeySize.value) {
    const auto root = objects_.find(key::ZoneOf(result));
    const auto object = root != objects_.end() ? key::ParseMeta(root->second) : std::nullopt;
    if (!object || object->kind != key::MetaKey::Kind::kEntry) break;
    result = key::Content(object->content, object->name).append(key::InZone(result));
  }
  return key::OutOfZone(result);
}

}  // namespace betr::fs
