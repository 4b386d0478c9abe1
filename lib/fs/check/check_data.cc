// SPDX-License-Identifier: Apache-2.0
// The scan of "data": what belongs to one object comes together, so each record is read once.
#include <absl/strings/str_format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/block_delta.h"
#include "fs/check/check_context.h"
#include "fs/check/check_directory.h"
#include "fs/check/check_mend.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// What reads like a hole.
bool IsBlank(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

class DataScan {
 public:
  explicit DataScan(CheckContext* context) : context_(*context) {}

  absl::Status Run();

 private:
  absl::Status Visit(std::string_view key, std::string_view value);
  absl::Status Enter(std::string_view object);
  void VisitBlock(uint64_t block, std::string_view key, std::string_view value);
  absl::Status VisitXattr(std::string_view name, std::string_view key, std::string_view value);

  // Directories from the root to the one of the object, as far as another one may have the same content.
  struct Directory {
    std::string content;
    std::optional<SubtreeDigest> digest;
    CheckSummary before;
  };
  absl::Status EnterDirectory(std::string_view content);
  void Leave();

  CheckContext& context_;
  std::vector<Directory> stack_;
  SoundSubtrees sound_;
  std::optional<std::string> skip_;  // the content prefix of a directory that need not be walked
  bool entered_ = false;
  std::string object_;
  bool is_global_ = false;
  std::optional<InodeRecord> record_;
};

absl::Status DataScan::Run() {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        context_.store().NewCursor(context_.view(), context_.data()));
  cursor->SeekToFirst();
  while (cursor->Valid()) {
    BETR_RETURN_IF_ERROR(context_.Step());
    if (const auto end = context_.EndOfGarbage(context_.data(), cursor->Key())) {
      cursor->Seek(*end);
      continue;
    }
    BETR_RETURN_IF_ERROR(Visit(cursor->Key(), cursor->Value()));
    if (const auto skip = std::exchange(skip_, std::nullopt)) {
      cursor->Seek(Bound::Past(*skip));
    } else {
      cursor->Next();
    }
  }
  return cursor->status();
}

absl::Status DataScan::EnterDirectory(std::string_view content) {
  while (!stack_.empty() && !content.starts_with(stack_.back().content)) Leave();
  while (!skip_ && (stack_.empty() || stack_.back().content.size() < content.size())) {
    const size_t known = stack_.empty() ? 0 : stack_.back().content.size();
    const size_t next = key::NextContent(content, known);
    if (next == 0 || next > kMaxReach) break;  // the root; and what is no path does not make the stack grow
    Directory directory{std::string(content.substr(0, next)), std::nullopt, context_.summary()};
    if (context_.IsMoved(directory.content)) {
      skip_ = directory.content;
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(directory.digest, context_.Digest(directory.content));
    if (const auto sound = directory.digest ? sound_.find(*directory.digest) : sound_.end(); sound != sound_.end()) {
      context_.summary().blocks += sound->second.blocks;
      skip_ = directory.content;
      return absl::OkStatus();
    }
    stack_.push_back(std::move(directory));
  }
  return absl::OkStatus();
}

void DataScan::Leave() {
  const Directory directory = std::move(stack_.back());
  stack_.pop_back();
  const CheckSummary& now = context_.summary();
  if (!directory.digest || now.findings != directory.before.findings) return;
  SoundTotals totals;
  totals.blocks = now.blocks - directory.before.blocks;
  sound_[*directory.digest] = totals;
}

absl::Status DataScan::Visit(std::string_view key, std::string_view value) {
  const std::optional<key::DataKey> parsed = key::ParseData(key);
  if (!parsed) {
    context_.Guessable(CheckCode::kKey, key, "no such kind of key",
                       [&](WriteBatch* batch) { batch->Erase(context_.data(), key); });
    return absl::OkStatus();
  }
  if (!entered_ || parsed->object != object_) {
    const std::optional<key::MetaKey> object = key::ParseMeta(parsed->object);
    BETR_RETURN_IF_ERROR(EnterDirectory(object ? object->content : ""));
    if (skip_) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(Enter(parsed->object));
  }
  if (is_global_ || !record_) return absl::OkStatus();
  if (parsed->is_xattr) return VisitXattr(parsed->xattr, key, value);
  VisitBlock(parsed->block, key, value);
  return absl::OkStatus();
}

absl::Status DataScan::Enter(std::string_view object) {
  entered_ = true;
  object_ = object;
  // Orphans and scratch space were reported, and reclaimed, with their records. What was moved is still seen where it
  // was.
  is_global_ = object.starts_with(key::kOrphansPrefix) || object.starts_with(key::kScratchPrefix) ||
               context_.IsMoved(key::Attachments(object));
  if (is_global_) return absl::OkStatus();
  record_.reset();
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context_.GetMeta(object));
  if (value) {
    absl::StatusOr<EntryRecord> entry = DecodeEntry(*value, "record");
    if (!entry.ok()) return absl::OkStatus();  // reported by the other scan; nobody knows what belongs to it
    if (InodeRecord* const record = std::get_if<InodeRecord>(&*entry)) record_ = std::move(*record);
  }
  if (record_) return absl::OkStatus();
  LostFile lost;
  if (context_.salvage()) {
    BETR_ASSIGN_OR_RETURN(lost, FindLostFile(&context_, object, value.has_value()));
  }
  BETR_ASSIGN_OR_RETURN(const bool has_content, HasContent(&context_, object));
  context_.Removable(has_content, CheckCode::kContent, object, "content of a file that does not exist",
                     [&](WriteBatch* batch) {
                       if (lost.size > 0) return KeepLostFile(&context_, batch, lost);
                       batch->EraseRange(context_.data(), Range::Prefix(key::Attachments(object)));
                     });
  return absl::OkStatus();
}

void DataScan::VisitBlock(uint64_t block, std::string_view key, std::string_view value) {
  ++context_.summary().blocks;
  constexpr uint64_t kBlock = kFileBlock.value;
  if (record_->type != FileType::kRegular) {
    context_.Removable(!IsBlank(value), CheckCode::kContent, object_,
                       absl::StrFormat("block %u of what is no regular file", block),
                       [&](WriteBatch* batch) { batch->Erase(context_.data(), key); });
    return;
  }
  const uint64_t begin = block * kBlock;
  const uint64_t room = record_->size > begin ? std::min(kBlock, record_->size - begin) : 0;
  if (!value.empty() && value.size() <= room) return;
  const bool is_missed = value.size() > room && !IsBlank(value.substr(room));
  context_.Removable(
      is_missed, CheckCode::kSize, object_,
      absl::StrFormat("block %u has %u bytes, where a size of %u leaves %u", block, value.size(), record_->size, room),
      [&](WriteBatch* batch) {
        batch->Upsert(context_.data(), key, kBlockUpsert, EncodeBlockTruncate(static_cast<uint32_t>(room)));
      });
}

absl::Status DataScan::VisitXattr(std::string_view name, std::string_view key, std::string_view value) {
  const bool known = std::any_of(record_->xattrs.begin(), record_->xattrs.end(),
                                 [&](const XattrRecord& xattr) { return xattr.external && xattr.name == name; });
  if (known) return absl::OkStatus();
  std::string what = absl::StrFormat("a value for %s, which the record does not have", Escape(name));
  const auto erase = [&](WriteBatch* batch) { batch->Erase(context_.data(), key); };
  if (!value.empty()) return context_.LoseXattr(object_, name, std::move(what), erase);
  context_.Mendable(CheckCode::kXattr, object_, std::move(what), erase);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckData(CheckContext* context) { return DataScan(context).Run(); }

}  // namespace betr::fs
