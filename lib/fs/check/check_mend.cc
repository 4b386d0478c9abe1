// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_mend.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/inode_number.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr uint32_t kPrivateDirectory = 0700;
constexpr uint32_t kPrivateFile = 0600;
constexpr uint32_t kRootPermissions = 0755;
constexpr uint64_t kRootNumber = 1;

}  // namespace

InodeRecord NewDirectory(uint64_t number) {
  InodeRecord record;
  record.type = FileType::kDirectory;
  record.permissions = kPrivateDirectory;
  record.links = 2;
  record.number = number;
  record.salt = SaltOfClone(number);
  return record;
}

std::string NewRootRecord(std::string_view key) {
  if (key == key::kVersionKey) return EncodeVersion({});
  if (key == key::kNumberBoundKey) return EncodeNumberBound(kFirstNumberBound);
  InodeRecord root = NewDirectory(kRootNumber);
  root.permissions = kRootPermissions;
  root.salt = 0;
  root.link_home = true;
  return EncodeInode(root);
}

absl::StatusOr<bool> HasContent(CheckContext* context, std::string_view object) {
  BETR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cursor> cursor,
      context->store().NewCursor(context->view(), context->data(), Range::Prefix(key::Attachments(object))));
  cursor->SeekToFirst();
  while (cursor->Valid() && cursor->Value().empty()) cursor->Next();
  BETR_RETURN_IF_ERROR(cursor->status());
  return cursor->Valid();
}

absl::StatusOr<LostFile> FindLostFile(CheckContext* context, std::string_view object, bool is_named) {
  LostFile file;
  file.object = object;
  const std::optional<key::MetaKey> parsed = key::ParseMeta(object);
  using Kind = key::MetaKey::Kind;
  if (!parsed || (parsed->kind != Kind::kEntry && parsed->kind != Kind::kGroup)) return file;
  // Blocks come before xattrs.
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        context->store().NewCursor(context->view(), context->data(), key::BlocksFrom(object, 0)));
  cursor->SeekToLast();
  BETR_RETURN_IF_ERROR(cursor->status());
  const std::optional<key::DataKey> last = cursor->Valid() ? key::ParseData(cursor->Key()) : std::nullopt;
  if (!last) return file;
  file.size = last->block * kFileBlock.value + cursor->Value().size();
  BETR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cursor> xattrs,
      context->store().NewCursor(context->view(), context->data(), Range::Prefix(key::Xattr(object, ""))));
  xattrs->SeekToFirst();
  BETR_RETURN_IF_ERROR(xattrs->status());
  file.has_xattrs = xattrs->Valid();
  LostAndFound& lost_and_found = context->lost_and_found();
  BETR_ASSIGN_OR_RETURN(const std::string content, lost_and_found.Content());
  // Where space is short a record at its own path is all that is written.
  const bool may_stay = !is_named && (object.starts_with(content) || !context->HasRoomToMove());
  if (parsed->kind == Kind::kEntry && may_stay) {
    file.target = object;
    return file;
  }
  BETR_ASSIGN_OR_RETURN(file.target, lost_and_found.PlaceForObject(object));
  return file;
}

void KeepLostFile(CheckContext* context, WriteBatch* batch, const LostFile& file) {
  InodeRecord record;
  record.permissions = kPrivateFile;
  record.number = context->FreshNumber(batch);
  record.size = file.size;
  // Nothing may have touched the source in this batch before: then a small file moves as puts (store/small_copy.h), and
  // thousands of them do not make the tree high.
  if (file.target != file.object) {
    batch->RenamePrefix(context->data(), key::Attachments(file.object), context->data(), key::Attachments(file.target));
  }
  if (file.has_xattrs) batch->EraseRange(context->data(), Range::Prefix(key::Xattr(file.target, "")));
  batch->Put(context->meta(), file.target, EncodeInode(record));
}

bool IsWorthKeeping(const InodeRecord& group) {
  return group.size > 0 || group.type == FileType::kSymlink || !group.xattrs.empty();
}

absl::StatusOr<std::optional<LostGroup>> FindLostGroup(CheckContext* context, std::string_view object) {
  BETR_ASSIGN_OR_RETURN(std::optional<InodeRecord> record, context->GetInode(object));
  if (!record || !IsWorthKeeping(*record)) return std::nullopt;
  // Without values they are told as lost already, and go with the record that is there now.
  std::vector<XattrRecord> kept;
  for (XattrRecord& xattr : record->xattrs) {
    std::optional<std::string> value;
    if (xattr.external) {
      BETR_ASSIGN_OR_RETURN(value, context->GetData(key::Xattr(object, xattr.name)));
    }
    if (!xattr.external || (value && value->size() == xattr.size)) kept.push_back(std::move(xattr));
  }
  record->xattrs = std::move(kept);
  BETR_ASSIGN_OR_RETURN(std::string target, context->lost_and_found().PlaceForObject(object));
  return LostGroup{*std::move(record), std::move(target)};
}

void KeepLostGroup(CheckContext* context, WriteBatch* batch, std::string_view object, LostGroup group) {
  group.record.links = 1;
  group.record.number = context->FreshNumber(batch);  // its own is that of another file where it has come from a clone
  context->MoveAttachments(batch, object, group.target);
  batch->Erase(context->meta(), object);
  batch->Put(context->meta(), group.target, EncodeInode(group.record));
}

void EraseGroup(CheckContext* context, WriteBatch* batch, std::string_view object) {
  batch->Erase(context->meta(), object);
  context->EraseAttachments(batch, object);
}

}  // namespace betr::fs
