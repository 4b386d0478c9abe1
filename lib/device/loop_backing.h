// SPDX-License-Identifier: Apache-2.0
// The file behind a loop device, and the loop devices on a file. The device and the file are two inodes with the same
// bytes, and a lock on one says nothing to who opens the other.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/scoped_fd.h"
#include "base/units.h"

namespace betr {

class LoopBacking {
 public:
  // Opens the file behind the loop device that is open as `loop`. Null if there is nothing that others could lock, or
  // if the file cannot be had. That is so for what is no loop device, for a partition of one, and for a file that is
  // deleted, may not be opened, or has another name here.
  static std::unique_ptr<LoopBacking> Open(int loop, bool is_writable);
  LoopBacking(const LoopBacking&) = delete;
  LoopBacking& operator=(const LoopBacking&) = delete;

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  // The part of the file that the device shows. Size 0: up to its end.
  Bytes begin() const { return begin_; }
  Bytes size() const { return size_; }

 private:
  LoopBacking(std::string path, ScopedFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  const std::string path_;
  const ScopedFd fd_;
  Bytes begin_{0};
  Bytes size_{0};
};

// The path of the file behind a loop device, if `path` is that of one, as with Open. Otherwise `path`.
std::string FileBehind(const std::string& path);

// The other way round: finds a loop device that shows something of the regular file open as `file`, and that somebody
// has claimed, or a partition of it. A mount claims a device, as do swap and a device mapper. Empty if there is none.
// Of a device that this process may not open, only mounts are seen, and only those in its own namespace. Looks into
// /sys once for each loop device that there is.
std::string ClaimedLoopOn(int file);

// The same for what the loop device open as `loop` shows: finds another one that shows some of that. Empty also if
// `loop` is something else, or a partition.
std::string ClaimedLoopBeside(int loop);

}  // namespace betr
