// SPDX-License-Identifier: Apache-2.0
#include "device/device_error.h"

#include <absl/strings/cord.h>
#include <absl/strings/str_format.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/escape.h"

namespace betr {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
    case EBUSY:
    case ETXTBSY:
      return absl::StatusCode::kFailedPrecondition;
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

constexpr char kInUse[] = "betr/in-use";
constexpr char kWriteProtected[] = "betr/write-protected";

absl::Status Refusal(std::string_view message, const char* why) {
  absl::Status status = absl::FailedPreconditionError(std::string(message));
  status.SetPayload(why, absl::Cord());
  return status;
}

std::string Describe(int error) { return std::generic_category().message(error); }

}  // namespace

absl::Status TransferError(std::string_view name, std::string_view operation, Bytes offset, Bytes length, int error) {
  return {CodeOf(error), absl::StrFormat("%s: %s of %u bytes at %u: %s", name, operation, length.value, offset.value,
                                         Describe(error))};
}

absl::Status DeviceError(std::string_view name, std::string_view operation, int error) {
  return {CodeOf(error), absl::StrFormat("%s: %s: %s", name, operation, Describe(error))};
}

absl::Status InUseError(std::string_view message) { return Refusal(message, kInUse); }

bool IsInUse(const absl::Status& status) { return status.GetPayload(kInUse).has_value(); }

absl::Status WriteProtectedError(std::string_view message) { return Refusal(message, kWriteProtected); }

bool IsWriteProtected(const absl::Status& status) { return status.GetPayload(kWriteProtected).has_value(); }

absl::Status CheckPath(std::string_view path) {
  if (path.find('\0') == std::string_view::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s: a path has no zero bytes", Escape(path)));
}

}  // namespace betr
