// SPDX-License-Identifier: Apache-2.0
// libfuse's own loop. With -o io_uring most requests come to threads of its own, one for each processor, by rings;
// only what nobody waits for still comes from /dev/fuse.
#pragma once

#include <thread>

#include "server.h"
#include "session_loop.h"

namespace betr::fuse {

class LibraryLoop final : public SessionLoop {
 public:
  // Both outlive this.
  LibraryLoop(Server* server, fuse_session* session);
  ~LibraryLoop() override;
  LibraryLoop(const LibraryLoop&) = delete;
  LibraryLoop& operator=(const LibraryLoop&) = delete;

  void Start(unsigned threads) override;
  int ended() const override { return ended_; }
  void Stop() override;

 private:
  void Run(unsigned threads);

  Server& server_;
  fuse_session* session_;
  int ended_;  // an eventfd
  std::thread thread_;
};

}  // namespace betr::fuse
