// SPDX-License-Identifier: Apache-2.0
// Everything through which a tool meets the world, besides the files that its arguments name. Tests give it strings and
// a clock of their own and run the tool in process.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "base/clock.h"
#include "exit_code.h"

namespace betr::tools {

struct ToolIo {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  // stdin and stdout as descriptors, for archives: -1 where there is none.
  int in_descriptor = -1;
  int out_descriptor = -1;
  // Whether each stream is a terminal. Progress is for those who watch, binary output for those who do not.
  bool is_in_terminal = false;
  bool is_out_terminal = false;
  bool is_err_terminal = false;
  size_t columns = 80;  // of the terminal
  std::function<std::optional<std::string>(const std::string&)> environment;
  Clock& clock;
};

// A program's arguments as main got them, with its name first.
using Arguments = std::span<const char* const>;

// Returns the streams, environment and clock of this process. Also gives it a single malloc arena (base/free_memory.h).
// When memory runs out, the process says so and exits with `no_memory_exit`. A write beyond the limit of file sizes
// (RLIMIT_FSIZE) is an error, and no signal. Call it once, before anything is read or written.
ToolIo ProcessIo(int no_memory_exit = kExitFailed);

}  // namespace betr::tools
