// SPDX-License-Identifier: Apache-2.0
// FileDevice: locks, and the note on who holds them.
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/status.h"
#include "device/device_error.h"
#include "device/file_device.h"
#include "device/lock_holders.h"

namespace betr {
namespace {

// A lock on the whole file, however long it becomes.
struct flock WholeFile(FileDevice::LockMode mode) {
  struct flock lock {};
  lock.l_type = mode == FileDevice::LockMode::kExclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// The block that holds the note: the record, then zeros.
std::string OwnerBlock(const OwnerRecord& owner) {
  std::string block = EncodeOwner(owner);
  block.resize(kBlockSize.value);
  return block;
}

}  // namespace

FileDevice::~FileDevice() {
  const MutexLock lock(owner_mutex_);
  // Nobody is left to tell of an error, and a note that stays behind is harmless.
  if (has_published_owner_) Write(owner_offset_, std::string(kBlockSize.value, '\0')).IgnoreError();
  if (claim_fd_ >= 0) close(claim_fd_);
  close(fd_);
}

absl::Status FileDevice::Lock(LockMode mode, Bytes owner_offset) {
  Check(mode == LockMode::kShared || access_ == Access::kReadWrite, "an exclusive lock is for writing");
  const MutexLock guard(owner_mutex_);
  struct flock lock = WholeFile(mode);
  while (fcntl(fd_, F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EACCES) return DescribeHolder(mode, owner_offset);
    return DeviceError(path_, "lock", errno);
  }
  if (mode == LockMode::kExclusive && is_block_device_) {
    if (absl::Status status = ClaimBlockDevice(); !status.ok()) {
      lock.l_type = F_UNLCK;
      fcntl(fd_, F_OFD_SETLK, &lock);
      return status;
    }
  }
  owner_offset_ = owner_offset;
  is_exclusive_ = mode == LockMode::kExclusive;
  return absl::OkStatus();
}

absl::Status FileDevice::ClaimBlockDevice() {
  if (claim_fd_ >= 0) return absl::OkStatus();
  // Through /proc it is the device that is open, whatever its path names by now.
  claim_fd_ = open(absl::StrFormat("/proc/self/fd/%d", fd_).c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
  return claim_fd_ >= 0 ? absl::OkStatus() : DeviceError(path_, "claim for exclusive use", errno);
}

int FileDevice::DiscardingFd() {
  const MutexLock lock(owner_mutex_);
  return claim_fd_ >= 0 ? claim_fd_ : fd_;
}

absl::Status FileDevice::DescribeHolder(LockMode wanted, Bytes owner_offset) const {
  struct flock holder = WholeFile(wanted);
  const bool is_for_reading = fcntl(fd_, F_OFD_GETLK, &holder) == 0 && holder.l_type == F_RDLCK;
  const std::string holders = DescribeLockHolders(fd_);
  if (is_for_reading) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: in use for reading by %s", path_, holders.empty() ? "others" : holders));
  }
  char bytes[OwnerRecord::kSize];
  const ssize_t size = pread(fd_, bytes, sizeof bytes, static_cast<off_t>(owner_offset.value));
  if (size == sizeof bytes) {
    const absl::StatusOr<OwnerRecord> owner = DecodeOwner({bytes, sizeof bytes});
    // The note may be of one that crashed, while somebody holds the lock who leaves none.
    if (owner.ok() && (holders.empty() || holders.find(absl::StrFormat("pid %u ", owner->pid)) != std::string::npos)) {
      return absl::FailedPreconditionError(absl::StrFormat("%s: in use by %s", path_, FormatOwner(*owner)));
    }
  }
  return absl::FailedPreconditionError(
      absl::StrFormat("%s: in use by %s", path_, holders.empty() ? "another process" : holders));
}

absl::Status FileDevice::PublishOwner(const OwnerRecord& owner) {
  const MutexLock lock(owner_mutex_);
  Check(is_exclusive_, "an owner has an exclusive lock");
  BETR_RETURN_IF_ERROR(Write(owner_offset_, OwnerBlock(owner)));
  has_published_owner_ = true;
  return absl::OkStatus();
}

}  // namespace betr
