// SPDX-License-Identifier: Apache-2.0
// The threads that take requests from the kernel and answer them. What stands behind can be exchanged (an io_uring of
// a newer libfuse) without anybody else noticing.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "privileges.h"
#include "server.h"

namespace betr::fuse {

class SessionLoop {
 public:
  // Both outlive this.
  SessionLoop(Server* server, fuse_session* session);
  ~SessionLoop();
  SessionLoop(const SessionLoop&) = delete;
  SessionLoop& operator=(const SessionLoop&) = delete;

  void Start(unsigned threads);
  // Readable once the kernel has ended the session: the file system is unmounted.
  int ended() const { return ended_; }
  // Makes the threads stop after the request that each is busy with, and waits for them.
  void Stop();

 private:
  void Run();
  void Answer(fuse_buf* buffer, std::span<const char> request);

  Server& server_;
  fuse_session* session_;
  int ended_;  // an eventfd
  std::atomic<unsigned> running_{0};
  std::vector<std::thread> threads_;
};

}  // namespace betr::fuse
