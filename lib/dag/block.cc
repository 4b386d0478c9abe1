// SPDX-License-Identifier: Apache-2.0
#include "dag/block.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"

namespace betr::dag {
namespace {

// Reads a varint that is known to be well-formed, because Parse has seen it or BlockBuilder wrote it.
uint64_t TrustedVarint(const char*& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) [[likely]] {
      return value;
    }
  }
}

std::string_view TrustedKey(const char* at) {
  const uint64_t key_size = TrustedVarint(at);
  TrustedVarint(at);  // the value's size
  const auto kind = static_cast<MessageKind>(*at++);
  return {at + (kind == MessageKind::kUpsert ? sizeof(uint16_t) : 0), key_size};
}

Point TrustedEntry(const char* at) {
  const uint64_t key_size = TrustedVarint(at);
  const uint64_t value_size = TrustedVarint(at);
  Point entry;
  entry.message.kind = static_cast<MessageKind>(*at++);
  if (entry.message.kind == MessageKind::kUpsert) {
    entry.message.function = LoadFixed<uint16_t>(at);
    at += sizeof(uint16_t);
  }
  entry.key = {at, key_size};
  entry.message.value = {at + key_size, value_size};
  return entry;
}

absl::Status BlockDamage(size_t offset, std::string_view what) {
  return absl::DataLossError(fmt::format("block: byte {}: {}", offset, what));
}

// Reads a size of one or two bytes. False if it is longer, or not in its shortest form. Requires: two bytes are there.
bool ReadUsualSize(const char*& at, size_t& size) {
  const auto low = static_cast<unsigned char>(at[0]);
  const auto high = static_cast<unsigned char>(at[1]);
  if (low < 0x80) {
    size = low;
    at += 1;
    return true;
  }
  size = (low & 0x7f) | static_cast<size_t>(high) << 7;
  at += 2;
  return high > 0 && high < 0x80;
}

// Reads an entry if it is a put or an erase of usual sizes that fills `bytes` exactly. Nearly all entries are, and this
// is much faster than the decoder. An entry for which this is false may be well-formed all the same.
bool ReadUsualEntry(std::string_view bytes, Point& entry) {
  constexpr size_t kSmallest = 5;  // the most that two sizes and a kind take: nothing is read beyond the end
  const char* at = bytes.data();
  size_t key_size = 0;
  size_t value_size = 0;
  if (bytes.size() < kSmallest || !ReadUsualSize(at, key_size) || !ReadUsualSize(at, value_size)) return false;
  entry.message.kind = static_cast<MessageKind>(*at++);
  if (entry.message.kind != MessageKind::kPut && entry.message.kind != MessageKind::kErase) return false;
  if (key_size + value_size != static_cast<size_t>(bytes.data() + bytes.size() - at)) return false;
  entry.key = {at, key_size};
  entry.message.value = {at + key_size, value_size};
  return true;
}

// Validates the entry that must fill `bytes` exactly.
absl::Status ValidateEntry(std::string_view bytes, size_t offset) {
  Decoder in(bytes);
  const uint64_t key_size = in.Varint64();
  const uint64_t value_size = in.Varint64();
  const uint8_t kind = in.Fixed8();
  if (in.ok() && (kind < 1 || kind > 3)) return BlockDamage(offset, fmt::format("unknown message kind {}", kind));
  if (kind == static_cast<uint8_t>(MessageKind::kUpsert)) in.Fixed16();
  if (!in.ok() || key_size > in.remaining() || value_size != in.remaining() - key_size) {
    return BlockDamage(offset, "entry does not fill its place");
  }
  return absl::OkStatus();
}

}  // namespace

Block::Block(std::string payload, size_t erases)
    : payload_(std::move(payload)),
      count_(LoadFixed<uint32_t>(payload_.data() + payload_.size() - 4)),
      offsets_(payload_.data() + payload_.size() - 4 - 4 * count_),
      erases_(erases),
      sample_(count_, [this](size_t index) { return Key(index); }) {}

