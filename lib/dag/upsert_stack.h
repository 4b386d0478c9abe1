// SPDX-License-Identifier: Apache-2.0
// Messages of one key in a buffer that could not be folded into one another, oldest first. There are none as a rule,
// and sometimes very many. A copy shares all but the last few with its original.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "betr/units.h"
#include "dag/message.h"

namespace betr::dag {

struct OwnedMessage {
  MessageKind kind = MessageKind::kPut;
  uint16_t function = 0;
  std::string value;

  Message View() const { return {kind, function, value}; }
};

// Not thread-safe. Copies may be used by different threads.
class UpsertStack {
 public:
  static constexpr size_t kChunkSize = 256;

  UpsertStack() = default;
  ~UpsertStack() = default;
  // O(size / kChunkSize + kChunkSize).
  UpsertStack(const UpsertStack& other)
      : content_(other.content_ == nullptr ? nullptr : std::make_unique<Content>(*other.content_)) {}
  UpsertStack(UpsertStack&&) = default;
  UpsertStack& operator=(const UpsertStack& other) { return *this = UpsertStack(other); }
  UpsertStack& operator=(UpsertStack&&) = default;

  // O(1) each, from here on.
  bool Empty() const { return content_ == nullptr; }
  size_t Size() const { return content_ == nullptr ? 0 : content_->full.size() * kChunkSize + content_->newest.size(); }
  // Memory that the messages take, about.
  Bytes Memory() const { return content_ == nullptr ? Bytes{0} : content_->memory; }
  const OwnedMessage& operator[](size_t index) const {
    const size_t chunk = index / kChunkSize;
    return (chunk < content_->full.size() ? *content_->full[chunk] : content_->newest)[index % kChunkSize];
  }

  void Clear() { content_ = nullptr; }
  void Push(OwnedMessage message);
  // Requires: not empty.
  const OwnedMessage& Newest() const { return content_->newest.back(); }
  void ReplaceNewest(std::string value);

 private:
  using Chunk = std::vector<OwnedMessage>;
  struct Content {
    std::vector<std::shared_ptr<const Chunk>> full;
    Chunk newest;  // not empty
    Bytes memory{0};
  };
  std::unique_ptr<Content> content_;  // null if there are none
};

}  // namespace betr::dag
