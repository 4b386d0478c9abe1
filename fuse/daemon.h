// SPDX-License-Identifier: Apache-2.0
// Goes into the background without losing what happens on the way. The program that was called ends only when its
// daemon is ready or has failed. If it has failed, it ends with the daemon's exit code.
#pragma once

namespace betr::fuse {

class Daemon {
 public:
  // Forks if `background`. Does not return in the calling process then. Call it before there are threads.
  explicit Daemon(bool background);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Whether the process that was called still waits. If it was killed, nobody wants the daemon any more.
  bool IsAwaited() const;

  // Says that the daemon has begun its work. Lets go of the terminal and of the working directory.
  void Ready();

 private:
  int report_ = -1;  // where the waiting process reads; -1 in the foreground
};

}  // namespace betr::fuse
