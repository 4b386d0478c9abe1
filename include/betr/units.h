// SPDX-License-Identifier: Apache-2.0
// Strong types for ids, sequence numbers and sizes. A bare integer in an interface says nothing about its unit; these
// types do. They have arithmetic only where it means something.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace betr {

// An identifier or sequence number: comparable and hashable, with no arithmetic but Next().
template <class Tag>
struct Ordinal {
  uint64_t value = 0;

  friend constexpr auto operator<=>(Ordinal, Ordinal) = default;
  constexpr Ordinal Next() const { return Ordinal{value + 1}; }

  template <class H>
  friend H AbslHashValue(H state, Ordinal ordinal) {
    return H::combine(std::move(state), ordinal.value);
  }
};

// Identifies a node for ever: ids are never reused. 0 is "no node".
using NodeId = Ordinal<struct NodeIdTag>;
inline constexpr NodeId kNoNode{};

// The order of logged batches in one store; each batch has a number of its own. 0 is "before all".
using Lsn = Ordinal<struct LsnTag>;

// Identifies a tree or snapshot of one store. Never reused once its creation was synced.
using TreeId = Ordinal<struct TreeIdTag>;

// Counts superblocks: the one with the larger generation wins.
using Generation = Ordinal<struct GenerationTag>;

// A number of bytes.
struct Bytes {
  uint64_t value = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.value - b.value}; }
  friend constexpr Bytes operator*(Bytes a, uint64_t n) { return {a.value * n}; }
  friend constexpr Bytes operator/(Bytes a, uint64_t n) { return {a.value / n}; }
  friend constexpr uint64_t operator/(Bytes a, Bytes b) { return a.value / b.value; }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) { return *this = *this - b; }
};

// A share of something, in ten-thousandths: 150 is 1.5 %.
struct BasisPoints {
  uint32_t value = 0;

  friend constexpr auto operator<=>(BasisPoints, BasisPoints) = default;
};

inline constexpr Bytes KiB(uint64_t n) { return {n << 10}; }
inline constexpr Bytes MiB(uint64_t n) { return {n << 20}; }
inline constexpr Bytes GiB(uint64_t n) { return {n << 30}; }
inline constexpr Bytes TiB(uint64_t n) { return {n << 40}; }

}  // namespace betr

template <class Tag>
struct std::hash<betr::Ordinal<Tag>> {
  size_t operator()(betr::Ordinal<Tag> ordinal) const noexcept { return std::hash<uint64_t>()(ordinal.value); }
};
