// SPDX-License-Identifier: Apache-2.0
// A device that is a regular file or a raw block device. It knows one thing only of the image's format, and that from
// its caller: where the note on the owner is kept (device/owner_record.h).
//
// Locks are open-file-description locks on the whole file. They belong to this object, also against others in the same
// process, and end with it. They are advisory, and on network file systems as good as the file system. A lock on a loop
// device is also one on the part of the file that it shows (loop_backing.h). If what a loop device shows is mounted, it
// cannot be opened for writing in another way.
//
// After the first failed Flush every later one fails with the same error: the kernel may have dropped what it could
// not write, and a later success would hide that.
//
// Threads: as any BlockDevice. Cost: system calls only; reads and writes go through the page cache.
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "device/block_device.h"
#include "device/loop_backing.h"
#include "device/owner_record.h"

namespace betr {

class UnseenFile;

class FileDevice final : public BlockDevice {
 public:
  enum class Access { kReadOnly, kReadWrite };
  enum class LockMode { kShared, kExclusive };

  // Opens what exists. The size of a regular file is rounded down to whole blocks. Errors: kNotFound;
  // kFailedPrecondition (permissions, a read-only block device); kInvalidArgument (neither a file nor a block device,
  // or no path).
  static absl::StatusOr<std::unique_ptr<FileDevice>> Open(const std::string& path, Access access);

  // Makes a sparse regular file. Its name is durable on return. Errors: kAlreadyExists if there is anything at `path`.
  // Requires: size is a multiple of kBlockSize.
  static absl::StatusOr<std::unique_ptr<FileDevice>> Create(const std::string& path, Bytes size);

  // The same in a file that appears only once it has a content. A lock on the device is also one on the file. It ends
  // when both objects are gone. Requires: nobody has written to the file; size is a multiple of kBlockSize.
  static absl::StatusOr<std::unique_ptr<FileDevice>> In(const UnseenFile& file, Bytes size);

  // Removes the note on the owner, closes the file and so gives up the lock. Does not flush.
  ~FileDevice() override;

  absl::Status Read(Bytes offset, std::span<char> out) override;
  // Begins to store large writes at once. So they need not wait for a flush, nor the device for them.
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  // Punches a hole, or discards on a block device; ok where neither is supported.
  absl::Status Discard(Bytes offset, Bytes length) override;
  absl::Status Readahead(Bytes offset, Bytes length) override;
  Bytes Size() const override { return Bytes{size_.load()}; }
  std::string Name() const override { return path_; }

  // Makes a regular file larger (sparse). For a block device, takes over the size that it has now. Durable after the
  // next Flush. Errors: kFailedPrecondition if a block device is smaller than `size`. Requires: size is a multiple of
  // kBlockSize, and not below Size().
  absl::Status Grow(Bytes size);

  // Takes the lock without waiting. Changes nothing in the image, so the lock can be taken before it is known to be
  // one. Errors: if another holds the lock, says who, as far as the block at `owner_offset` tells (IsInUse,
  // device_error.h).
  //
  // An exclusive lock on a block device fails if the device is mounted, and keeps it from being mounted. One on a
  // regular file, or on a loop device, fails if another loop device that shows the same is mounted. It does not keep
  // one from being mounted. Requires: kExclusive only with Access::kReadWrite.
  absl::Status Lock(LockMode mode, Bytes owner_offset);

  // Writes the note on the owner into the block at the `owner_offset` that was given to Lock. The note is removed when
  // the device is closed. Requires: an exclusive lock.
  absl::Status PublishOwner(const OwnerRecord& owner);

  // True for a raw block device.
  bool IsBlockDevice() const { return is_block_device_; }

 private:
  FileDevice(std::string path, int fd, Access access, bool is_block_device, Bytes size);

  absl::Status CheckWritable(std::string_view operation) const;
  // Takes what else belongs to a lock: on a block device, and on a file.
  absl::Status LockBehind(LockMode mode, Bytes owner_offset) ABSL_EXCLUSIVE_LOCKS_REQUIRED(owner_mutex_);
  absl::Status CheckInFront(LockMode mode) const;
  absl::Status ClaimedBy(const std::string& loop, std::string_view how) const;
  absl::Status ClaimBlockDevice() ABSL_EXCLUSIVE_LOCKS_REQUIRED(owner_mutex_);
  // The kernel lets nobody discard from a claimed block device but through the descriptor that claimed it.
  int DiscardingFd() ABSL_LOCKS_EXCLUDED(owner_mutex_);

  const std::string path_;
  const int fd_;
  const Access access_;
  const bool is_block_device_;
  std::atomic<uint64_t> size_;  // bytes

  Mutex flush_mutex_;  // held across fdatasync: the kernel reports an error to one of the callers only
  absl::Status flush_error_ ABSL_GUARDED_BY(flush_mutex_);

  Mutex owner_mutex_;
  Bytes owner_offset_ ABSL_GUARDED_BY(owner_mutex_);
  bool is_exclusive_ ABSL_GUARDED_BY(owner_mutex_) = false;
  int claim_fd_ ABSL_GUARDED_BY(owner_mutex_) = -1;                     // a block device opened for exclusive use
  std::unique_ptr<LoopBacking> backing_ ABSL_GUARDED_BY(owner_mutex_);  // locked, too
  bool has_published_owner_ ABSL_GUARDED_BY(owner_mutex_) = false;
};

}  // namespace betr
