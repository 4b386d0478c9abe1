// SPDX-License-Identifier: Apache-2.0
#include "c/sized.h"

#include <absl/strings/str_cat.h>

namespace betr::c {
namespace {

constexpr size_t kMaxStructSize = 4096;  // a larger number is no size, but what happened to be in memory

}  // namespace

absl::Status CheckStructSize(size_t size, const char* argument) {
  if (size >= sizeof(size_t) && size <= kMaxStructSize) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(argument, ".struct_size: is ", size, ", not the size of the struct"));
}

absl::Status CheckUnknownFields(const void* fields, size_t known, size_t size, const char* argument) {
  const auto* const bytes = static_cast<const unsigned char*>(fields);
  for (size_t i = known; i < size; ++i) {
    if (bytes[i] != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, ": byte ", i, " is set, which this version of betr does not know"));
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::c
