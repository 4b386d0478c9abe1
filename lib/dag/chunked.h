// SPDX-License-Identifier: Apache-2.0
// A sorted sequence in chunks that can be shared in O(1): a chunk is copied when one of its holders first changes it.
// Inserting costs O(chunk + number of chunks).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace betr::dag {

// Not thread-safe; what is shared may be used by different threads. Share makes another holder. A plain copy is for
// reading what nobody changes any more: copies would believe that all chunks are theirs alone.
template <class T>
class Chunked {
 public:
  static constexpr size_t kChunkSize = 64;

  // Where an element is. {chunk count, 0} is the end.
  struct Position {
    size_t chunk = 0;
    size_t index = 0;
    friend bool operator==(const Position&, const Position&) = default;
  };

  bool Empty() const { return chunks_ == nullptr || chunks_->list.empty(); }
  Position Begin() const { return {0, 0}; }
  Position End() const { return {ChunkCount(), 0}; }
  Position Next(Position at) const {
    return at.index + 1 < List(at.chunk).size() ? Position{at.chunk, at.index + 1} : Position{at.chunk + 1, 0};
  }
  // Requires: at is not Begin().
  Position Prev(Position at) const {
    return at.index > 0 ? Position{at.chunk, at.index - 1} : Position{at.chunk - 1, List(at.chunk - 1).size() - 1};
  }
  const T& operator[](Position at) const { return List(at.chunk)[at.index]; }

  // The first element for which `before` is false. Requires: `before` is true for a prefix of the sequence.
  template <class Before>
  Position FirstNot(Before before) const {
    size_t lo = 0;
    size_t hi = ChunkCount();
    while (lo < hi) {
      const size_t mid = (lo + hi) / 2;
      if (before(List(mid).back())) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    if (lo == ChunkCount()) return End();
    const std::vector<T>& list = List(lo);
    const auto found = std::partition_point(list.begin(), list.end(), before);
    return {lo, static_cast<size_t>(found - list.begin())};
  }

  // From now on everything is shared with the copy that is returned.
  Chunked Share() {
    owner_ = NewOwner();
    Chunked copy = *this;
    copy.owner_ = NewOwner();
    return copy;
  }

  // An element that may be changed, as long as it stays in order.
  T& Mutable(Position at) { return OwnChunk(at.chunk).list[at.index]; }

  // Inserts before `at`. Returns the element, which may be changed as by Mutable.
  T& Insert(Position at, T value) {
    Spine& spine = OwnSpine();
    if (spine.list.empty()) {
      spine.list.push_back(NewChunk());
    } else if (at.chunk == spine.list.size()) {
      at = {at.chunk - 1, List(at.chunk - 1).size()};
    }
    std::vector<T>& list = OwnChunk(at.chunk).list;
    const bool at_the_end = at.chunk + 1 == spine.list.size() && at.index == list.size();
    list.insert(list.begin() + static_cast<ptrdiff_t>(at.index), std::move(value));
    if (list.size() < kChunkSize) return list[at.index];
    const size_t left = at_the_end ? list.size() - 1 : list.size() / 2;
    SplitChunk(at.chunk, left);
    return at.index < left ? list[at.index] : spine.list[at.chunk + 1]->list[at.index - left];
  }

  // Removes [from, to).
  void Erase(Position from, Position to) {
    if (from == to) return;
    Spine& spine = OwnSpine();
    for (size_t chunk = from.chunk; chunk < spine.list.size() && chunk <= to.chunk; ++chunk) {
      std::vector<T>& list = OwnChunk(chunk).list;
      const auto begin = static_cast<ptrdiff_t>(chunk == from.chunk ? from.index : 0);
      const auto end = static_cast<ptrdiff_t>(chunk == to.chunk ? to.index : list.size());
      list.erase(list.begin() + begin, list.begin() + end);
    }
    std::erase_if(spine.list, [](const auto& chunk) { return chunk->list.empty(); });
  }

 private:
  struct Chunk {
    uint64_t owner = 0;
    std::vector<T> list;
  };
  struct Spine {
    uint64_t owner = 0;
    std::vector<std::shared_ptr<Chunk>> list;
  };

  static uint64_t NewOwner() {
    static std::atomic<uint64_t> next{1};
    return next++;
  }

  size_t ChunkCount() const { return chunks_ == nullptr ? 0 : chunks_->list.size(); }
  const std::vector<T>& List(size_t chunk) const { return chunks_->list[chunk]->list; }

  std::shared_ptr<Chunk> NewChunk() const {
    auto chunk = std::make_shared<Chunk>();
    chunk->owner = owner_;
    chunk->list.reserve(kChunkSize);
    return chunk;
  }

  Spine& OwnSpine() {
    if (chunks_ == nullptr) {
      chunks_ = std::make_shared<Spine>();
      chunks_->owner = owner_;
    } else if (chunks_->owner != owner_) {
      chunks_ = std::make_shared<Spine>(*chunks_);
      chunks_->owner = owner_;
    }
    return *chunks_;
  }

  Chunk& OwnChunk(size_t chunk) {
    std::shared_ptr<Chunk>& held = OwnSpine().list[chunk];
    if (held->owner != owner_) {
      auto copy = NewChunk();
      copy->list = held->list;
      held = std::move(copy);
    }
    return *held;
  }

  void SplitChunk(size_t chunk, size_t at) {
    Spine& spine = OwnSpine();
    auto right = NewChunk();
    std::vector<T>& list = OwnChunk(chunk).list;
    const auto from = list.begin() + static_cast<ptrdiff_t>(at);
    right->list.assign(std::make_move_iterator(from), std::make_move_iterator(list.end()));
    list.erase(from, list.end());
    spine.list.insert(spine.list.begin() + static_cast<ptrdiff_t>(chunk) + 1, std::move(right));
  }

  std::shared_ptr<Spine> chunks_;
  uint64_t owner_ = NewOwner();
};

}  // namespace betr::dag
