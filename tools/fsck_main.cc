// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "fsck.h"

namespace {

// A signal handler may touch this, since it is lock-free.
std::atomic<bool> is_cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void Cancel(int /*signal*/) { is_cancelled = true; }

// Makes a signal cancel the check. The first one also ends a call that waits, which is not begun again. The second one
// ends the program at once. A signal that is ignored stays so: whoever started this may have seen to that (nohup(1), a
// shell's background).
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
