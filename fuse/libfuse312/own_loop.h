// SPDX-License-Identifier: Apache-2.0
// Threads that read requests from /dev/fuse, by turns (watch.h). Some are answered without libfuse (raw_requests.h), or
// looked at before it gets them (privilege_marks.h).
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "server.h"
#include "session_loop.h"
#include "watch.h"

namespace betr::fuse {

class OwnLoop final : public SessionLoop {
 public:
  // Both outlive this. `look`: how long a thread looks for a request before it sleeps.
  OwnLoop(Server* server, fuse_session* session, std::chrono::microseconds look);
  ~OwnLoop() override;
  OwnLoop(const OwnLoop&) = delete;
  OwnLoop& operator=(const OwnLoop&) = delete;

  void Start(unsigned threads) override;
  int ended() const override { return ended_; }
  void Stop() override;

 private:
  void Run();
  void Answer(fuse_buf* buffer, std::span<const char> request);
  // Whether -o allow_root forbids it. libfuse looks after that itself for all that it gets.
  bool IsOfStranger(std::span<const char> request) const;

  Server& server_;
  fuse_session* session_;
  int ended_;  // an eventfd
  Watch watch_;
  std::atomic<unsigned> running_{0};
  std::vector<std::thread> threads_;
};

}  // namespace betr::fuse
