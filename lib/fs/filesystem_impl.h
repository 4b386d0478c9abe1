// SPDX-License-Identifier: Apache-2.0
// FileSystem::Impl: a core and the lock that guards it.
#pragma once

#include <memory>

#include "base/mutex.h"
#include "fs/core.h"

namespace betr {

class FileSystem::Impl {
 public:
  explicit Impl(std::unique_ptr<fs::Core> core) : core_(std::move(core)), store_(core_->store()) {}

  Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }
  fs::Core& core() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return *core_; }
  // Thread-safe by itself.
  Store& store() { return store_; }

 private:
  Mutex mutex_;
  std::unique_ptr<fs::Core> core_ ABSL_PT_GUARDED_BY(mutex_);
  Store& store_;
};

// FsSession is one operation. It holds the lock, and at its end drops inodes that nobody needs.
class ABSL_SCOPED_LOCKABLE FsSession {
 public:
  explicit FsSession(FileSystem::Impl& impl) ABSL_EXCLUSIVE_LOCK_FUNCTION(impl.mutex())
      : lock_(impl.mutex()), core_(impl.core()) {}
  ~FsSession() ABSL_UNLOCK_FUNCTION() { core_.inodes().Trim(); }
  FsSession(const FsSession&) = delete;
  FsSession& operator=(const FsSession&) = delete;

  fs::Core& core() { return core_; }
  // ESTALE if nobody refers to it.
  absl::StatusOr<fs::Inode*> Find(InodeId id) const;
  // Gives the caller of the operation a reference.
  Entry Refer(fs::Inode* inode);
  // The same for an inode that was there before.
  Entry Tell(fs::Inode* inode);

 private:
  MutexLock lock_;
  fs::Core& core_;
};

}  // namespace betr
