// SPDX-License-Identifier: Apache-2.0
// The command line of betrdump.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "dump_command.h"
#include "tool.h"

namespace betr::tools {

struct DumpOptions {
  bool replay = false;
  bool stale_ok = false;
  std::string mounted;  // a directory on a mount, whose live figures are wanted
  Bytes cache_size{0};
  std::vector<std::pair<CLI::App*, std::unique_ptr<DumpCommand>>> commands;

  // Whether the chosen command has this name. False before parsing.
  bool Is(std::string_view name) const;
  // Returns the command that the command line names. Null before parsing.
  DumpCommand* Chosen() const;
};

ToolDescription DumpDescription();
void AddDumpOptions(Tool& tool, DumpOptions* options);

}  // namespace betr::tools
