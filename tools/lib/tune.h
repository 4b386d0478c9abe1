// SPDX-License-Identifier: Apache-2.0
// tune.betr: shows and changes what an image is called and what it keeps in reserve.
#pragma once

#include <string>

#include "betr/options.h"
#include "tool.h"

namespace betr::tools {

struct TuneCommand {
  std::string image;
  TuneOptions change;
  bool without_label = false;
  bool dry_run = false;
};

ToolDescription TuneDescription();
// Separate, so that a test can compare the parser with the manual page. Both must outlive the parsing.
void AddTuneOptions(Tool* tool, TuneCommand* command);

// The whole program. Returns its exit code.
int TuneMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
