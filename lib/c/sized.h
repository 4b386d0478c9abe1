// SPDX-License-Identifier: Apache-2.0
// Structs that begin with their size, so that caller and library may know of different numbers of fields. Linux does
// the same for openat2 and clone3.
#pragma once

#include <absl/status/statusor.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "betr/c.h"

namespace betr::c {

// Checks that a struct of `size` bytes may be what a caller calls `argument`: it has at least its size field, and is at
// most kMaxStructSize (sized.cc). Errors: kInvalidArgument.
absl::Status CheckStructSize(size_t size, const char* argument);
// Checks that nothing is set behind the first `known` bytes of a struct of `size` bytes. Errors: kInvalidArgument.
absl::Status CheckUnknownFields(const void* fields, size_t known, size_t size, const char* argument);

// What a caller's struct says in the fields that we know. Fields that it does not have are 0; for null, all are.
template <class Struct>
absl::StatusOr<Struct> ReadKnown(const Struct* given, const char* argument) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  Struct fields = {};
  if (given == nullptr) return fields;
  if (absl::Status status = CheckStructSize(given->struct_size, argument); !status.ok()) return status;
  std::memcpy(&fields, given, std::min(given->struct_size, sizeof(Struct)));
  return fields;
}

// Checks that it says nothing else. Errors: kInvalidArgument. Requires: it is null or has a valid size.
template <class Struct>
absl::Status CheckUnknown(const Struct* given, const char* argument) {
  return given == nullptr ? absl::OkStatus() : CheckUnknownFields(given, sizeof(Struct), given->struct_size, argument);
}

// Does both.
template <class Struct>
absl::StatusOr<Struct> ReadSized(const Struct* given, const char* argument) {
  absl::StatusOr<Struct> fields = ReadKnown(given, argument);
  if (fields.ok()) {
    if (absl::Status status = CheckUnknown(given, argument); !status.ok()) return status;
  }
  return fields;
}

// Clears a caller's struct until it is known what to fill it with. Skips null and an invalid size: others complain
// about them.
template <class Struct>
void ClearSized(Struct* result) {
  if (result == nullptr || !CheckStructSize(result->struct_size, "").ok()) return;
  const size_t size = result->struct_size;
  std::memset(static_cast<void*>(result), 0, size);
  result->struct_size = size;
}

// Fills a caller's struct as far as it goes, and clears what is behind the fields that we know.
template <class Struct>
absl::Status WriteSized(Struct fields, Struct* result, const char* argument) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  const size_t size = result->struct_size;
  absl::Status status = CheckStructSize(size, argument);
  if (!status.ok()) return status;
  ClearSized(result);
  fields.struct_size = size;
  std::memcpy(static_cast<void*>(result), &fields, std::min(size, sizeof(Struct)));
  return status;
}

}  // namespace betr::c
