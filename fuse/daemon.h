// SPDX-License-Identifier: Apache-2.0
// Going into the background without losing what happens on the way: the program that was called ends only when its
// daemon is ready or has failed, with the daemon's exit code.
#pragma once

namespace betr::fuse {

class Daemon {
 public:
  // Forks if `background`; in the caller's process it does not return. To be called before there are threads.
  explicit Daemon(bool background);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Whether the process that was called still waits: if it was killed, nobody wants the daemon any more.
  bool IsAwaited() const;

  // The daemon has begun its work: lets go of the terminal and of the working directory.
  void Ready();

 private:
  int report_ = -1;  // where the waiting process reads; -1 in the foreground
};

}  // namespace betr::fuse
