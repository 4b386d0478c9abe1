// SPDX-License-Identifier: Apache-2.0
#include "fs/pending_erases.h"

#include <optional>

#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr uint8_t kInMeta = 0;
constexpr uint8_t kInData = 1;
constexpr uint8_t kAt = 0;
constexpr uint8_t kPast = 1;

void PutBound(std::string* out, const Bound& bound) {
  PutFixed8(out, bound.past ? kPast : kAt);
  PutLengthPrefixed(out, bound.bytes);
}

std::optional<Bound> ReadBound(Decoder* decoder) {
  const uint8_t side = decoder->Fixed8();
  const std::string_view bytes = decoder->LengthPrefixed(kMaxKeySize.value);
  if (!decoder->status("bound").ok() || side > kPast) return std::nullopt;
  return Bound{std::string(bytes), side == kPast};
}

// As EraseKeys, without a way out.
absl::Status EraseOneByOne(Core& core, std::span<const TreeRange> ranges) {
  WriteBatch batch;
  for (const TreeRange& erased : ranges) {
    BETR_ASSIGN_OR_RETURN(const auto cursor, core.store().NewCursor(erased.tree, erased.range));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      batch.Erase(erased.tree, cursor->Key());
      if (batch.Size().value < core.batch_bytes()) continue;
      BETR_RETURN_IF_ERROR(core.store().Write(batch));
      batch.Clear();
    }
    BETR_RETURN_IF_ERROR(cursor->status());
  }
  batch.Erase(core.meta(), key::kErasesKey);
  return core.store().Write(batch);
}

}  // namespace

std::string EncodeErases(TreeId meta, std::span<const TreeRange> ranges) {
  std::string record;
  for (const TreeRange& erased : ranges) {
    PutFixed8(&record, erased.tree == meta ? kInMeta : kInData);
    PutBound(&record, erased.range.lo);
    PutBound(&record, erased.range.hi);
  }
  return record;
}

absl::StatusOr<std::vector<TreeRange>> DecodeErases(TreeId meta, TreeId data, std::string_view record) {
  std::vector<TreeRange> ranges;
  Decoder decoder(record);
  while (decoder.remaining() > 0) {
    const uint8_t tree = decoder.Fixed8();
    const std::optional<Bound> lo = ReadBound(&decoder);
    const std::optional<Bound> hi = ReadBound(&decoder);
    if (tree > kInData || !lo || !hi || *lo >= *hi) return absl::DataLossError("record //e: no list of ranges");
    ranges.push_back({tree == kInMeta ? meta : data, {*lo, *hi}});
    if (ranges.back().range.Contains(key::kRootObject)) return absl::DataLossError("record //e: the whole file system");
  }
  return ranges;
}

void PutErases(const Core& core, std::span<const TreeRange> ranges, WriteBatch* batch) {
  batch->Put(core.meta(), key::kErasesKey, EncodeErases(core.meta(), ranges));
}

absl::Status EraseKeys(Core& core, std::span<const TreeRange> ranges) {
  const absl::Status erased = EraseOneByOne(core, ranges);
  return absl::IsResourceExhausted(erased) ? FinishErases(core) : erased;
}

absl::Status FinishErases(Core& core) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> record, core.GetMeta(key::kErasesKey));
  if (!record) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const std::vector<TreeRange> ranges, DecodeErases(core.meta(), core.data(), *record));
  WriteBatch batch;
  for (const TreeRange& erased : ranges) batch.EraseRange(erased.tree, erased.range);
  batch.Erase(core.meta(), key::kErasesKey);
  return core.store().Write(batch);
}

}  // namespace betr::fs
