// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include "base/check.h"
#include "base/coding.h"

namespace betr {
namespace {

__extension__ using Uint128 = unsigned __int128;

}  // namespace

uint64_t SplitMix64(uint64_t* state) {
  uint64_t mixed = *state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

uint64_t Random::Uniform(uint64_t n) {
  Check(n > 0, "there is something to choose from");
  return static_cast<uint64_t>((static_cast<Uint128>(Next()) * n) >> 64);
}

uint64_t Random::Between(uint64_t first, uint64_t last) {
  Check(first <= last, "first <= last");
  return last - first == UINT64_MAX ? Next() : first + Uniform(last - first + 1);
}

uint64_t Random::Skewed(unsigned bits) {
  Check(bits < 64, "bits < 64");
  return Uniform(uint64_t{1} << Uniform(bits + 1));
}

double Random::Fraction() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

std::string Random::String(size_t size) {
  std::string bytes;
  bytes.reserve(size + 8);
  while (bytes.size() < size) PutFixed64(&bytes, Next());
  bytes.resize(size);
  return bytes;
}

}  // namespace betr
