// SPDX-License-Identifier: Apache-2.0
// The mutable buffer in front of a root. New messages enter here, in root space. It is always in its shortest form: a
// range erase removes the points that it covers, and an upsert on a buffered value becomes a value.
//
// Invariants
//   1. Points are sorted by key; of the messages of one key only the first may be terminal.
//   2. Erased ranges are sorted, disjoint, not empty and do not touch. Every buffered point is newer than the
//      erased range that covers it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "betr/upsert.h"
#include "dag/change/edit.h"
#include "dag/chunked.h"
#include "dag/layer.h"
#include "dag/partition.h"
#include "dag/upsert_stack.h"

namespace betr::dag {

struct BufferedPoint {
  std::string key;
  OwnedMessage first;
  UpsertStack more;  // upserts that could not be folded
};

// Not thread-safe. Images of it are immutable and may be read from any thread.
class MessageBuffer {
 public:
  explicit MessageBuffer(const UpsertRegistry& functions) : functions_(&functions) {}
  MessageBuffer(const MessageBuffer&) = delete;  // Image shares
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  MessageBuffer(MessageBuffer&&) = default;
  MessageBuffer& operator=(MessageBuffer&&) = default;
  ~MessageBuffer() = default;

  // O(log n) each, EraseRange besides the points that it removes.
  void Put(std::string_view key, std::string_view value);
  void Erase(std::string_view key);
  void Upsert(std::string_view key, uint16_t function, std::string_view delta);
  void EraseRange(const Range& range);

  bool Empty() const { return points_.Empty() && erased_.Empty(); }
  // Whether it says anything of a part of `range`. O(log n).
  bool Touches(const Range& range) const;
  // Memory that the messages take, about.
  Bytes Size() const { return size_; }
  void LookUp(std::string_view key, ValueBuilder& value) const;

  // What readers see from now on, whatever enters the buffer later. O(1).
  std::shared_ptr<const Layer> Image();

  // The buffer's content as a partition over all keys, of one run if it is not very large.
  Partition Seal(NodeSource& source) const;

 private:
  friend class BufferReader;
  friend class BufferImage;
  using Points = Chunked<BufferedPoint>;
  using Ranges = Chunked<Range>;

  void PutTerminal(std::string_view key, MessageKind kind, std::string_view value);
  BufferedPoint& PointFor(std::string_view key, bool& fresh);

  const UpsertRegistry* functions_;
  Points points_;
  Ranges erased_;
  Bytes size_{0};
};

}  // namespace betr::dag
