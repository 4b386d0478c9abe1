// SPDX-License-Identifier: Apache-2.0
// Numbers and byte strings as bytes: the alphabet of every format of betr, on disk and in keys. All integers on disk
// are little-endian. Big-endian is used only for numbers inside keys, where memcmp has to give their order. What the
// bytes mean is said where a structure is defined, not here. For reading see decoder.h.
//
// Everything here is pure and safe to call from any thread; appending costs amortised O(bytes).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace betr {

// The most bytes that a varint takes.
inline constexpr size_t kMaxVarintSize = 10;

// The value with its bytes in the order that little-endian (big-endian) storage wants. Also the way back.
template <class Int>
constexpr Int SwapBytes(Int value) {
  if constexpr (sizeof(Int) == 8) return static_cast<Int>(__builtin_bswap64(value));
  if constexpr (sizeof(Int) == 4) return static_cast<Int>(__builtin_bswap32(value));
  if constexpr (sizeof(Int) == 2) return static_cast<Int>(__builtin_bswap16(value));
  return value;
}
template <class Int>
constexpr Int LittleEndian(Int value) {
  return std::endian::native == std::endian::little ? value : SwapBytes(value);
}
template <class Int>
constexpr Int BigEndian(Int value) {
  return std::endian::native == std::endian::big ? value : SwapBytes(value);
}

// Reads or overwrites sizeof(Int) bytes at `at`. Requires: the bytes exist.
template <class Int>
Int LoadFixed(const char* at) {
  Int value;
  std::memcpy(&value, at, sizeof value);
  return LittleEndian(value);
}
template <class Int>
void StoreFixed(char* at, Int value) {
  value = LittleEndian(value);
  std::memcpy(at, &value, sizeof value);
}

// Appends the value as 1, 2, 4 or 8 bytes, little-endian.
inline void PutFixed8(std::string* out, uint8_t value) { out->push_back(static_cast<char>(value)); }
inline void PutFixed16(std::string* out, uint16_t value) {
  value = LittleEndian(value);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void PutFixed32(std::string* out, uint32_t value) {
  value = LittleEndian(value);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void PutFixed64(std::string* out, uint64_t value) {
  value = LittleEndian(value);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Appends 1 to 10 bytes of seven bits each, lowest first. The high bit of a byte says that another follows. A number
// has exactly one such form (the shortest); decoders refuse any other.
void PutVarint64(std::string* out, uint64_t value);

// How many bytes PutVarint64 appends.
constexpr size_t VarintSize(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

// Appends varint length, then the bytes.
void PutLengthPrefixed(std::string* out, std::string_view bytes);

// How many bytes PutLengthPrefixed appends.
constexpr size_t LengthPrefixedSize(std::string_view bytes) { return VarintSize(bytes.size()) + bytes.size(); }

// Appends 8 bytes whose memcmp order is the numeric order.
inline void PutBigEndian64(std::string* out, uint64_t value) {
  value = BigEndian(value);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The inverse of PutBigEndian64. Requires: 8 bytes at `at`.
inline uint64_t LoadBigEndian64(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return BigEndian(value);
}

}  // namespace betr
