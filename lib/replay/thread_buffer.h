// SPDX-License-Identifier: Apache-2.0
// Memory to read into: one piece for each thread, kept for the next time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace betr::replay {

// Returns memory that is valid until the thread asks again. Its content is undefined.
inline std::span<char> ThreadBuffer(size_t size) {
  thread_local std::vector<char> buffer;
  if (buffer.size() < size) buffer.resize(size);
  return {buffer.data(), size};
}

}  // namespace betr::replay
