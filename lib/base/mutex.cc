// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include "base/check.h"

namespace betr {

SharedMutex::SharedMutex() {
  pthread_rwlockattr_t attributes;
  Check(pthread_rwlockattr_init(&attributes) == 0 &&
            pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0 &&
            pthread_rwlock_init(&lock_, &attributes) == 0,
        "there are locks of this kind");
  pthread_rwlockattr_destroy(&attributes);
}

// Taking such a lock fails only if it is taken already by the same thread, or by too many readers.
ReaderLock::ReaderLock(SharedMutex& mutex) : lock_(mutex.lock_) {
  Check(pthread_rwlock_rdlock(&lock_) == 0, "a reader gets the lock");
}

WriterLock::WriterLock(SharedMutex& mutex) : lock_(mutex.lock_) {
  Check(pthread_rwlock_wrlock(&lock_) == 0, "a writer gets the lock");
}

}  // namespace betr
