// SPDX-License-Identifier: Apache-2.0
#include "support/device/data_flushes.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace betr {
namespace {

Mutex mutex;
std::optional<std::map<ino_t, int>> counts ABSL_GUARDED_BY(mutex);

void Count(int fd) {
  struct stat info {};
  const MutexLock lock(mutex);
  if (counts && fstat(fd, &info) == 0) ++(*counts)[info.st_ino];
}

int CallNext(int fd) {
  static auto* const next = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fdatasync"));
  Check(next != nullptr, "the C library has fdatasync");
  return next(fd);
}

}  // namespace

DataFlushes::DataFlushes() {
  const MutexLock lock(mutex);
  Check(!counts, "one at a time");
  counts.emplace();
}

DataFlushes::~DataFlushes() {
  const MutexLock lock(mutex);
  counts.reset();
}

int DataFlushes::TakeCount(const std::string& path) {
  struct stat info {};
  Check(stat(path.c_str(), &info) == 0, "there is such a file");
  const MutexLock lock(mutex);
  return std::exchange((*counts)[info.st_ino], 0);
}

}  // namespace betr

extern "C" int fdatasync(int fd) {
  betr::Count(fd);
  return betr::CallNext(fd);
}
