// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "fsck.h"

namespace {

// What a signal handler may touch.
std::atomic<bool> is_cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// The second signal ends the program at once.
void Cancel(int signal) {
  is_cancelled = true;
  std::signal(signal, SIG_DFL);  // NOLINT(cert-err33-c): there is nothing to be done about it here
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, Cancel);
  std::signal(SIGTERM, Cancel);
  betr::tools::ToolIo io = betr::tools::ProcessIo();
  return betr::tools::FsckMain({argv, static_cast<size_t>(argc)}, io, is_cancelled);
}
