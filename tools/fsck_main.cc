// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "fsck.h"

namespace {

// What a signal handler may touch.
std::atomic<bool> is_cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void Cancel(int /*signal*/) { is_cancelled = true; }

// The second signal ends the program at once. The first one ends the call that waits: it is not begun again. Who
// started this may have seen to it that the signal is ignored (nohup(1), a shell's background): it stays so.
void CancelOn(int signal) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = Cancel;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) CancelOn(signal);
  betr::tools::ToolIo io = betr::tools::ProcessIo(betr::tools::kFsckOperational);
  return betr::tools::FsckMain({argv, static_cast<size_t>(argc)}, io, is_cancelled);
}