absl::StatusOr<std::shared_ptr<const Block>> Block::Parse(std::string payload) {
  if (payload.size() < 4) return BlockDamage(0, "too short for a count");
  const uint64_t count = LoadFixed<uint32_t>(payload.data() + payload.size() - 4);
  if (payload.size() > UINT32_MAX || count > (payload.size() - 4) / 4) {
    return BlockDamage(payload.size() - 4, fmt::format("count {} does not fit", count));
  }
  const size_t end = payload.size() - 4 - 4 * count;
  const char* offsets = payload.data() + end;
  std::string_view previous;
  size_t erases = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t from = LoadFixed<uint32_t>(offsets + 4 * i);
    const size_t to = i + 1 < count ? LoadFixed<uint32_t>(offsets + 4 * (i + 1)) : end;
    if (from >= to || to > end || (i == 0 && from != 0)) return BlockDamage(end + 4 * i, "entry offsets do not ascend");
    const std::string_view bytes(payload.data() + from, to - from);
    Point entry;
    if (!ReadUsualEntry(bytes, entry)) {
      BETR_RETURN_IF_ERROR(ValidateEntry(bytes, from));
      entry = TrustedEntry(bytes.data());
    }
    const int order = i == 0 ? 1 : entry.key.compare(previous);
    if (order < 0 || (order == 0 && entry.message.Terminal())) return BlockDamage(from, "keys out of order");
    previous = entry.key;
    erases += entry.message.kind == MessageKind::kErase;
  }
  if (count == 0 && end != 0) return BlockDamage(0, "bytes before the first entry");
  return std::shared_ptr<const Block>(new Block(std::move(payload), erases));
}

Point Block::PointAt(size_t index) const {
  Check(index < count_, "an entry index is in range");
  return TrustedEntry(payload_.data() + LoadFixed<uint32_t>(offsets_ + 4 * index));
}

std::string_view Block::Key(size_t index) const {
  Check(index < count_, "an entry index is in range");
  return TrustedKey(payload_.data() + LoadFixed<uint32_t>(offsets_ + 4 * index));
}

size_t Block::LowerBound(std::string_view bytes, bool past) const {
  auto [lo, hi] = sample_.Around(bytes, past);
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    const std::string_view key = Key(mid);
    if (past ? key.substr(0, bytes.size()) <= bytes : key < bytes) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

size_t Block::GroupEnd(size_t index) const {
  size_t end = index + 1;
  if (end == count_ || At(end).Terminal()) return end;
  const std::string_view key = Key(index);
  for (Point entry = PointAt(end); !entry.message.Terminal() && entry.key == key; entry = PointAt(end)) {
    if (++end == count_) break;
  }
  return end;
}

Bytes BlockBuilder::EntrySize(std::string_view key, const Message& message) {
  const size_t function = message.kind == MessageKind::kUpsert ? sizeof(message.function) : 0;
  return {LengthPrefixedSize(key) + LengthPrefixedSize(message.value) + sizeof(message.kind) + function +
          sizeof(uint32_t)};
}

void BlockBuilder::Add(std::string_view key, const Message& message) {
  Check(Empty() || LastKey() < key || (LastKey() == key && !message.Terminal()), "entries of a block come in order");
  offsets_.push_back(static_cast<uint32_t>(payload_.size()));
  PutVarint64(&payload_, key.size());
  PutVarint64(&payload_, message.value.size());
  payload_.push_back(static_cast<char>(message.kind));
  if (message.kind == MessageKind::kUpsert) PutFixed16(&payload_, message.function);
  erases_ += message.kind == MessageKind::kErase;
  last_key_offset_ = payload_.size();
  last_key_size_ = key.size();
  payload_.append(key);
  payload_.append(message.value);
}

std::string_view BlockBuilder::LastKey() const { return {payload_.data() + last_key_offset_, last_key_size_}; }

std::shared_ptr<const Block> BlockBuilder::Finish() {
  for (const uint32_t offset : offsets_) PutFixed32(&payload_, offset);
  PutFixed32(&payload_, static_cast<uint32_t>(offsets_.size()));
  offsets_.clear();
  last_key_offset_ = last_key_size_ = 0;
  if (payload_.capacity() > payload_.size() + payload_.size() / 8) payload_.shrink_to_fit();
  return std::shared_ptr<const Block>(new Block(std::exchange(payload_, {}), std::exchange(erases_, 0)));
}

}  // namespace betr::dag
