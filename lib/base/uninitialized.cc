// SPDX-License-Identifier: Apache-2.0
// The only source that is compiled as C++23, for std::string::resize_and_overwrite (lib/base/CMakeLists.txt).
#include "base/uninitialized.h"

namespace betr {

void ResizeUninitialized(std::string* bytes, size_t size) {
  bytes->resize_and_overwrite(size, [size](char*, size_t) { return size; });
}

std::string UninitializedString(size_t size) {
  std::string bytes;
  ResizeUninitialized(&bytes, size);
  return bytes;
}

}  // namespace betr
