// SPDX-License-Identifier: Apache-2.0
#include "libfuse318/library_loop.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <system_error>

#include "base/check.h"

namespace betr::fuse {

LibraryLoop::LibraryLoop(Server* server, fuse_session* session)
    : server_(*server), session_(session), ended_(eventfd(0, EFD_CLOEXEC)) {
  Check(ended_ >= 0, "an eventfd can be had");
}

LibraryLoop::~LibraryLoop() {
  Stop();
  close(ended_);
}

void LibraryLoop::Start(unsigned threads) {
  thread_ = std::thread([this, threads] { Run(threads); });
}

void LibraryLoop::Run(unsigned threads) {
  const std::unique_ptr<fuse_loop_config, void (*)(fuse_loop_config*)> config(fuse_loop_cfg_create(),
                                                                              fuse_loop_cfg_destroy);
  Check(config != nullptr, "memory can be had");
  fuse_loop_cfg_set_max_threads(config.get(), threads);
  if (const int result = fuse_session_loop_mt(session_, config.get()); result < 0) {
    server_.log().Write(LogLevel::kError, fmt::format("receive: {}", std::generic_category().message(-result)));
  }
  const uint64_t one = 1;
  Check(write(ended_, &one, sizeof one) == sizeof one, "an eventfd counts");
}

void LibraryLoop::Stop() {
  fuse_session_exit(session_);
  if (thread_.joinable()) thread_.join();
}

}  // namespace betr::fuse
