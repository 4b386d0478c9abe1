// SPDX-License-Identifier: Apache-2.0
// Large writes are on their way to storage before anybody flushes. What the kernel does then cannot be seen from here,
// so it is the calls that are counted.
#include <dlfcn.h>
#include <fcntl.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "base/check.h"
#include "device/file_device.h"
#include "support/device/temp_dir.h"

namespace {

std::atomic<int64_t> begun{0};
std::atomic<int> next_error{0};  // instead of beginning

}  // namespace

// In place of the C library's.
extern "C" int sync_file_range(int fd, off64_t offset, off64_t size, unsigned int flags) {
  using Function = int(int, off64_t, off64_t, unsigned int);
  static auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "sync_file_range"));
  betr::Check(next != nullptr, "the C library has sync_file_range");
  if (flags == SYNC_FILE_RANGE_WRITE) begun += size;
  if (const int error = next_error.exchange(0)) {
    errno = error;
    return -1;
  }
  return next(fd, offset, size, flags);
}

namespace betr {

TEST_CASE("large writes are begun to be stored at once, small ones wait for a flush", "[device]") {
  const TempDir dir;
  const auto device = FileDevice::Create(dir.File("image"), MiB(4)).value();
  begun = 0;
  const std::string large(MiB(2).value, 'l');
  REQUIRE(device->Write(KiB(64), large).ok());
  CHECK(begun == static_cast<int64_t>(large.size()));
  REQUIRE(device->Write(Bytes{0}, std::string(KiB(64).value, 's')).ok());
  CHECK(begun == static_cast<int64_t>(large.size()));
  REQUIRE(device->Flush().ok());
}

TEST_CASE("a large write that cannot even be begun has failed, one that cannot be begun at once has not", "[device]") {
  const TempDir dir;
  const auto device = FileDevice::Create(dir.File("image"), MiB(4)).value();
  const std::string large(MiB(2).value, 'l');
  next_error = EIO;
  CHECK(absl::IsUnavailable(device->Write(Bytes{0}, large)));
  next_error = ENOSPC;
  CHECK(absl::IsUnavailable(device->Write(Bytes{0}, large)));
  for (const int error : {ENOSYS, EOPNOTSUPP, EINVAL}) {
    next_error = error;
    CHECK(device->Write(Bytes{0}, large).ok());
  }
}

}  // namespace betr
