// SPDX-License-Identifier: Apache-2.0
// Errors are absl::Status values. The two macros below exist because the language has no operator for "return
// this error to the caller"; everything else about errors is plain Abseil.
//
// Codes and what they mean throughout betr:
//   kDataLoss            damaged bytes: the message names the structure and its place
//   kInvalidArgument     the caller's mistake, nothing was changed
//   kNotFound, kAlreadyExists
//   kFailedPrecondition  the image or the store is in a state that forbids this (locked, read-only, ...)
//   kResourceExhausted   out of space; the store stays usable
//   kUnavailable         the device failed (EIO)
//   kOutOfRange          beyond the end of a device; or behind clones whose prefixes are too long (dag/storable.h)
//   kUnimplemented       an image feature that this build does not know
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string_view>
#include <utility>

namespace betr {

// The same error with "context: " in front of its message; escaped if it is not legible (base/escape.h).
absl::Status Annotate(const absl::Status& status, std::string_view context);

// Whether it says that something could not be read: the device failed, or what it gave is damaged.
inline bool IsUnreadable(const absl::Status& status) { return absl::IsUnavailable(status) || absl::IsDataLoss(status); }

}  // namespace betr

#define BETR_CONCAT_INNER(a, b) a##b
#define BETR_CONCAT(a, b) BETR_CONCAT_INNER(a, b)

// Returns from the calling function if `expr` (an absl::Status) is an error.
#define BETR_RETURN_IF_ERROR(expr)                              \
  do {                                                          \
    if (absl::Status betr_status = (expr); !betr_status.ok()) { \
      return betr_status;                                       \
    }                                                           \
  } while (false)

// Declares or assigns `lhs` from `expr` (an absl::StatusOr), or returns its error.
#define BETR_ASSIGN_OR_RETURN(lhs, expr) BETR_ASSIGN_OR_RETURN_IMPL(BETR_CONCAT(betr_status_or_, __LINE__), lhs, expr)
#define BETR_ASSIGN_OR_RETURN_IMPL(var, lhs, expr) \
  auto var = (expr);                               \
  if (!var.ok()) {                                 \
    return std::move(var).status();                \
  }                                                \
  lhs = *std::move(var)
