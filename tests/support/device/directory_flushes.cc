// SPDX-License-Identifier: Apache-2.0
#include "support/device/directory_flushes.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace betr {
namespace {

struct Record {
  std::vector<std::string> paths;
  int error = 0;
  bool interrupts = false;
  bool next_is_interrupted = true;
};

Mutex mutex;
std::optional<Record> record ABSL_GUARDED_BY(mutex);

// The errno that the call is to give, or 0.
int Note(int fd) {
  struct stat info {};
  const MutexLock lock(mutex);
  if (record && record->interrupts && std::exchange(record->next_is_interrupted, !record->next_is_interrupted)) {
    return EINTR;
  }
  if (!record || fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)) return 0;
  record->paths.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)).string());
  return record->error;
}

int CallNext(int fd) {
  static auto* const next = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
  Check(next != nullptr, "the C library has fsync");
  return next(fd);
}

}  // namespace

DirectoryFlushes::DirectoryFlushes() {
  const MutexLock lock(mutex);
  Check(!record, "one at a time");
  record.emplace();
}

DirectoryFlushes::~DirectoryFlushes() {
  const MutexLock lock(mutex);
  record.reset();
}

std::vector<std::string> DirectoryFlushes::Paths() const {
  const MutexLock lock(mutex);
  return record->paths;
}

void DirectoryFlushes::Fail(int error) {
  const MutexLock lock(mutex);
  record->error = error;
}

void DirectoryFlushes::Interrupt() {
  const MutexLock lock(mutex);
  record->interrupts = true;
}

}  // namespace betr

extern "C" int fsync(int fd) {
  const int error = betr::Note(fd);
  if (error == 0) return betr::CallNext(fd);
  errno = error;
  return -1;
}
