// SPDX-License-Identifier: Apache-2.0
// What callers give, as pointers. It is looked at before anything is done with it, then turned into values.
#pragma once

#include <absl/status/status.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "betr/bound.h"
#include "betr/c.h"

namespace betr::c {

// What is wrong with an argument. By default nothing is.
struct Fault {
  const char* argument = nullptr;
  const char* why = nullptr;
};

// The fault of a pointer that must not be null.
constexpr Fault FaultOf(const void* pointer, const char* argument) {
  return pointer != nullptr ? Fault{} : Fault{argument, "is null"};
}

// What the interface calls a handle.
template <class Handle>
inline constexpr const char* kNameOf = nullptr;

template <class Handle>
constexpr Fault FaultOfHandle(const Handle* handle) {
  static_assert(kNameOf<Handle> != nullptr);
  return FaultOf(handle, kNameOf<Handle>);
}

// The fault of bytes. A size that no object has is a caller's -1.
constexpr Fault FaultOf(const void* data, size_t size, const char* argument) {
  if (data == nullptr && size > 0) return {argument, "is null, and its size is not 0"};
  return size <= PTRDIFF_MAX ? Fault{} : Fault{argument, "has a size that is below 0"};
}

template <class Result, class... Arguments>
constexpr Fault FaultOf(Result (*callback)(Arguments...), const char* argument) {
  return callback != nullptr ? Fault{} : Fault{argument, "is null"};
}

Fault FaultOf(const betr_bound& bound, const char* argument);
// The fault of a range that may be null.
Fault FaultOf(const betr_range* range);

// The first fault, as kInvalidArgument. Ok if there is none.
absl::Status Check(std::initializer_list<Fault> faults);

// The next four require that there is no fault.
inline std::string_view BytesOf(const void* data, size_t size) {
  return size > 0 ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}
inline std::string_view StringOf(const char* string) { return string != nullptr ? string : std::string_view(); }
Bound BoundOf(const betr_bound& bound);
Range RangeOf(const betr_range* range);

}  // namespace betr::c
