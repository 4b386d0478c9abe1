// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/memory_map.h"

#include <algorithm>

namespace betr::replay {
namespace {

constexpr uint64_t kHighest = uint64_t{1} << 63;

// The end of a range; its begin if there is no such range.
uint64_t EndOf(uint64_t begin, uint64_t length) {
  return begin < kHighest && length <= kHighest - begin ? begin + length : begin;
}

}  // namespace

void MemoryMap::Split(uint64_t address) {
  auto at = pieces_.lower_bound(address);
  if (at == pieces_.begin()) return;
  Piece& before = std::prev(at)->second;
  if (before.end <= address) return;
  Piece rest = before;
  rest.offset += address - before.begin;
  rest.begin = address;
  before.end = address;
  pieces_.emplace(address, std::move(rest));
}

void MemoryMap::Unmap(uint64_t begin, uint64_t length) {
  const uint64_t end = EndOf(begin, length);
  if (begin == end) return;
  Split(begin);
  Split(end);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
}

void MemoryMap::Map(const Piece& piece) {
  const uint64_t length = piece.end > piece.begin ? piece.end - piece.begin : 0;
  if (EndOf(piece.begin, length) == piece.begin) return;
  Unmap(piece.begin, length);
  if (piece.mapped != nullptr) pieces_.emplace(piece.begin, piece);
}

void MemoryMap::Move(uint64_t from, uint64_t from_length, uint64_t to, uint64_t to_length) {
  std::vector<Piece> moved = In(from, from_length);
  const uint64_t from_end = EndOf(from, from_length);
  const uint64_t to_end = EndOf(to, to_length);
  Unmap(from, from_length);
  Unmap(to, to_length);
  for (Piece& piece : moved) {
    const bool is_last = piece.end == from_end;
    piece.end = is_last ? to_end : std::min(to + (piece.end - from), to_end);
    piece.begin = to + (piece.begin - from);
    if (piece.begin < piece.end) Map(piece);
  }
}

void MemoryMap::SetWritable(uint64_t begin, uint64_t length, bool is_writable) {
  const uint64_t end = EndOf(begin, length);
  if (begin == end) return;
  Split(begin);
  Split(end);
  for (auto at = pieces_.lower_bound(begin); at != pieces_.lower_bound(end); ++at) at->second.is_writable = is_writable;
}

std::vector<MemoryMap::Piece> MemoryMap::In(uint64_t begin, uint64_t length) const {
  const uint64_t end = EndOf(begin, length);
  std::vector<Piece> found;
  auto at = pieces_.upper_bound(begin);
  if (at != pieces_.begin()) --at;
  for (; at != pieces_.end() && at->second.begin < end; ++at) {
    Piece piece = at->second;
    if (piece.end <= begin) continue;
    if (piece.begin < begin) {
      piece.offset += begin - piece.begin;
      piece.begin = begin;
    }
    piece.end = std::min(piece.end, end);
    found.push_back(std::move(piece));
  }
  return found;
}

}  // namespace betr::replay
