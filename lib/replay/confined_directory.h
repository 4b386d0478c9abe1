// SPDX-License-Identifier: Apache-2.0
// A directory in which files are found and opened by paths that may have been chosen by an enemy, as those of a trace
// are. The caller may be root. The promise: nothing outside of the directory is touched, no device is opened and no
// fifo waited for, whatever the paths say, and whatever is in the directory.
//
// 1. Paths are walked from the descriptor of the directory. No symlink on the way is followed, none leads out by `..`
//    or as an absolute path, and length is no obstacle up to kLongestConfinedPath.
// 2. A name is handed out together with the descriptor of the directory that holds it, and is never `..`. Callers may
//    use it in calls that do not follow it if it is a symlink: unlinkat, renameat2, mkdirat, linkat without
//    AT_SYMLINK_FOLLOW, fstatat with AT_SYMLINK_NOFOLLOW, openat with O_CREAT and O_EXCL, ...
// 3. All else goes to a descriptor that Find has opened with O_PATH, which does nothing to what is found. Its type is
//    looked at, and what then happens to it (OpenFound, or a call on PathOfDescriptor) is about that very object,
//    whatever happens to its name meanwhile.
//
// Needs /proc. Keeps no descriptors but its own, so it costs two system calls, opening and closing, for what lies in
// directories below it. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"

namespace betr::replay {

// Longer paths are refused. Programs that go down step by step can make such; one that makes a tree of any depth shall
// not cost a walk of any length for each of its names.
inline constexpr size_t kLongestConfinedPath = 20480;

class ConfinedDirectory {
 public:
  // By openat2(2) in one call, or, before Linux 5.6, component by component.
  enum class Walk : uint8_t { kAtOnce, kBySteps };

  // A name, and the directory that holds it. Must not outlive the ConfinedDirectory.
  class Entry {
   public:
    Entry(ScopedFd held, int directory, std::string name)
        : held_(std::move(held)), directory_(directory), name_(std::move(name)) {}
    int directory() const { return directory_; }  // negative: there is none, and errno says why
    const char* name() const { return name_.c_str(); }

   private:
    ScopedFd held_;
    int directory_;
    std::string name_;
  };

  explicit ConfinedDirectory(ScopedFd directory);
  ConfinedDirectory(ScopedFd directory, Walk walk);

  int get() const { return directory_.get(); }

  // Paths are relative; "." is the directory itself, and "" nothing. A negative result means failure, and errno says
  // why: also ELOOP or ENOTDIR for a symlink on the way, EXDEV for a path that leads out.

  // Walks to the directory that holds the last name.
  Entry Enter(std::string_view path) const;
  // Opens with O_PATH what the path leads to, also if that is a symlink.
  ScopedFd Find(std::string_view path) const;

  // Opens once more what the descriptor is of, with these flags of open(2), if it is a file or a directory. ELOOP if it
  // is a symlink, ENXIO if it is anything else.
  static ScopedFd OpenFound(int descriptor, int flags);
  // A path that leads to what the descriptor is of, and no further if that is a symlink.
  static std::string PathOfDescriptor(int descriptor);

 private:
  ScopedFd Open(int base, const std::string& path, int flags) const;
  ScopedFd OpenBySteps(int base, std::string_view path, int flags) const;
  ScopedFd OpenLong(std::string_view path, int flags) const;

  const ScopedFd directory_;
  const Walk walk_;
};

}  // namespace betr::replay
