// SPDX-License-Identifier: Apache-2.0
#include "support/tools/man_page.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "betrcp_options.h"
#include "betrreplay_options.h"
#include "mkfs_options.h"
#include "resize.h"
#include "support/tools/run_tool.h"
#include "tool.h"
#include "tune.h"

namespace betr::tools {
namespace {

void CheckAgreement(const CLI::App& app, const std::string& page) {
  const std::set<std::string> parser = OptionsOfParser(app);
  CHECK(OptionsOfHelp(app.help()) == parser);
  CHECK(OptionsOfPage(ReadManPage(page)) == parser);
}

// Never called: only the parser is wanted.
ToolIo NoIo(std::stringstream& stream, Clock& clock) {
  return {.in = stream, .out = stream, .err = stream, .environment = {}, .clock = clock};
}

TEST_CASE("the manual of mkfs.betr explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io = NoIo(stream, clock);
  Tool tool(MkfsDescription(), io);
  MkfsOptions options;
  AddMkfsOptions(&tool, &options);
  CheckAgreement(tool.app(), "mkfs.betr.8");
}

TEST_CASE("the manual of betrcp explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io = NoIo(stream, clock);
  Tool tool(BetrcpDescription(), io);
  BetrcpOptions options;
  AddBetrcpOptions(&tool, &options);
  CheckAgreement(tool.app(), "betrcp.1");
}

TEST_CASE("the manual of betrreplay explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io = NoIo(stream, clock);
  Tool tool(BetrreplayDescription(), io);
  BetrreplayOptions options;
  AddBetrreplayOptions(&tool, &options);
  CheckAgreement(tool.app(), "betrreplay.1");
}

TEST_CASE("the manual of resize.betr explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io = NoIo(stream, clock);
  Tool tool(ResizeDescription(), io);
  ResizeOptions options;
  AddResizeOptions(&tool, &options);
  CheckAgreement(tool.app(), "resize.betr.8");
}

TEST_CASE("the manual of tune.betr explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io = NoIo(stream, clock);
  Tool tool(TuneDescription(), io);
  TuneCommand command;
  AddTuneOptions(&tool, &command);
  CheckAgreement(tool.app(), "tune.betr.8");
}

TEST_CASE("disagreement between manual and parser is found") {
  const std::string page =
      ".TP\n.BR \\-s \", \" \\-\\-size \" \\fISIZE\\fR\"\nText with \\-x.\n.TP\n.B \\-\\-all\\-root\n";
  CHECK(OptionsOfPage(page) == std::set<std::string>{"-s", "--size", "--all-root"});
  const std::string help = "Usage: -y\n  -s,--size SIZE   Size of --it\n  --json  Print JSON\nExamples:\n  tool -z\n";
  CHECK(OptionsOfHelp(help) == std::set<std::string>{"-s", "--size", "--json"});
}

}  // namespace
}  // namespace betr::tools
