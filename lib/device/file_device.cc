// SPDX-License-Identifier: Apache-2.0
// FileDevice: transfers. Opening and growing are in file_open.cc, locks and owners in file_lock.cc.
#include "device/file_device.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "device/device_error.h"

namespace betr {
namespace {

// Writes of at least this size begin to be stored at once. Otherwise they would wait in the page cache for a flush, and
// the disk would wait too. Smaller ones may be written again soon, and are better stored together.
constexpr Bytes kWriteBack = KiB(256);

// Begins to store what was written. Waits at most for a place in the device's queue. Returns 0 or an errno value. A
// file system may drop what it cannot even begin to store, and report that only here.
int StartWriteBack(int fd, Bytes offset, Bytes size) {
  if (size < kWriteBack) return 0;
  const int begun =
      sync_file_range(fd, static_cast<off_t>(offset.value), static_cast<off_t>(size.value), SYNC_FILE_RANGE_WRITE);
  const bool is_unknown = errno == EINVAL || errno == ESPIPE || errno == ENOSYS || errno == EOPNOTSUPP;
  return begun == 0 || is_unknown || errno == EINTR ? 0 : errno;
}

}  // namespace

FileDevice::FileDevice(std::string path, int fd, Access access, bool is_block_device, Bytes size)
    : path_(std::move(path)), fd_(fd), access_(access), is_block_device_(is_block_device), size_(size.value) {}

absl::Status FileDevice::CheckWritable(std::string_view operation) const {
  return access_ == Access::kReadWrite ? absl::OkStatus() : DeviceError(path_, operation, EROFS);
}

absl::Status FileDevice::Read(Bytes offset, std::span<char> out) {
  BETR_RETURN_IF_ERROR(CheckRange(*this, "read", offset, Bytes{out.size()}));
  while (!out.empty()) {
    const ssize_t size = pread(fd_, out.data(), out.size(), static_cast<off_t>(offset.value));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return TransferError(path_, "read", offset, Bytes{out.size()}, errno);
    // The range is within Size(), so somebody has cut the file since.
    if (size == 0) return TransferError(path_, "read", offset, Bytes{out.size()}, ENODATA);
    out = out.subspan(static_cast<size_t>(size));
    offset += Bytes{static_cast<uint64_t>(size)};
  }
  return absl::OkStatus();
}

absl::Status FileDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckWritable("write"));
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const Bytes begin = offset;
  while (!data.empty()) {
    const ssize_t size = pwrite(fd_, data.data(), data.size(), static_cast<off_t>(offset.value));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return TransferError(path_, "write", offset, Bytes{data.size()}, size < 0 ? errno : EIO);
    data.remove_prefix(static_cast<size_t>(size));
    offset += Bytes{static_cast<uint64_t>(size)};
  }
  const int error = StartWriteBack(fd_, begin, offset - begin);
  return error == 0 ? absl::OkStatus() : TransferError(path_, "write", begin, offset - begin, error);
}

absl::Status FileDevice::Flush() {
  if (access_ == Access::kReadOnly) return absl::OkStatus();
  const MutexLock lock(flush_mutex_);
  while (flush_error_.ok() && fdatasync(fd_) != 0) {
    if (errno != EINTR) flush_error_ = DeviceError(path_, "flush", errno);
  }
  return flush_error_;
}

absl::Status FileDevice::Discard(Bytes offset, Bytes length) {
  BETR_RETURN_IF_ERROR(CheckWritable("discard"));
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "discard", offset, length));
  if (length == Bytes{0}) return absl::OkStatus();
  int result = 0;
  do {
    if (is_block_device_) {
      uint64_t range[2] = {offset.value, length.value};
      result = ioctl(DiscardingFd(), BLKDISCARD, range);
    } else {
      result = fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset.value),
                         static_cast<off_t>(length.value));
    }
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno == EOPNOTSUPP || errno == ENOTTY || errno == ENOSYS) return absl::OkStatus();
  return TransferError(path_, "discard", offset, length, errno);
}

absl::Status FileDevice::Readahead(Bytes offset, Bytes length) {
  BETR_RETURN_IF_ERROR(CheckRange(*this, "readahead", offset, length));
  // Length 0 would mean "to the end". A hint that is refused costs nothing.
  if (length == Bytes{0}) return absl::OkStatus();
  posix_fadvise(fd_, static_cast<off_t>(offset.value), static_cast<off_t>(length.value), POSIX_FADV_WILLNEED);
  return absl::OkStatus();
}

}  // namespace betr
