// SPDX-License-Identifier: Apache-2.0
// A block is an immutable sorted array of (key, messages): the points of a sealed run of messages, or a basement
// of a leaf (there every message is a put and every key has one). Blocks are shared by every node version that
// needs them and are the unit of partial loading, compression and checksums.
//
// Payload, all integers little-endian:
//   entry*          varint key size, varint value size, u8 kind, [u16 function if upsert], key, value
//   u32 offset*     of every entry, ascending
//   u32             number of entries
// Invariants
//   1. Keys ascend. Entries of one key stand together, oldest first.
//   2. Of the entries of one key only the first may be terminal.
//   3. A block that came from disk has passed Parse: every access afterwards is in bounds.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "dag/bound.h"
#include "dag/key_sample.h"
#include "dag/message.h"

namespace betr::dag {

// What an entry takes besides key and value, if these are not large: two varints, the kind, its offset.
inline constexpr uint64_t kUsualEntryOverhead = 7;  // bytes

struct Point {
  std::string_view key;
  Message message;
};

class Block {
 public:
  // Takes over a payload and validates all of it. Errors: kDataLoss saying what is wrong at which byte.
  // Cost: one pass over the payload.
  static absl::StatusOr<std::shared_ptr<const Block>> Parse(std::string payload);

  size_t Count() const { return count_; }
  // How many of the entries are erases.
  size_t Erases() const { return erases_; }
  std::string_view Payload() const { return payload_; }
  Bytes MemoryBytes() const { return Bytes{payload_.capacity() + sizeof(Block)} + sample_.MemoryBytes(); }

  // Requires: index < Count().
  Point PointAt(size_t index) const;
  std::string_view Key(size_t index) const;
  Message At(size_t index) const { return PointAt(index).message; }

  // The first entry at or after the bound; Count() if there is none. O(log n).
  size_t LowerBound(const Bound& bound) const { return LowerBound(bound.bytes, bound.past); }
  size_t LowerBound(std::string_view key) const { return LowerBound(key, false); }
  // One past the entries that have the same key as `index`.
  size_t GroupEnd(size_t index) const;

 private:
  friend class BlockBuilder;
  Block(std::string payload, size_t erases);
  size_t LowerBound(std::string_view bytes, bool past) const;

  const std::string payload_;
  const size_t count_;
  const char* const offsets_;
  const size_t erases_;
  const KeySample sample_;
};

// Builds a block from entries that come in order.
class BlockBuilder {
 public:
  // What Size() grows by with an entry.
  static Bytes EntrySize(std::string_view key, const Message& message);
  // Makes room for a block of that size, as Size() counts, so that it need not be moved as it grows.
  void Reserve(Bytes size) { payload_.reserve(size.value); }
  // Requires: keys do not descend; invariant 2.
  void Add(std::string_view key, const Message& message);

  bool Empty() const { return offsets_.empty(); }
  size_t Count() const { return offsets_.size(); }
  // Size of the payload so far.
  Bytes Size() const { return {payload_.size() + 4 * offsets_.size() + 4}; }
  // The key that was added last. Requires: !Empty().
  std::string_view LastKey() const;

  // The block; the builder is empty again afterwards.
  std::shared_ptr<const Block> Finish();

 private:
  std::string payload_;
  std::vector<uint32_t> offsets_;
  size_t erases_ = 0;
  size_t last_key_offset_ = 0;
  size_t last_key_size_ = 0;
};

// Where a block is to be had: in memory, or on disk and loaded when asked for. Implementations are thread-safe.
class BlockSlot {
 public:
  virtual ~BlockSlot() = default;
  // The block. Costs at most one read. Errors: what the device says; kDataLoss.
  virtual absl::StatusOr<std::shared_ptr<const Block>> Get() const = 0;
  // The block if it costs no I/O, else null.
  virtual std::shared_ptr<const Block> Peek() const = 0;
  // Known without I/O.
  virtual size_t Count() const = 0;
  virtual Bytes Size() const = 0;
  // How many of the entries are erases, if that is known without I/O: from the header of the node, or of a block that
  // was in memory.
  virtual std::optional<uint64_t> Erases() const {
    const std::shared_ptr<const Block> block = Peek();
    return block == nullptr ? std::nullopt : std::optional<uint64_t>(block->Erases());
  }
};

}  // namespace betr::dag
