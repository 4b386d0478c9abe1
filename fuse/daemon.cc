// SPDX-License-Identifier: Apache-2.0
#include "daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/check.h"

namespace betr::fuse {
namespace {

constexpr char kReady = 'r';

// Returns the exit code of the process that was called: 0 once the daemon is ready, otherwise the daemon's own.
int WaitFor(pid_t daemon, int report) {
  char byte = 0;
  if (read(report, &byte, 1) == 1 && byte == kReady) return EXIT_SUCCESS;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(daemon, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == daemon && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

}  // namespace

Daemon::Daemon(bool background) {
  if (!background) return;
  std::array<int, 2> ends{};
  Check(pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be had");
  const pid_t child = fork();
  Check(child >= 0, "a process can be had");
  if (child > 0) {
    close(ends[1]);
    _exit(WaitFor(child, ends[0]));
  }
  close(ends[0]);
  report_ = ends[1];
  setsid();
}

Daemon::~Daemon() {
  if (report_ >= 0) close(report_);
}

bool Daemon::IsAwaited() const {
  pollfd reader{report_, 0, 0};  // nobody reads any more: POLLERR
  return report_ < 0 || poll(&reader, 1, 0) <= 0;
}

void Daemon::Ready() {
  if (report_ < 0) return;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  close(null);
  Check(chdir("/") == 0, "the root can be entered");
  // Whoever waited may have been killed meanwhile.
  [[maybe_unused]] const ssize_t written = write(report_, &kReady, 1);
  close(report_);
  report_ = -1;
}

}  // namespace betr::fuse
