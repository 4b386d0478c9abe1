// SPDX-License-Identifier: Apache-2.0
#include "tool_io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>

#include "base/free_memory.h"

namespace betr::tools {
namespace {

std::optional<std::string> Environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing in betr sets variables
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

size_t TerminalColumns() {
  constexpr size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// Occupies standard streams that are closed. Otherwise the next file that is opened, the image, would become one, and
// what is printed would be written into it. What takes the place can be read, or written, as little as a closed stream.
void OccupyClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    const int taken = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (taken != stream) std::abort();  // nobody can be told
  }
}

// The exit code when there is no memory left.
int out_of_memory_exit = kExitFailed;

// Ends the program where `new` failed. What is written by then is as after a crash, which images are made for.
// Allocates nothing.
void EndWithoutMemory() {
  constexpr std::string_view kMessage = ": out of memory\n";
  const std::string_view program = program_invocation_short_name;
  for (const std::string_view part : {program, kMessage}) {
    if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  }
  _exit(out_of_memory_exit);
}

}  // namespace

ToolIo ProcessIo(int no_memory_exit) {
  out_of_memory_exit = no_memory_exit;
  std::set_new_handler(EndWithoutMemory);
  std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail
  OccupyClosedStreams();
  TuneMalloc();
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  return ToolIo{.in = std::cin,
                .out = std::cout,
                .err = std::cerr,
                .in_descriptor = STDIN_FILENO,
                .out_descriptor = STDOUT_FILENO,
                .is_in_terminal = isatty(STDIN_FILENO) == 1,
                .is_out_terminal = isatty(STDOUT_FILENO) == 1,
                .is_err_terminal = isatty(STDERR_FILENO) == 1,
                .columns = TerminalColumns(),
                .environment = Environment,
                .clock = SystemClock()};
}

}  // namespace betr::tools
