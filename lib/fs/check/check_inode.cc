// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_inode.h"

#include <absl/strings/str_format.h>

#include <optional>
#include <vector>

#include "base/escape.h"
#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
void CheckNumber(CheckContext* context, std::string_view key, uint64_t number) {
  const uint64_t bound = context->number_bound();
  if (number - bound >= kNumbersAhead) return;
  if (context->only_raises_bound()) return context->SetNumberBound(number + 1);
  context->Mendable(CheckCode::kNumber, key, absl::StrFormat("number %u is not below the bound %u", number, bound),
                    [&](WriteBatch* batch) {
                      context->SetNumberBound(number + 1);
                      batch->Put(context->meta(), key::kNumberBoundKey, EncodeNumberBound(number + 1));
                    });
}

void CheckLinks(CheckContext* context, std::string_view key, const InodeRecord& record, uint64_t links,
                std::string_view of) {
  if (record.links == links) return;
  context->Mendable(CheckCode::kLinks, key,
                    absl::StrFormat("%u links of %s that should have %u", record.links, of, links),
                    [&](WriteBatch* batch) {
                      AttributeDelta delta;
                      delta.links = static_cast<int64_t>(links) - int64_t{record.links};
                      context->MendRecord(batch, key, delta);
                    });
}

absl::Status CheckXattrs(CheckContext* context, std::string_view key, InodeRecord* record) {
  const std::vector<XattrRecord> xattrs = record->xattrs;
  for (const XattrRecord& xattr : xattrs) {
    if (!xattr.external) continue;
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context->GetData(key::Xattr(key, xattr.name)));
    if (value && value->size() == xattr.size) continue;
    const auto drop = [&](WriteBatch* batch) {
      std::erase_if(record->xattrs, [&](const XattrRecord& other) { return other.name == xattr.name; });
      batch->Put(context->meta(), key, EncodeInode(*record));
      if (value) batch->Erase(context->data(), key::Xattr(key, xattr.name));
    };
    BETR_RETURN_IF_ERROR(
        context->LoseXattr(key, xattr.name,
                           absl::StrFormat("the value of %s should have %u bytes, found %d", Escape(xattr.name),
                                           xattr.size, value ? static_cast<int64_t>(value->size()) : -1),
                           drop));
  }
  return absl::OkStatus();
}

}  // namespace betr::fs
