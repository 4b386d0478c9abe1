// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_zones.h"

#include <absl/strings/str_format.h>

#include <memory>
#include <optional>

#include "base/status.h"
#include "fs/check/check_mend.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// Zones that no directory is the root of. What only "data" has of them the other scan finds.
absl::Status CheckRootless(CheckContext* context) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        context->store().NewCursor(context->view(), context->meta(), Range::Prefix(key::kZonesPrefix)));
  cursor->SeekToFirst();
  while (cursor->Valid()) {
    BETR_RETURN_IF_ERROR(context->Step());
    if (const auto end = context->EndOfGarbage(context->meta(), cursor->Key())) {
      cursor->Seek(*end);
      continue;
    }
    const uint64_t zone = key::ZoneOf(cursor->Key());
    if (zone == 0) {
      context->Guessable(CheckCode::kKey, cursor->Key(), "no such kind of key",
                         [&](WriteBatch* batch) { batch->Erase(context->meta(), cursor->Key()); });
      cursor->Next();
      continue;
    }
    if (!context->zones().Contains(zone)) {
      std::string place;
      if (context->salvage()) {
        BETR_ASSIGN_OR_RETURN(place, context->lost_and_found().PlaceFor(absl::StrFormat("zone-%u", zone)));
      }
      context->Guessable(CheckCode::kZone, key::Zone(zone), absl::StrFormat("zone %u is that of no directory", zone),
                         [&](WriteBatch* batch) {
                           InodeRecord root = NewDirectory(context->FreshNumber(batch));
                           root.zone = zone;
                           batch->Put(context->meta(), place, EncodeInode(root));
                         });
    }
    cursor->Seek(Bound::Past(key::Zone(zone)));
  }
  return cursor->status();
}

absl::Status CheckVersion(CheckContext* context) {
  if (context->zones().Empty()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, context->GetMeta(key::kVersionKey));
  absl::StatusOr<VersionRecord> version = DecodeVersion(bytes.value_or(""));
  if (!version.ok() || version->has_zones) return absl::OkStatus();
  context->Mendable(CheckCode::kZone, key::kVersionKey, "the version is one without zones, and there are some",
                    [&](WriteBatch* batch) {
                      version->has_zones = true;
                      batch->Put(context->meta(), key::kVersionKey, EncodeVersion(*version));
                    });
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckZones(CheckContext* context) {
  BETR_RETURN_IF_ERROR(CheckRootless(context));
  return CheckVersion(context);
}

}  // namespace betr::fs
