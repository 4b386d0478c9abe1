// SPDX-License-Identifier: Apache-2.0
#include "fs/time_coding.h"

#include "base/coding.h"

namespace betr::fs {
namespace {

constexpr uint32_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

void PutFileTime(std::string* out, FileTime time) {
  const uint64_t sign = time.seconds < 0 ? UINT64_MAX : 0;
  PutVarint64(out, (static_cast<uint64_t>(time.seconds) << 1) ^ sign);
  PutVarint64(out, time.nanoseconds);
}

FileTime GetFileTime(Decoder* in) {
  const uint64_t zigzag = in->Varint64();
  const uint64_t sign = (zigzag & 1) != 0 ? UINT64_MAX : 0;
  FileTime time;
  time.seconds = static_cast<int64_t>((zigzag >> 1) ^ sign);
  time.nanoseconds = static_cast<uint32_t>(in->Varint64AtMost(kNanosecondsPerSecond - 1));
  return time;
}

}  // namespace betr::fs
