// SPDX-License-Identifier: Apache-2.0
// Random numbers that a seed repeats exactly, on every machine and with every standard library. For tests, for
// benchmarks, for images that must come out the same. Not for secrets. A uuid that must be unique is in base/uuid.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace betr {

// Advances `*state` and returns 64 well mixed bits (splitmix64).
uint64_t SplitMix64(uint64_t* state);

// A stream of random numbers (splitmix64: 2^64 of them before it repeats). Used by one thread at a time; a few ns each.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return SplitMix64(&state_); }
  // 0 to n - 1. Requires: n > 0.
  uint64_t Uniform(uint64_t n);
  // first to last, both included. Requires: first <= last.
  uint64_t Between(uint64_t first, uint64_t last);
  // True once in n times. Requires: n > 0.
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }
  // 0 to 2^bits - 1, where every magnitude is as likely as any other: mostly small, now and then large. Requires: bits
  // < 64.
  uint64_t Skewed(unsigned bits);
  // 0 <= result < 1.
  double Fraction();
  // Any byte values.
  std::string String(size_t size);
  // A stream of its own, decided by this one's state.
  Random Fork() { return Random(Next()); }

  // Puts the items into a random order.
  template <class T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Uniform(i)]);
  }
  // One of the items. Requires: there is one.
  template <class Container>
  auto& Pick(Container& items) {
    return items[static_cast<size_t>(Uniform(items.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace betr
