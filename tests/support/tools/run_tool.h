// SPDX-License-Identifier: Apache-2.0
// Runs a tool in process. Everything that it could read or print is a string, and its clock is a test's.
#pragma once

#include <absl/functional/function_ref.h>

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tool_io.h"

namespace betr::tools {

// What a tool finds, and what it left.
struct ToolRun {
  std::string in;
  std::map<std::string, std::string> environment;
  bool is_terminal = false;
  ManualClock clock;

  int exit = -1;
  std::string out;
  std::string err;

  // Runs `main` with the arguments (without the name of the program). Returns the exit code, and keeps it in `exit`.
  int Run(absl::FunctionRef<int(Arguments, ToolIo&)> main, const std::vector<std::string>& arguments);
};

}  // namespace betr::tools
