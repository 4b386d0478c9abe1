// SPDX-License-Identifier: Apache-2.0
#include "betr/fs_error.h"

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cerrno>
#include <system_error>

#include "base/escape.h"

namespace betr {
namespace {

constexpr char kPayload[] = "betr/errno";

int ErrnoOfCode(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kResourceExhausted:
      return ENOSPC;
    case absl::StatusCode::kFailedPrecondition:
      return EROFS;
    case absl::StatusCode::kDataLoss:
      return EUCLEAN;
    case absl::StatusCode::kInvalidArgument:
      return EINVAL;
    case absl::StatusCode::kNotFound:
      return ENOENT;
    case absl::StatusCode::kAlreadyExists:
      return EEXIST;
    case absl::StatusCode::kUnimplemented:
      return EOPNOTSUPP;
    default:
      return EIO;
  }
}

// As the layers below say it, where Abseil's choice is another: kResourceExhausted is a lack of space here, and nothing
// else.
absl::StatusCode CodeOfErrno(int error) {
  switch (error) {
    case EROFS:
    case EMLINK:
      return absl::StatusCode::kFailedPrecondition;
    case ENODATA:
      return absl::StatusCode::kNotFound;
    default:
      return absl::ErrnoToStatusCode(error);
  }
}

}  // namespace

absl::Status ErrnoError(int error, std::string_view what) {
  absl::Status status(CodeOfErrno(error),
                      absl::StrFormat("%s: %s", Legible(what), std::generic_category().message(error)));
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(error)));
  return status;
}

int ToErrno(const absl::Status& status) {
  if (status.ok()) return 0;
  int error = 0;
  if (const absl::optional<absl::Cord> payload = status.GetPayload(kPayload)) {
    if (absl::SimpleAtoi(std::string(*payload), &error) && error > 0) return error;
  }
  return ErrnoOfCode(status.code());
}

}  // namespace betr
