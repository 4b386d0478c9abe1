// SPDX-License-Identifier: Apache-2.0
#include "store/batch_codec.h"

#include <absl/strings/str_format.h>

#include <limits>

#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"

namespace betr::store {
namespace {

constexpr uint8_t kVersion = 1;
// Kind, flags and tree: at least one byte each.
constexpr uint64_t kMinOpSize = 3;

// Visits the fields of a change in their order on disk. `Visitor` is a writer, a measure or a reader. All three go
// through here, so that they cannot disagree. Each has a function for each kind of field.
template <class Visitor, class AnyOp>
void VisitFields(Visitor& visitor, AnyOp& op) {
  visitor.Number(op.tree.value);
  switch (op.kind) {
    case OpKind::kPut:
      visitor.String(op.key, kMaxKeySize);
      return visitor.String(op.value, kMaxValueSize);
    case OpKind::kErase:
      return visitor.String(op.key, kMaxKeySize);
    case OpKind::kUpsert:
      visitor.Function(op.function);
      visitor.String(op.key, kMaxKeySize);
      return visitor.String(op.value, kMaxValueSize);
    case OpKind::kEraseRange:
      visitor.Bound(op.range.lo);
      return visitor.Bound(op.range.hi);
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix:
      visitor.String(op.key, kMaxKeySize);
      visitor.Number(op.to_tree.value);
      return visitor.String(op.value, kMaxKeySize);
    case OpKind::kCreateTree:
      visitor.String(op.key, kMaxTreeNameSize);
      visitor.Number(op.to_tree.value);
      return visitor.String(op.value, kMaxCompressionNameSize);
    case OpKind::kSnapshot:
      visitor.String(op.key, kMaxTreeNameSize);
      return visitor.Number(op.to_tree.value);
    case OpKind::kDropTree:
      return;
  }
  visitor.UnknownKind();
}

class Measure {
 public:
  void Number(uint64_t value) { size_ += VarintSize(value); }
  void Function(uint16_t value) { size_ += VarintSize(value); }
  void String(std::string_view bytes, Bytes) { size_ += LengthPrefixedSize(bytes); }
  void Bound(const betr::Bound& bound) { size_ += 1 + LengthPrefixedSize(bound.bytes); }
  void UnknownKind() {}

  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
};

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  void Number(uint64_t value) { PutVarint64(out_, value); }
  void Function(uint16_t value) { PutVarint64(out_, value); }
  void String(std::string_view bytes, Bytes) { PutLengthPrefixed(out_, bytes); }
  void Bound(const betr::Bound& bound) {
    PutFixed8(out_, bound.past ? 1 : 0);
    PutLengthPrefixed(out_, bound.bytes);
  }
  void UnknownKind() {}

 private:
  std::string* out_;
};

class Reader {
 public:
  explicit Reader(Decoder* decoder) : decoder_(decoder) {}

  void Number(uint64_t& value) { value = decoder_->Varint64(); }
  void Function(uint16_t& value) {
    value = static_cast<uint16_t>(decoder_->Varint64AtMost(std::numeric_limits<uint16_t>::max()));
  }
  void String(std::string& bytes, Bytes max) { bytes = decoder_->LengthPrefixed(max.value); }
  void Bound(betr::Bound& bound) {
    const uint8_t side = decoder_->Fixed8();
    if (side > 1) decoder_->Fail(absl::StrFormat("%u is no side of a bound", side));
    bound.past = side == 1;
    String(bound.bytes, kMaxRangeBoundSize);
  }
  void UnknownKind() { decoder_->Fail("an unknown kind of change"); }

 private:
  Decoder* decoder_;
};

absl::Status ReadFlags(Decoder* decoder) {
  const size_t position = decoder->position();
  const uint8_t flags = decoder->Fixed8();
  if (flags == 0) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrFormat("batch: byte %u: unknown flags 0x%02x", position, flags));
}

}  // namespace

Bytes EncodedSize(const Op& op) {
  Measure measure;
  VisitFields(measure, op);
  return Bytes{2 + measure.size()};
}

BatchSize SizeOf(std::span<const Op> ops) {
  BatchSize size;
  size.bytes = Bytes{1 + VarintSize(ops.size())};
  size.changes = ops.size();
  for (const Op& op : ops) {
    size.bytes += EncodedSize(op);
    if (op.kind == OpKind::kEraseRange) {
      ++size.ranges;
      size.bounds += Bytes{op.range.lo.bytes.size() + op.range.hi.bytes.size()};
    } else if (op.kind == OpKind::kClonePrefix || op.kind == OpKind::kRenamePrefix) {
      ++size.ranges;
      size.bounds += Bytes{op.key.size() + op.value.size()} * 2;
    }
  }
  return size;
}

std::string EncodeBatch(std::span<const Op> ops) {
  std::string bytes;
  bytes.reserve(SizeOf(ops).bytes.value);
  PutFixed8(&bytes, kVersion);
  PutVarint64(&bytes, ops.size());
  Writer writer(&bytes);
  for (const Op& op : ops) {
    PutFixed8(&bytes, static_cast<uint8_t>(op.kind));
    PutFixed8(&bytes, 0);
    VisitFields(writer, op);
  }
  return bytes;
}

absl::StatusOr<std::vector<Op>> DecodeBatch(std::string_view bytes) {
  Decoder decoder(bytes);
  const uint8_t version = decoder.Fixed8();
  if (decoder.ok() && version != kVersion) {
    return absl::UnimplementedError(absl::StrFormat("batch: version %u is unknown", version));
  }
  const size_t count = decoder.Count(kMaxBatchOps, kMinOpSize);
  std::vector<Op> ops;
  Reader reader(&decoder);
  for (size_t i = 0; i < count && decoder.ok(); ++i) {
    Op op;
    op.kind = static_cast<OpKind>(decoder.Fixed8());
    BETR_RETURN_IF_ERROR(ReadFlags(&decoder));
    VisitFields(reader, op);
    ops.push_back(std::move(op));
  }
  BETR_RETURN_IF_ERROR(decoder.Finish("batch"));
  const absl::Status status = ValidateOps(ops);
  if (!status.ok()) return absl::DataLossError(absl::StrFormat("batch: %s", status.message()));
  return ops;
}

}  // namespace betr::store
