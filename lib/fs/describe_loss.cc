// SPDX-License-Identifier: Apache-2.0
#include "fs/describe_loss.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/coding.h"
#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/key.h"
#include "fs/record.h"

namespace betr::fs {
namespace {

constexpr size_t kBlockNumberSize = 8;
constexpr uint64_t kMaxBlocks = kMaxFileSize / kFileBlock;

std::string_view Verb(const store::LostRange& lost) {
  return lost.changes_only ? "the latest changes are lost" : "lost";
}

// A position between keys as people write it: names with slashes, as far as the key goes.
std::string PathOfBound(const Bound& bound) {
  std::string path;
  for (const char byte : bound.bytes) {
    if (byte != '\0') {
      path.push_back(byte);
    } else if (!path.empty() && path.back() != '/') {
      path.push_back('/');
    }
  }
  return "/" + Escape(path) + (bound.past ? "..." : "");
}

std::string Describe(const Range& range) {
  if (range == Range::All()) return "all";
  if (range.hi == Range::All().hi) return "from " + PathOfBound(range.lo) + " to the end";
  return "from " + PathOfBound(range.lo) + " up to " + PathOfBound(range.hi);
}

// The first block of the object that lies behind the bound.
uint64_t FirstBlockAfter(const Bound& bound, std::string_view attachments) {
  if (!bound.bytes.starts_with(attachments)) {
    return bound <= Bound::At(attachments) ? 0 : kMaxBlocks;
  }
  std::string number = bound.bytes.substr(attachments.size());
  const size_t given = std::min(number.size(), kBlockNumberSize);
  const bool is_within = number.size() > kBlockNumberSize || bound.past;
  number.resize(kBlockNumberSize, '\0');
  const uint64_t block = LoadBigEndian64(number.data());
  if (!is_within) return std::min(block, kMaxBlocks);
  const uint64_t step = given == 0 ? kMaxBlocks : uint64_t{1} << (8 * (kBlockNumberSize - given));
  return block > kMaxBlocks - std::min(step, kMaxBlocks) ? kMaxBlocks : block + step;
}

// Where in "meta" the record of the object lies to which the bound belongs, or before it.
Bound RecordOf(const Bound& bound) {
  for (size_t size = bound.bytes.size(); size > 0; --size) {
    const std::string_view front = std::string_view(bound.bytes).substr(0, size);
    if (bound.bytes.size() > size && bound.bytes[size] == '\0' && key::ParseMeta(front)) return Bound::At(front);
  }
  return bound;
}

class Files {
 public:
  Files(const store::LostRange& lost, uint64_t limit, absl::FunctionRef<void(const std::string&)> say)
      : lost_(lost), limit_(limit), say_(say) {}

  absl::StatusOr<uint64_t> Run(const Store& store, TreeId meta) {
    const Range records{RecordOf(lost_.range.lo), lost_.range.hi};
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(meta, records));
    for (cursor->SeekToFirst(); cursor->Valid() && lines_ < limit_; cursor->Next()) {
      Visit(cursor->Key(), cursor->Value());
    }
    BETR_RETURN_IF_ERROR(cursor->status());
    return lines_;
  }

 private:
  void Visit(std::string_view key, std::string_view value) {
    const absl::StatusOr<EntryRecord> entry = DecodeEntry(value, "record");
    const InodeRecord* const record = entry.ok() ? std::get_if<InodeRecord>(&*entry) : nullptr;
    if (record == nullptr || record->type != FileType::kRegular) return;
    const std::string attachments = key::Attachments(key);
    const uint64_t begin = FirstBlockAfter(lost_.range.lo, attachments) * kFileBlock.value;
    const uint64_t end = std::min(FirstBlockAfter(lost_.range.hi, attachments) * kFileBlock.value, record->size);
    if (begin >= end) return;
    ++lines_;
    say_(absl::StrFormat("/%s: bytes %u to %u: %s", key::PathOfObject(key), begin, end - 1, Verb(lost_)));
  }

  const store::LostRange& lost_;
  const uint64_t limit_;
  absl::FunctionRef<void(const std::string&)> say_;
  uint64_t lines_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> DescribeLoss(const Store& store, const store::LostRange& lost, uint64_t limit,
                                      absl::FunctionRef<void(const std::string&)> say) {
  if (limit == 0) return 0;
  const absl::StatusOr<TreeId> meta = store.FindTree(kMetaTree);
  if (lost.tree == kDataTree && meta.ok()) return Files(lost, limit, say).Run(store, *meta);
  const std::string_view what = lost.tree == kMetaTree ? "names" : "keys";
  const std::string place = lost.tree == kMetaTree ? "" : absl::StrFormat("tree \"%s\": ", Escape(lost.tree));
  say(absl::StrFormat("%s%s %s: %s (%s)", place, what, Describe(lost.range), Verb(lost), lost.why));
  return 1;
}

}  // namespace betr::fs
