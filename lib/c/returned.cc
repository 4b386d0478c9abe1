// SPDX-License-Identifier: Apache-2.0
#include "c/returned.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace betr::c {

void* CopyOf(std::string_view bytes, size_t* size) {
  void* const copy = std::malloc(std::max<size_t>(bytes.size(), 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(copy));
  *size = bytes.size();
  return copy;
}

char* CopyOf(const std::string& string) {
  size_t size = 0;
  return static_cast<char*>(CopyOf(std::string_view(string.c_str(), string.size() + 1), &size));
}

const void* Show(std::string_view bytes, size_t* size) {
  if (size != nullptr) *size = bytes.size();
  return bytes.data() != nullptr ? bytes.data() : "";
}

const void* ShowNothing(size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

extern "C" void betr_free(void* bytes) { std::free(bytes); }

}  // namespace betr::c
