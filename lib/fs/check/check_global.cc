// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_global.h"

#include <utility>

#include "fs/check/check_inode.h"
#include "fs/pending_erases.h"

namespace betr::fs {

void CheckGlobal(CheckContext* context, const key::MetaKey& parsed, std::string_view key, std::string_view value) {
  using Kind = key::MetaKey::Kind;
  if (parsed.kind == Kind::kOrphan) {
    context->Harmless(CheckCode::kOrphan, key, "unlinked, but open when the store was last used");
  }
  if (parsed.kind == Kind::kErases && !DecodeErases(context->meta(), context->data(), value).ok()) {
    context->Guessable(CheckCode::kLeftover, key, "no list of ranges",
                       [&](WriteBatch* batch) { batch->Erase(context->meta(), key); });
  } else if (parsed.kind == Kind::kErases) {
    context->Harmless(CheckCode::kLeftover, key, "ranges that were being erased when an operation was interrupted");
    context->EraseGarbage();
  } else if (parsed.kind == Kind::kScratch) {
    context->Harmless(CheckCode::kLeftover, key, "left by an operation that was interrupted");
  }
}

absl::Status CheckRootRecord(CheckContext* context, CheckedDirectory* root) {
  if (!root->exists) return absl::OkStatus();
  InodeRecord& record = root->record;
  if (std::exchange(record.zone, 0) != 0) {
    context->Guessable(CheckCode::kRoot, key::kRootObject, "the root directory is in a zone",
                       [&](WriteBatch* batch) { batch->Put(context->meta(), key::kRootObject, EncodeInode(record)); });
  }
  CheckNumber(context, key::kRootObject, record.number);
  return CheckXattrs(context, key::kRootObject, &record);
}

}  // namespace betr::fs
