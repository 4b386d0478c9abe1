// SPDX-License-Identifier: Apache-2.0
#include "fs/time_coding.h"

#include <cerrno>

#include "base/coding.h"
#include "base/zigzag.h"
#include "betr/fs_error.h"

namespace betr::fs {
namespace {

constexpr uint32_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

FileTime FileTimeOf(std::chrono::nanoseconds since_1970) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970);
  return {seconds.count(), static_cast<uint32_t>((since_1970 - seconds).count())};
}

absl::Status CheckTime(FileTime time) {
  return time.nanoseconds < kNanosecondsPerSecond ? absl::OkStatus() : ErrnoError(EINVAL, "nanoseconds of a time");
}

void PutFileTime(std::string* out, FileTime time) {
  PutVarint64(out, ZigZag(time.seconds));
  PutVarint64(out, time.nanoseconds);
}

FileTime GetFileTime(Decoder* in) {
  FileTime time;
  time.seconds = UnZigZag(in->Varint64());
  time.nanoseconds = static_cast<uint32_t>(in->Varint64AtMost(kNanosecondsPerSecond - 1));
  return time;
}

}  // namespace betr::fs
