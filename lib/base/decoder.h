// SPDX-License-Identifier: Apache-2.0
// Reads what base/coding.h wrote, from bytes that nobody vouches for.
//
// The first error sticks: from then on every read returns 0 or an empty string and nothing remains. So the decoder of a
// structure is written straight down, and asks once, at the end, with Finish. Two rules for its author:
//   * a count read from the input is bounded with Count before anything is allocated or looped over;
//   * a value is used as an index or a size only after status() or Finish() was found ok.
// Never reads outside the input. Every read is O(1). Strings are views into the input and live as long as it does. Used
// by one thread at a time.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"

namespace betr {

class Decoder {
 public:
  explicit Decoder(std::string_view input) : begin_(input.data()), at_(begin_), end_(begin_ + input.size()) {}

  // Little-endian integers.
  uint8_t Fixed8() { return Fixed<uint8_t>(); }
  uint16_t Fixed16() { return Fixed<uint16_t>(); }
  uint32_t Fixed32() { return Fixed<uint32_t>(); }
  uint64_t Fixed64() { return Fixed<uint64_t>(); }

  // As written by PutVarint64. A longer form than the shortest is an error.
  uint64_t Varint64() {
    if (at_ < end_ && static_cast<uint8_t>(*at_) < 0x80) return static_cast<uint8_t>(*at_++);
    return LongVarint64();
  }
  // An error when the number is larger than `max`.
  uint64_t Varint64AtMost(uint64_t max);

  // The next `size` bytes, as they are.
  std::string_view Raw(uint64_t size) {
    return Need(size) ? std::string_view(Take(static_cast<size_t>(size)), static_cast<size_t>(size))
                      : std::string_view();
  }
  // As written by PutLengthPrefixed. Longer than `max_size` is an error.
  std::string_view LengthPrefixed(uint64_t max_size) { return Raw(Varint64AtMost(max_size)); }

  // A varint that says how many items follow. Larger than `max` is an error. So is a number of items, of at least
  // `min_item_size` (> 0) bytes each, that what remains cannot hold. So the result is safe to reserve and to loop over.
  size_t Count(uint64_t max, uint64_t min_item_size);

  // The next `size` bytes must all be zero (reserved fields, padding).
  void Zeros(uint64_t size);

  // Bytes read so far; bytes left (0 after an error).
  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }

  bool ok() const { return error_.empty(); }

  // Makes the decoder fail here, unless it has failed already. For what the caller finds wrong with a value.
  void Fail(std::string_view why);

  // Ok, or kDataLoss "`what`: byte N: ..." for the first error.
  absl::Status status(std::string_view what) const;
  // The same, but bytes that remain are an error too.
  absl::Status Finish(std::string_view what) const;

 private:
  template <class Int>
  Int Fixed() {
    return Need(sizeof(Int)) ? LoadFixed<Int>(Take(sizeof(Int))) : Int{0};
  }
  bool Need(uint64_t size) {
    if (size <= remaining()) [[likely]]
      return true;
    FailShort(size);
    return false;
  }
  const char* Take(size_t size) {
    const char* taken = at_;
    at_ += size;
    return taken;
  }
  uint64_t LongVarint64();
  void FailShort(uint64_t wanted);

  const char* begin_;
  const char* at_;
  const char* end_;    // moved to at_ by an error
  std::string error_;  // empty: none
};

}  // namespace betr
