// SPDX-License-Identifier: Apache-2.0
// FileDevice: from a path to an open device, and changes of its size.
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/scoped_fd.h"
#include "base/status.h"
#include "device/device_error.h"
#include "device/file_device.h"
#include "device/unseen_file.h"

namespace betr {
namespace {

Bytes RoundDown(uint64_t size) { return kBlockSize * (Bytes{size} / kBlockSize); }

// As ftruncate(2).
int SetSize(int fd, Bytes size) {
  return Retrying([&] { return ftruncate(fd, static_cast<off_t>(size.value)); });
}

absl::StatusOr<Bytes> BlockDeviceSize(const std::string& path, int fd) {
  uint64_t size = 0;
  if (ioctl(fd, BLKGETSIZE64, &size) != 0) return DeviceError(path, "ask for the size", errno);
  return RoundDown(size);
}

// Checks what open(2) does not: a block device that may not be written to can be opened for writing.
absl::Status CheckIsNotProtected(const std::string& path, int fd) {
  int is_read_only = 0;
  if (ioctl(fd, BLKROGET, &is_read_only) != 0 || is_read_only == 0) return absl::OkStatus();
  return WriteProtectedError(path + ": the block device is read-only");
}

absl::Status NotOpened(const std::string& path, FileDevice::Access access, int error) {
  absl::Status status = DeviceError(path, "open", error);
  const bool is_protected = error == EACCES || error == EPERM || error == EROFS;
  if (is_protected && access == FileDevice::Access::kReadWrite) {
    return WriteProtectedError(std::string(status.message()));
  }
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileDevice>> FileDevice::Open(const std::string& path, Access access) {
  BETR_RETURN_IF_ERROR(CheckPath(path));
  struct stat before {};
  if (stat(path.c_str(), &before) != 0) return DeviceError(path, "open", errno);
  const bool is_block_device = S_ISBLK(before.st_mode);
  if (!is_block_device && !S_ISREG(before.st_mode)) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: neither a regular file nor a block device", path));
  }
  ScopedFd fd(OpenRetrying(path, access == Access::kReadOnly ? O_RDONLY : O_RDWR));
  if (fd.get() < 0) return NotOpened(path, access, errno);
  struct stat opened {};
  if (fstat(fd.get(), &opened) != 0) return DeviceError(path, "open", errno);
  if (opened.st_dev != before.st_dev || opened.st_ino != before.st_ino) {
    return absl::FailedPreconditionError(absl::StrFormat("%s: replaced while it was opened", path));
  }
  Bytes size = RoundDown(static_cast<uint64_t>(opened.st_size));
  if (is_block_device) {
    BETR_ASSIGN_OR_RETURN(size, BlockDeviceSize(path, fd.get()));
    if (access == Access::kReadWrite) BETR_RETURN_IF_ERROR(CheckIsNotProtected(path, fd.get()));
  }
  return std::unique_ptr<FileDevice>(new FileDevice(path, fd.Release(), access, is_block_device, size));
}

absl::StatusOr<std::unique_ptr<FileDevice>> FileDevice::Create(const std::string& path, Bytes size) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<UnseenFile> file, UnseenFile::Make(path));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<FileDevice> device, In(*file, size));
  BETR_RETURN_IF_ERROR(file->Appear());
  return device;
}

absl::StatusOr<std::unique_ptr<FileDevice>> FileDevice::In(const UnseenFile& file, Bytes size) {
  Check(size.value % kBlockSize.value == 0, "a device consists of whole blocks");
  ScopedFd fd(fcntl(file.fd(), F_DUPFD_CLOEXEC, 0));
  if (fd.get() < 0) return DeviceError(file.path(), "create", errno);
  if (SetSize(fd.get(), size) != 0) return DeviceError(file.path(), "set the size", errno);
  return std::unique_ptr<FileDevice>(new FileDevice(file.path(), fd.Release(), Access::kReadWrite, false, size));
}

absl::Status FileDevice::Grow(Bytes size) {
  Check(size.value % kBlockSize.value == 0, "a device consists of whole blocks");
  Check(size >= Size(), "a device never shrinks");
  BETR_RETURN_IF_ERROR(CheckWritable("grow"));
  if (!is_block_device_) {
    if (SetSize(fd_, size) != 0) return DeviceError(path_, "grow", errno);
    size_ = size.value;
    return absl::OkStatus();
  }
  BETR_ASSIGN_OR_RETURN(const Bytes actual, BlockDeviceSize(path_, fd_));
  if (actual < size) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: grow to %u bytes: the block device has %u", path_, size.value, actual.value));
  }
  size_ = actual.value;
  return absl::OkStatus();
}

}  // namespace betr
