// SPDX-License-Identifier: Apache-2.0
#include "c/answer.h"

#include <array>
#include <string>

#include "betr/c_filesystem.h"
#include "betr/fs_error.h"

namespace betr::c {
namespace {

struct CodeInfo {
  betr_code code;
  absl::StatusCode status;
  const char* name;
};

constexpr std::array kCodes = {
    CodeInfo{BETR_OK, absl::StatusCode::kOk, "ok"},
    CodeInfo{BETR_INVALID_ARGUMENT, absl::StatusCode::kInvalidArgument, "invalid argument"},
    CodeInfo{BETR_NOT_FOUND, absl::StatusCode::kNotFound, "not found"},
    CodeInfo{BETR_ALREADY_EXISTS, absl::StatusCode::kAlreadyExists, "already exists"},
    CodeInfo{BETR_NO_SPACE, absl::StatusCode::kResourceExhausted, "no space"},
    CodeInfo{BETR_FAILED_PRECONDITION, absl::StatusCode::kFailedPrecondition, "failed precondition"},
    CodeInfo{BETR_UNAVAILABLE, absl::StatusCode::kUnavailable, "unavailable"},
    CodeInfo{BETR_DATA_LOSS, absl::StatusCode::kDataLoss, "data loss"},
    CodeInfo{BETR_OUT_OF_RANGE, absl::StatusCode::kOutOfRange, "out of range"},
    CodeInfo{BETR_UNIMPLEMENTED, absl::StatusCode::kUnimplemented, "unimplemented"},
    CodeInfo{BETR_INTERNAL, absl::StatusCode::kInternal, "internal"},
};

struct LastError {
  std::string message;
  int error = EIO;
};

// Inside a function, so that a thread that never fails makes none.
LastError& Last() {
  thread_local LastError last;
  return last;
}

}  // namespace

betr_code CodeOf(const absl::Status& status) {
  for (const CodeInfo& info : kCodes) {
    if (info.status == status.code()) return info.code;
  }
  return BETR_UNKNOWN;
}

betr_code Tell(const absl::Status& status) {
  if (!status.ok()) Last() = {std::string(status.message()), ToErrno(status)};
  return CodeOf(status);
}

extern "C" const char* betr_error_message(void) { return Last().message.c_str(); }

extern "C" int betr_error_errno(void) { return Last().error; }

extern "C" const char* betr_code_name(int code) {
  for (const CodeInfo& info : kCodes) {
    if (info.code == code) return info.name;
  }
  return "unknown";
}

}  // namespace betr::c
