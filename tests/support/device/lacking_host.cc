// SPDX-License-Identifier: Apache-2.0
#include "support/device/lacking_host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/mutex.h"

namespace betr {
namespace {

Mutex mutex;
std::optional<LackingHost::Lacks> lacks_now ABSL_GUARDED_BY(mutex);

LackingHost::Lacks Now() {
  const MutexLock lock(mutex);
  return lacks_now.value_or(LackingHost::Lacks{});
}

template <class Function>
Function* Next(const char* name) {
  auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  Check(next != nullptr, "the C library has the calls");
  return next;
}

int Fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

LackingHost::LackingHost(const Lacks& lacks) {
  const MutexLock lock(mutex);
  Check(!lacks_now, "one at a time");
  lacks_now = lacks;
}

LackingHost::~LackingHost() {
  const MutexLock lock(mutex);
  lacks_now.reset();
}

}  // namespace betr

extern "C" {

int open(const char* path, int flags, ...) {
  static auto* const next = betr::Next<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE && betr::Now().unnamed_files) return betr::Fail(EOPNOTSUPP);
  return next(path, flags, mode);
}

int linkat(int from_dir, const char* from, int to_dir, const char* to, int flags) noexcept {
  static auto* const next = betr::Next<int(int, const char*, int, const char*, int)>("linkat");
  const betr::LackingHost::Lacks lacks = betr::Now();
  const bool by_proc = std::string_view(from).starts_with("/proc/");
  const bool is_missing = (by_proc && lacks.proc) || ((flags & AT_EMPTY_PATH) != 0 && lacks.links_of_open);
  return is_missing ? betr::Fail(ENOENT) : next(from_dir, from, to_dir, to, flags);
}

int link(const char* from, const char* to) noexcept {
  static auto* const next = betr::Next<int(const char*, const char*)>("link");
  return betr::Now().links ? betr::Fail(EPERM) : next(from, to);
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) noexcept {
  static auto* const next = betr::Next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  const bool is_missing = flags != 0 && betr::Now().exclusive_rename;
  return is_missing ? betr::Fail(EINVAL) : next(from_dir, from, to_dir, to, flags);
}

}  // extern "C"
