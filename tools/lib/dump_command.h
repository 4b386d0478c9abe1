// SPDX-License-Identifier: Apache-2.0
// The subcommands of betrdump, one per file. Each takes its own options and prints one kind of thing.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "dump_image.h"
#include "tool.h"

namespace betr::tools {

struct DumpContext {
  Tool& tool;
  DumpImage& image;
  std::ostream& out;
  bool json = false;
};

class DumpCommand {
 public:
  virtual ~DumpCommand() = default;

  // Adds the subcommand and its options to the parser.
  virtual CLI::App* AddTo(CLI::App& app) = 0;
  // Returns what is wrong with the arguments that the parser could not find; nothing if they make sense.
  virtual std::optional<std::string> FindMistake() const { return std::nullopt; }
  // Prints what was asked for, or as much of it as can be read. Errors name what cannot be read.
  virtual absl::Status Run(DumpContext& context) = 0;
};

std::unique_ptr<DumpCommand> MakeDumpSuper();
std::unique_ptr<DumpCommand> MakeDumpNode();
std::unique_ptr<DumpCommand> MakeDumpTree();
std::unique_ptr<DumpCommand> MakeDumpPath();
std::unique_ptr<DumpCommand> MakeDumpTable();
std::unique_ptr<DumpCommand> MakeDumpLog();
std::unique_ptr<DumpCommand> MakeDumpSpace();
std::unique_ptr<DumpCommand> MakeDumpStat();
std::unique_ptr<DumpCommand> MakeDumpDot();

// Returns all of them, in the order in which help shows them.
std::vector<std::unique_ptr<DumpCommand>> AllDumpCommands();

}  // namespace betr::tools
