// SPDX-License-Identifier: Apache-2.0
#include "support/tools/run_tool.h"

#include <sstream>

namespace betr::tools {

int ToolRun::Run(absl::FunctionRef<int(Arguments, ToolIo&)> main, const std::vector<std::string>& arguments) {
  std::istringstream in_stream(in);
  std::ostringstream out_stream;
  std::ostringstream err_stream;
  const auto look_up = [this](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  ToolIo io{.in = in_stream,
            .out = out_stream,
            .err = err_stream,
            .is_in_terminal = is_terminal,
            .is_out_terminal = is_terminal,
            .is_err_terminal = is_terminal,
            .columns = 100,
            .environment = look_up,
            .clock = clock};
  std::vector<const char*> pointers{"tool"};
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  exit = main(pointers, io);
  out = out_stream.str();
  err = err_stream.str();
  return exit;
}

}  // namespace betr::tools
