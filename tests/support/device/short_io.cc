// SPDX-License-Identifier: Apache-2.0
#include "support/device/short_io.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/check.h"
#include "base/mutex.h"
#include "base/random.h"
#include "support/device/read_hook.h"

namespace betr {
namespace {

struct Limits {
  Random random;
  uint64_t cut = 0;
  uint64_t interrupted = 0;
};

Mutex mutex;
std::optional<Limits> limits ABSL_GUARDED_BY(mutex);

// How much of a transfer is done; 0: it is interrupted.
size_t Allowed(size_t size) {
  const MutexLock lock(mutex);
  if (!limits || size == 0 || limits->random.OneIn(4)) return size;
  if (limits->random.OneIn(4)) {
    ++limits->interrupted;
    return 0;
  }
  const size_t allowed = limits->random.Between(1, size);
  limits->cut += allowed < size ? 1 : 0;
  return allowed;
}

template <class Function>
Function* Next(const char* name) {
  auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  Check(next != nullptr, "the C library has pread and pwrite");
  return next;
}

ssize_t Interrupt() {
  errno = EINTR;
  return -1;
}

}  // namespace

ShortIo::ShortIo(uint64_t seed) {
  const MutexLock lock(mutex);
  Check(!limits, "one at a time");
  limits.emplace(Limits{Random(seed)});
}

ShortIo::~ShortIo() {
  const MutexLock lock(mutex);
  limits.reset();
}

uint64_t ShortIo::Short() const {
  const MutexLock lock(mutex);
  return limits->cut;
}

uint64_t ShortIo::Interrupted() const {
  const MutexLock lock(mutex);
  return limits->interrupted;
}

}  // namespace betr

extern "C" {

ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  static auto* const next = betr::Next<ssize_t(int, void*, size_t, off_t)>("pread");
  const size_t allowed = betr::Allowed(size);
  if (size > 0 && allowed == 0) return betr::Interrupt();
  const ssize_t count = next(fd, buffer, allowed, offset);
  betr::CountRead();
  return count;
}

ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
  static auto* const next = betr::Next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const size_t allowed = betr::Allowed(size);
  return size > 0 && allowed == 0 ? betr::Interrupt() : next(fd, buffer, allowed, offset);
}

}  // extern "C"
