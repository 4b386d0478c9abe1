// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>

#include "base/escape.h"
#include "base/status.h"
#include "fs/content.h"
#include "fs/key.h"
#include "fs/transaction.h"

namespace betr::fs {
namespace {

using Xattrs = std::vector<XattrRecord>;

Xattrs::iterator FindXattr(Xattrs* xattrs, std::string_view name) {
  const auto at = std::lower_bound(xattrs->begin(), xattrs->end(), name,
                                   [](const XattrRecord& xattr, std::string_view other) { return xattr.name < other; });
  return at != xattrs->end() && at->name == name ? at : xattrs->end();
}

absl::Status CheckXattrName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameSize) return ErrnoError(ERANGE, "name of an extended attribute");
  if (name.find('\0') != std::string_view::npos) return ErrnoError(EINVAL, "name of an extended attribute");
  return absl::OkStatus();
}

// Whether a value goes into the record, beside those of the others.
bool FitsInline(const Xattrs& xattrs, std::string_view name, std::string_view value) {
  size_t total = value.size();
  for (const XattrRecord& xattr : xattrs) total += xattr.name == name ? 0 : xattr.value.size();
  return value.size() <= kMaxInlineXattr && total <= kMaxInlineXattrs;
}

// Returns where a name is among the xattrs. Adds it if `mode` allows that.
absl::StatusOr<Xattrs::iterator> PlaceFor(Xattrs* xattrs, std::string_view name, XattrMode mode) {
  const auto at = FindXattr(xattrs, name);
  if (at != xattrs->end()) {
    if (mode == XattrMode::kCreate) return ErrnoError(EEXIST, name);
    return at;
  }
  if (mode == XattrMode::kReplace) return ErrnoError(ENODATA, name);
  if (!XattrNamesFit(*xattrs, name)) return ErrnoError(ENOSPC, "names of extended attributes");
  XattrRecord added;
  added.name = name;
  return xattrs->insert(std::lower_bound(xattrs->begin(), xattrs->end(), added,
                                         [](const XattrRecord& a, const XattrRecord& b) { return a.name < b.name; }),
                        added);
}

// The same for what was removed and has no content, such as a directory that is still open, or a fifo, which the kernel
// opens without us. Its record, with all values, is in memory only.
absl::Status SetOfRemoved(Core& core, Inode& inode, std::string_view name, std::string_view value, XattrMode mode) {
  if (inode.record.type == FileType::kRegular) return ErrnoError(ESTALE, "a removed file");
  InodeRecord record = inode.record;
  BETR_ASSIGN_OR_RETURN(const Xattrs::iterator at, PlaceFor(&record.xattrs, name, mode));
  at->external = false;
  at->size = static_cast<uint32_t>(value.size());
  at->value = value;
  size_t total = 0;
  for (const XattrRecord& xattr : record.xattrs) total += xattr.value.size();
  if (total > kMaxXattrSize.value) return ErrnoError(ENOSPC, "extended attributes of what was removed");
  record.changed = core.Now();
  inode.record = std::move(record);
  return absl::OkStatus();
}

// Gives one of `xattrs` its value: in the record or, if it is too large beside the others, under `key`.
void PutValue(Transaction* transaction, Core& core, const std::string& key, std::string_view value,
              const Xattrs& xattrs, XattrRecord* xattr) {
  const bool was_external = xattr->external;
  xattr->external = !FitsInline(xattrs, xattr->name, value);
  xattr->size = static_cast<uint32_t>(value.size());
  xattr->value = xattr->external ? std::string() : std::string(value);
  if (xattr->external) {
    transaction->batch().Put(core.data(), key, value);
  } else if (was_external) {
    transaction->batch().Erase(core.data(), key);
  }
}

absl::Status CheckXattr(std::string_view name, std::string_view value) {
  BETR_RETURN_IF_ERROR(CheckXattrName(name));
  return value.size() > kMaxXattrSize.value ? ErrnoError(E2BIG, "value of an extended attribute") : absl::OkStatus();
}

// The inode's record becomes `record`, whose xattrs have changed. Requires: it has a place.
absl::Status CommitRecord(Core& core, Transaction* transaction, Inode& inode, InodeRecord record) {
  record.changed = transaction->now();
  transaction->PutRecord(core.ObjectOf(inode), record, inode);
  BETR_RETURN_IF_ERROR(transaction->Commit());
  inode.record = std::move(record);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> GetXattr(Core& core, Inode& inode, std::string_view name) {
  BETR_RETURN_IF_ERROR(CheckXattrName(name));
  const auto found = FindXattr(&inode.record.xattrs, name);
  if (found == inode.record.xattrs.end()) return ErrnoError(ENODATA, name);
  if (!found->external) return found->value;
  if (inode.place == InodePlace::kGone) {
    // A caller that found a file by a name looks again, and finds what has the name now.
    return inode.IsDirectory() ? ErrnoError(ENODATA, name) : ErrnoError(ESTALE, name);
  }
  absl::StatusOr<std::optional<std::string>> value =
      core.store().Get(core.data(), key::Xattr(core.ObjectOf(inode), name));
  if (!value.ok()) return Annotate(value.status(), Escape(name));
  if (!*value) return absl::DataLossError(Escape(name) + ": the value of this extended attribute is missing");
  return **std::move(value);
}

absl::Status SetXattr(Core& core, Inode& inode, std::string_view name, std::string_view value, XattrMode mode) {
  BETR_RETURN_IF_ERROR(CheckXattr(name, value));
  if (inode.place == InodePlace::kGone) return SetOfRemoved(core, inode, name, value, mode);
  InodeRecord record = inode.record;
  BETR_ASSIGN_OR_RETURN(const Xattrs::iterator at, PlaceFor(&record.xattrs, name, mode));
  Transaction transaction(&core);
  PutValue(&transaction, core, key::Xattr(core.ObjectOf(inode), name), value, record.xattrs, &*at);
  return CommitRecord(core, &transaction, inode, std::move(record));
}

absl::Status AddXattrs(Transaction* transaction, Core& core, const std::string& object, const NewFile& file,
                       InodeRecord* record) {
  for (const auto& [name, value] : file.xattrs) {
    BETR_RETURN_IF_ERROR(CheckXattr(name, value));
    BETR_ASSIGN_OR_RETURN(const Xattrs::iterator at, PlaceFor(&record->xattrs, name, XattrMode::kCreate));
    PutValue(transaction, core, key::Xattr(object, name), value, record->xattrs, &*at);
  }
  return absl::OkStatus();
}

absl::Status RemoveXattr(Core& core, Inode& inode, std::string_view name) {
  BETR_RETURN_IF_ERROR(CheckXattrName(name));
  InodeRecord record = inode.record;
  const auto at = FindXattr(&record.xattrs, name);
  if (at == record.xattrs.end()) return ErrnoError(ENODATA, name);
  if (inode.place == InodePlace::kGone) {
    if (inode.record.type == FileType::kRegular) return ErrnoError(ESTALE, "a removed file");
    record.xattrs.erase(at);
    record.changed = core.Now();
    inode.record = std::move(record);
    return absl::OkStatus();
  }
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  if (at->external) transaction.batch().Erase(core.data(), key::Xattr(core.ObjectOf(inode), name));
  record.xattrs.erase(at);
  return CommitRecord(core, &transaction, inode, std::move(record));
}

}  // namespace betr::fs
