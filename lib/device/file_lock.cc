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

// What a lock is taken on.
struct Place {
  std::string name;  // for messages
  int fd;
  Bytes begin{0};
  Bytes size{0};  // 0: up to its end, however long the file becomes
};

struct flock LockOn(const Place& place, FileDevice::LockMode mode) {
  struct flock lock {};
  lock.l_type = mode == FileDevice::LockMode::kExclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(place.begin.value);
  lock.l_len = static_cast<off_t>(place.size.value);
  return lock;
}

absl::Status DescribeHolder(const Place& place, FileDevice::LockMode wanted, Bytes owner_offset) {
  struct flock holder = LockOn(place, wanted);
  const bool is_for_reading = fcntl(place.fd, F_OFD_GETLK, &holder) == 0 && holder.l_type == F_RDLCK;
  const std::string holders = DescribeLockHolders(place.fd);
  if (is_for_reading) {
    return InUseError(
        absl::StrFormat("%s: in use for reading by %s", place.name, holders.empty() ? "others" : holders));
  }
  char bytes[OwnerRecord::kSize];
  const ssize_t size = pread(place.fd, bytes, sizeof bytes, static_cast<off_t>((place.begin + owner_offset).value));
  if (size == sizeof bytes) {
    const absl::StatusOr<OwnerRecord> owner = DecodeOwner({bytes, sizeof bytes});
    // The note may be from a process that crashed, while the holder of the lock has left none.
    if (owner.ok() && (holders.empty() || holders.find(absl::StrFormat("pid %u ", owner->pid)) != std::string::npos)) {
      return InUseError(absl::StrFormat("%s: in use by %s", place.name, FormatOwner(*owner)));
    }
  }
  return InUseError(absl::StrFormat("%s: in use by %s", place.name, holders.empty() ? "another process" : holders));
}

// Takes a lock without waiting. An error IsInUse says who has it.
absl::Status TakeLock(const Place& place, FileDevice::LockMode mode, Bytes owner_offset) {
  struct flock lock = LockOn(place, mode);
  while (fcntl(place.fd, F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EACCES) return DescribeHolder(place, mode, owner_offset);
    return DeviceError(place.name, "lock", errno);
  }
  return absl::OkStatus();
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
  const Place device{path_, fd_};
  BETR_RETURN_IF_ERROR(TakeLock(device, mode, owner_offset));
  if (absl::Status status = is_block_device_ ? LockBehind(mode, owner_offset) : CheckInFront(mode); !status.ok()) {
    backing_.reset();
    struct flock lock = LockOn(device, mode);
    lock.l_type = F_UNLCK;
    fcntl(fd_, F_OFD_SETLK, &lock);
    return status;
  }
  owner_offset_ = owner_offset;
  is_exclusive_ = mode == LockMode::kExclusive;
  return absl::OkStatus();
}

absl::Status FileDevice::LockBehind(LockMode mode, Bytes owner_offset) {
  if (backing_ == nullptr) backing_ = LoopBacking::Open(fd_, access_ == Access::kReadWrite);
  if (backing_ != nullptr) {
    const Place file{absl::StrFormat("%s: the file behind it, %s", path_, backing_->path()), backing_->fd(),
                     backing_->begin(), backing_->size()};
    // Only a file that is in use counts. One that cannot be locked is nobody's.
    const absl::Status locked = TakeLock(file, mode, owner_offset);
    if (IsInUse(locked)) return locked;
  }
  if (mode == LockMode::kShared) return absl::OkStatus();
  const std::string other = ClaimedLoopBeside(fd_);
  return other.empty() ? ClaimBlockDevice() : ClaimedBy(other, "shows the same file");
}

absl::Status FileDevice::CheckInFront(LockMode mode) const {
  const std::string loop = mode == LockMode::kExclusive ? ClaimedLoopOn(fd_) : "";
  return loop.empty() ? absl::OkStatus() : ClaimedBy(loop, "shows it");
}

absl::Status FileDevice::ClaimedBy(const std::string& loop, std::string_view how) const {
  return absl::FailedPreconditionError(
      absl::StrFormat("%s: in use by %s, which %s and is mounted, or claimed otherwise", path_, loop, how));
}

absl::Status FileDevice::ClaimBlockDevice() {
  if (claim_fd_ >= 0) return absl::OkStatus();
  // Through /proc this opens the device that is open already, whatever its path names by now.
  claim_fd_ = open(absl::StrFormat("/proc/self/fd/%d", fd_).c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
  return claim_fd_ >= 0 ? absl::OkStatus() : DeviceError(path_, "claim for exclusive use", errno);
}

int FileDevice::DiscardingFd() {
  const MutexLock lock(owner_mutex_);
  return claim_fd_ >= 0 ? claim_fd_ : fd_;
}

absl::Status FileDevice::PublishOwner(const OwnerRecord& owner) {
  const MutexLock lock(owner_mutex_);
  Check(is_exclusive_, "an owner has an exclusive lock");
  BETR_RETURN_IF_ERROR(Write(owner_offset_, OwnerBlock(owner)));
  has_published_owner_ = true;
  return absl::OkStatus();
}

}  // namespace betr
