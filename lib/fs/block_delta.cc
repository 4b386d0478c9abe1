// SPDX-License-Identifier: Apache-2.0
#include "fs/block_delta.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "betr/filesystem.h"

namespace betr::fs {
namespace {

constexpr uint32_t kBlock = kFileBlock.value;
constexpr size_t kMaxEdits = 16;

using Kind = BlockEdit::Kind;

void PutEdit(std::string* out, const BlockEdit& edit) {
  PutFixed8(out, static_cast<uint8_t>(edit.kind));
  PutVarint64(out, edit.offset);
  if (edit.kind == Kind::kWrite) PutLengthPrefixed(out, edit.bytes);
  if (edit.kind == Kind::kZero) PutVarint64(out, edit.size);
}

std::string EncodeOne(const BlockEdit& edit) {
  Check(edit.offset + edit.size + edit.bytes.size() <= kBlock, "an edit stays inside its block");
  std::string out;
  PutEdit(&out, edit);
  return out;
}

BlockEdit GetEdit(Decoder* in) {
  BlockEdit edit;
  const uint8_t kind = in->Fixed8();
  edit.kind = static_cast<Kind>(kind);
  edit.offset = static_cast<uint32_t>(in->Varint64AtMost(kBlock));
  if (edit.kind == Kind::kWrite) {
    edit.bytes = in->LengthPrefixed(kBlock - edit.offset);
  } else if (edit.kind == Kind::kZero) {
    edit.size = static_cast<uint32_t>(in->Varint64AtMost(kBlock - edit.offset));
  } else if (edit.kind != Kind::kTruncate) {
    in->Fail("no such edit");
  }
  return edit;
}

void ApplyEdit(std::string* value, const BlockEdit& edit) {
  switch (edit.kind) {
    case Kind::kWrite:
      if (value->size() < edit.offset + edit.bytes.size()) value->resize(edit.offset + edit.bytes.size());
      value->replace(edit.offset, edit.bytes.size(), edit.bytes);
      break;
    case Kind::kZero:
      if (edit.offset < value->size()) {
        const size_t end = std::min<size_t>(value->size(), edit.offset + edit.size);
        std::fill(value->begin() + edit.offset, value->begin() + static_cast<ptrdiff_t>(end), '\0');
      }
      break;
    case Kind::kTruncate:
      if (edit.offset < value->size()) value->resize(edit.offset);
      break;
  }
}

// The two writes as one in `joined` (newer bytes win), if they touch.
bool JoinWrites(const BlockEdit& older, const BlockEdit& newer, std::string* joined, BlockEdit* result) {
  const size_t older_end = older.offset + older.bytes.size();
  const size_t newer_end = newer.offset + newer.bytes.size();
  if (older.kind != Kind::kWrite || newer.kind != Kind::kWrite) return false;
  if (newer.offset > older_end || older.offset > newer_end) return false;
  const uint32_t begin = std::min(older.offset, newer.offset);
  joined->assign(std::max(older_end, newer_end) - begin, '\0');
  joined->replace(older.offset - begin, older.bytes.size(), older.bytes);
  joined->replace(newer.offset - begin, newer.bytes.size(), newer.bytes);
  result->offset = begin;
  result->bytes = *joined;
  return true;
}

}  // namespace

std::string EncodeBlockWrite(uint32_t offset, std::string_view bytes) {
  return EncodeOne({Kind::kWrite, offset, 0, bytes});
}

std::string EncodeBlockZero(uint32_t offset, uint32_t size) { return EncodeOne({Kind::kZero, offset, size, {}}); }

std::string EncodeBlockTruncate(uint32_t size) { return EncodeOne({Kind::kTruncate, size, 0, {}}); }

std::vector<BlockEdit> DecodeBlockDelta(std::string_view delta) {
  Decoder in(delta);
  std::vector<BlockEdit> edits;
  while (in.ok() && in.remaining() > 0 && edits.size() < kMaxEdits) edits.push_back(GetEdit(&in));
  if (!in.Finish("block delta").ok()) edits.clear();
  return edits;
}

std::optional<std::string> BlockUpsert::Apply(std::optional<std::string_view> old, std::string_view delta) const {
  std::string value(old.value_or(std::string_view()));
  for (const BlockEdit& edit : DecodeBlockDelta(delta)) ApplyEdit(&value, edit);
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

std::optional<std::string> BlockUpsert::Compose(std::string_view older, std::string_view newer) const {
  std::vector<BlockEdit> edits = DecodeBlockDelta(older);
  const std::vector<BlockEdit> more = DecodeBlockDelta(newer);
  if (edits.empty() || more.empty()) return std::nullopt;
  std::string joined;
  BlockEdit join;
  size_t begin = 0;
  if (JoinWrites(edits.back(), more.front(), &joined, &join)) {
    edits.back() = join;
    begin = 1;
  }
  edits.insert(edits.end(), more.begin() + static_cast<ptrdiff_t>(begin), more.end());
  size_t bytes = 0;
  for (const BlockEdit& edit : edits) bytes += edit.bytes.size();
  if (edits.size() > kMaxEdits || bytes > kBlock) return std::nullopt;
  std::string out;
  for (const BlockEdit& edit : edits) PutEdit(&out, edit);
  return out;
}

}  // namespace betr::fs
