// SPDX-License-Identifier: Apache-2.0
// Requests as the kernel sends them, read without libfuse.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

namespace betr::fuse {

// The structure at the front of `bytes`; zeros if there are fewer.
template <class T>
T Load(std::span<const char> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  if (bytes.size() >= sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace betr::fuse
