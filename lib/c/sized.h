// SPDX-License-Identifier: Apache-2.0
// Structs that begin with their size, so that caller and library may know of different numbers of fields: as Linux does
// it for openat2 and clone3.
#pragma once

#include <absl/status/statusor.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "betr/c.h"

namespace betr::c {

// Whether a struct of `size` bytes may be what a caller calls `argument`: it has at least its size. kInvalidArgument.
absl::Status CheckStructSize(size_t size, const char* argument);
// Whether nothing is set behind the first `known` bytes of a struct of `size` bytes. kInvalidArgument.
absl::Status CheckUnknownFields(const void* fields, size_t known, size_t size, const char* argument);

// What a caller's struct says in the fields that we know; of null, and of fields that it does not have, 0.
template <class Struct>
absl::StatusOr<Struct> ReadKnown(const Struct* given, const char* argument) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  Struct fields = {};
  if (given == nullptr) return fields;
  if (absl::Status status = CheckStructSize(given->struct_size, argument); !status.ok()) return status;
  std::memcpy(&fields, given, std::min(given->struct_size, sizeof(Struct)));
  return fields;
}

// Whether it says nothing else. kInvalidArgument. Requires: null, or its size is one.
template <class Struct>
absl::Status CheckUnknown(const Struct* given, const char* argument) {
  return given == nullptr ? absl::OkStatus() : CheckUnknownFields(given, sizeof(Struct), given->struct_size, argument);
}

// Both.
template <class Struct>
absl::StatusOr<Struct> ReadSized(const Struct* given, const char* argument) {
  absl::StatusOr<Struct> fields = ReadKnown(given, argument);
  if (fields.ok()) {
    if (absl::Status status = CheckUnknown(given, argument); !status.ok()) return status;
  }
  return fields;
}

// A caller's struct that is to be filled says nothing until it is known what. Null, and a size that is none, are
// somebody else's complaint.
template <class Struct>
void ClearSized(Struct* result) {
  if (result == nullptr || !CheckStructSize(result->struct_size, "").ok()) return;
  const size_t size = result->struct_size;
  std::memset(static_cast<void*>(result), 0, size);
  result->struct_size = size;
}

// Fills a caller's struct, as far as it goes, and clears what is behind the fields that we know.
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
