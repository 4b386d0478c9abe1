// SPDX-License-Identifier: Apache-2.0
#include "fs/inode_number.h"

namespace betr::fs {
namespace {

constexpr uint64_t kMultiplier1 = 0xff51afd7ed558ccd;
constexpr uint64_t kMultiplier2 = 0xc4ceb9fe1a85ec53;
constexpr uint64_t kSaltSeed = 0x9e3779b97f4a7c15;

// The number that undoes multiplication by an odd one, modulo 2^64: each of Newton's steps doubles the bits that
// are right, of which there are three at the start.
constexpr uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(kMultiplier1 * Inverse(kMultiplier1) == 1 && kMultiplier2 * Inverse(kMultiplier2) == 1);

// Its own inverse, since 33 + 33 >= 64.
constexpr uint64_t Fold(uint64_t bits) { return bits ^ (bits >> 33); }

}  // namespace

uint64_t MixNumber(uint64_t number) { return Fold(Fold(Fold(number) * kMultiplier1) * kMultiplier2); }

uint64_t UnmixNumber(uint64_t mixed) { return Fold(Fold(Fold(mixed) * Inverse(kMultiplier2)) * Inverse(kMultiplier1)); }

uint64_t VisibleNumber(uint64_t stored, NumberContext context) {
  return context == 0 ? stored : MixNumber(stored) ^ context;
}

uint64_t StoredNumber(uint64_t visible, NumberContext context) {
  return context == 0 ? visible : UnmixNumber(visible ^ context);
}

uint64_t SaltOfClone(uint64_t fresh_number) {
  const uint64_t salt = MixNumber(fresh_number + kSaltSeed);
  return salt != 0 ? salt : kSaltSeed;
}

}  // namespace betr::fs
