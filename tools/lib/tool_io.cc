// SPDX-License-Identifier: Apache-2.0
#include "tool_io.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

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

}  // namespace

ToolIo ProcessIo() {
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
