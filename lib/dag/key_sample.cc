// SPDX-License-Identifier: Apache-2.0
#include "dag/key_sample.h"

#include <algorithm>
#include <cstring>

#include "base/coding.h"
#include "betr/bound.h"

namespace betr::dag {
namespace {

// The first eight bytes as a big-endian number. Bytes that are missing count as `fill`.
uint64_t NumberOf(std::string_view bytes, char fill) {
  char eight[sizeof(uint64_t)];
  std::memset(eight, fill, sizeof(eight));
  bytes.copy(eight, sizeof(eight));
  return LoadBigEndian64(eight);
}

}  // namespace

KeySample::KeySample(size_t count, absl::FunctionRef<std::string_view(size_t index)> key_at) : count_(count) {
  if (count <= kStride) return;
  prefix_ = CommonPrefix(key_at(0), key_at(count - 1));
  numbers_.reserve((count + kStride - 1) / kStride);
  for (size_t i = 0; i < count; i += kStride) numbers_.push_back(NumberOf(key_at(i).substr(prefix_.size()), 0));
}

KeySample::Window KeySample::Around(std::string_view bytes, bool past) const {
  if (numbers_.empty()) return {0, count_};
  const size_t common = std::min(bytes.size(), prefix_.size());
  const int order = bytes.substr(0, common).compare(prefix_.substr(0, common));
  if (order != 0 || bytes.size() < prefix_.size()) {
    const bool before_all = order == 0 ? !past : order < 0;
    return before_all ? Window{0, 0} : Window{count_, count_};
  }
  // Keys that have `bytes` as a prefix lie before Past(bytes): none of them has a larger number than this.
  const uint64_t number = NumberOf(bytes.substr(prefix_.size()), past ? '\xff' : '\0');
  const auto [first, last] = std::ranges::equal_range(numbers_, number);
  const auto smaller = static_cast<size_t>(first - numbers_.begin());
  const auto not_larger = static_cast<size_t>(last - numbers_.begin());
  return {smaller == 0 ? 0 : (smaller - 1) * kStride + 1, std::min(count_, not_larger * kStride)};
}

}  // namespace betr::dag
