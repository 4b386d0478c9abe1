// SPDX-License-Identifier: Apache-2.0
// The frame: what all tools do alike.
#include "tool.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "betr/version.h"
#include "betrcp.h"
#include "betrreplay.h"
#include "dump.h"
#include "fsck.h"
#include "json_output.h"
#include "mkfs.h"
#include "progress.h"
#include "resize.h"
#include "support/tools/run_tool.h"

namespace betr::tools {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// Prints what its options came out as, or does what it is told to.
int TestMain(Arguments args, ToolIo& io) {
  Tool tool({.name = "tested", .summary = "Does nothing.", .examples = "  tested -i x\n"}, io);
  Bytes size{7};
  std::string action;
  tool.app().add_option("ACTION", action);
  tool.AddSize("-s,--size", &size, "A size");
  tool.AddImage();
  tool.AddJson();
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  if (action == "fail") return tool.Fail("read", absl::NotFoundError("a/b: No such file or directory"));
  if (action == "damage") return tool.Fail("read", absl::DataLossError("node 3: checksum"));
  if (action == "note") tool.Note("by the way");
  if (action == "slow") {
    Progress progress(tool, "files");
    progress.Begin("import");
    progress.SetTotal(0, MiB(4));
    for (int i = 0; i < 20; ++i) {
      io.clock.Now();
      static_cast<ManualClock&>(io.clock).Advance(std::chrono::milliseconds(100));
      progress.Update(static_cast<uint64_t>(i), KiB(100) * static_cast<uint64_t>(i), "dir/name");
    }
  }
  io.out << size.value << ' ' << tool.image() << ' ' << tool.verbosity() << tool.quiet() << tool.json();
  return tool.Finish(kExitOk);
}

TEST_CASE("a tool explains itself") {
  ToolRun run;
  CHECK(run.Run(TestMain, {"--help"}) == kExitOk);
  CHECK_THAT(run.out, Contains("Does nothing.") && Contains("--size SIZE") && Contains("Examples:\n  tested -i x\n"));
  CHECK(run.err.empty());
  CHECK(run.Run(TestMain, {"--version"}) == kExitOk);
  CHECK(run.out == std::string("tested ") + LibraryVersion() + "\n");
}

TEST_CASE("the help of the tools names values by what they mean") {
  const auto fsck_main = [](Arguments args, ToolIo& io) {
    const std::atomic<bool> is_cancelled = false;
    return FsckMain(args, io, is_cancelled);
  };
  const auto check = [](absl::FunctionRef<int(Arguments, ToolIo&)> main, std::vector<std::string> arguments) {
    ToolRun run;
    arguments.emplace_back("--help");
    REQUIRE(run.Run(main, arguments) == kExitOk);
    for (const char* raw : {"UINT", "INT", "TEXT", "FLOAT", ":N", " in ["}) CHECK_THAT(run.out, !Contains(raw));
    return run.out;
  };
  CHECK_THAT(check(MkfsMain, {}), Contains("Usage: mkfs.betr [OPTIONS] IMAGE\n"));
  CHECK_THAT(check(fsck_main, {}), Contains("--lost-limit N "));
  CHECK_THAT(check(DumpMain, {}), Contains("--mounted DIR "));
  CHECK_THAT(check(DumpMain, {"tree"}), Contains("--depth N "));
  CHECK_THAT(check(DumpMain, {"path"}), Contains("--block N "));
  for (const char* command : {"dot", "log", "node", "space", "stat", "super", "table"}) check(DumpMain, {command});
  check(BetrcpMain, {});
  check(BetrreplayMain, {});
  check(ResizeMain, {});
}

TEST_CASE("a wrong command line is an error of its own") {
  ToolRun run;
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--no-such"}, {"-s"}, {"-s", "4KB"}, {"-s", "-1"}, {"a", "b"}, {"-i"}}) {
    INFO(wrong.back());
    CHECK(run.Run(TestMain, wrong) == kExitUsage);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, StartsWith("tested: ") && Contains("Try 'tested --help'."));
  }
}

// Has commands and options that have to be given.
int StrictMain(Arguments args, ToolIo& io) {
  Tool tool({.name = "strict", .summary = "Does nothing.", .examples = "  strict one 1 --to x\n"}, io);
  std::string target;
  int count = 0;
  tool.app().add_option("--to", target)->required();
  tool.app().require_subcommand(1);
  CLI::App* one = tool.app().add_subcommand("one");
  one->fallthrough();
  one->add_option("COUNT", count)->required();
  return tool.Parse(args).value_or(kExitOk);
}

TEST_CASE("what is mistyped comes before what is missing") {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--bogus"}, "--bogus: no such option"},
      {{"bogus"}, "bogus: no such command"},
      {{"--to", "x", "bogus", "1"}, "bogus: no such command"},
      {{"one", "--bogus"}, "--bogus: no such option"},
      {{"one", "1", "--to", "x", "2"}, "2: one argument too many"},
      {{"one", "1"}, "--to is required"},
      {{"one", "abc", "--to", "x"}, "COUNT: 'abc' is not a number, or not in range"},
  };
  for (const auto& [arguments, message] : cases) {
    ToolRun run;
    CHECK(run.Run(StrictMain, arguments) == kExitUsage);
    CHECK(run.err == "strict: " + message + "\nTry 'strict --help'.\n");
  }
  ToolRun run;
  CHECK(run.Run(StrictMain, {"one", "1", "--to", "x"}) == kExitOk);
  CHECK(run.Run(TestMain, {"-s", "4KB"}) == kExitUsage);
  CHECK_THAT(run.err, StartsWith("tested: --size: size '4KB': "));
}

TEST_CASE("options that tools share") {
  ToolRun run;
  CHECK(run.Run(TestMain, {}) == kExitOk);
  CHECK(run.out == "7  000");
  CHECK(run.Run(TestMain, {"-s", "1.5K", "-i", "x.img", "-vv", "-q", "--json"}) == kExitOk);
  CHECK(run.out == "1536 x.img 211");
}

TEST_CASE("the environment names the image unless -i does") {
  ToolRun run;
  run.environment["BETR_IMAGE"] = "env.img";
  run.Run(TestMain, {});
  CHECK(run.out == "7 env.img 000");
  run.Run(TestMain, {"-i", "x.img"});
  CHECK(run.out == "7 x.img 000");
}

TEST_CASE("errors say tool, what, where and why, and which kind they are") {
  ToolRun run;
  CHECK(run.Run(TestMain, {"fail"}) == kExitFailed);
  CHECK(run.err == "tested: read: a/b: No such file or directory\n");
  CHECK(run.Run(TestMain, {"damage", "-q"}) == kExitDamaged);
  CHECK(run.err == "tested: read: node 3: checksum\n");
  CHECK(run.Run(TestMain, {"note"}) == kExitOk);
  CHECK(run.err == "tested: by the way\n");
  CHECK(run.Run(TestMain, {"note", "-q"}) == kExitOk);
  CHECK(run.err.empty());
}

TEST_CASE("progress is for those who watch, and not for short work") {
  ToolRun run;
  run.Run(TestMain, {"slow"});
  CHECK(run.err.empty());
  run.is_terminal = true;
  run.Run(TestMain, {"slow", "-q"});
  CHECK(run.err.empty());
  run.Run(TestMain, {"slow"});
  // Shown for the first time after a second: nine hundred KiB of four MiB.
  CHECK_THAT(run.err, StartsWith("\rimport: 9 files, 900 KiB, 900 KiB/s, 22 %, 3.6 s left  dir/name"));
  CHECK_THAT(run.err, Catch::Matchers::EndsWith("\r\033[K"));
}

TEST_CASE("progress counts what it was told to count, and knows how far it is from whoever knows") {
  ToolRun run;
  run.is_terminal = true;
  const auto main = [](Arguments args, ToolIo& io) {
    Tool tool({.name = "tested", .summary = "Does nothing.", .examples = "  tested\n"}, io);
    if (const std::optional<int> exit = tool.Parse(args)) return *exit;
    Progress progress(tool, "");
    progress.Begin("check files");
    static_cast<ManualClock&>(io.clock).Advance(std::chrono::seconds(2));
    progress.Update(0, MiB(4));
    progress.SetFraction([] { return 0.25; });
    static_cast<ManualClock&>(io.clock).Advance(std::chrono::seconds(2));
    progress.Update(0, MiB(4));
    return 0;
  };
  CHECK(run.Run(main, {}) == kExitOk);
  CHECK(run.err == "\rcheck files: 4 MiB, 2 MiB/s\033[K\rcheck files: 4 MiB, 1 MiB/s, 25 %, 12 s left\033[K\r\033[K");
}

TEST_CASE("durations have the unit that people would choose") {
  using std::chrono::nanoseconds;
  const auto text = [](double seconds) { return FormatDuration(nanoseconds(static_cast<int64_t>(seconds * 1e9))); };
  CHECK(text(0.00018) == "180 us");
  CHECK(text(0.0412) == "41.2 ms");
  CHECK(text(0.34) == "0.3 s");
  CHECK(text(12.4) == "12 s");
  CHECK(text(185) == "3:05");
  CHECK(text(7800) == "2:10:00");
}

TEST_CASE("JSON that is printed item by item is the same") {
  for (const size_t count : {0, 1, 3}) {
    Json whole = NewDocument("test");
    std::ostringstream out;
    JsonArrayPrinter printer(out, whole, "entries");
    whole["entries"] = Json::array();
    for (size_t i = 0; i < count; ++i) {
      const Json element = {{"path", "a\nb\xff"}, {"more", {{"number", i}, {"none", Json::array()}}}};
      printer.Add(element);
      whole["entries"].push_back(element);
    }
    printer.Finish();
    std::ostringstream expected;
    PrintJson(expected, whole);
    CHECK(Json::parse(out.str()) == Json::parse(expected.str()));
  }
}

TEST_CASE("a terminal gets no control characters with an error") {
  const auto main = [](Arguments args, ToolIo& io) {
    Tool tool({.name = "tested", .summary = "Does nothing.", .examples = "  tested\n"}, io);
    if (const std::optional<int> exit = tool.Parse(args)) return *exit;
    return tool.Fail("read", absl::NotFoundError("a\x1b[2J\xc3\xa4: No such file or directory"));
  };
  ToolRun run;
  run.Run(main, {});
  CHECK(run.err == "tested: read: a\x1b[2J\xc3\xa4: No such file or directory\n");
  run.is_terminal = true;
  run.Run(main, {});
  CHECK(run.err == "tested: read: a\\x1b[2J\\xc3\\xa4: No such file or directory\n");
  run.Run(main, {"\x1b"});
  CHECK_THAT(run.err, StartsWith("tested: \\x1b: "));
}

TEST_CASE("JSON says what it is and survives any bytes") {
  Json json = NewDocument("test");
  json["name"] = JsonText("a\xff");
  json["text"] = JsonText("\xc3\xa4");
  std::ostringstream out;
  PrintJson(out, json);
  const Json read = Json::parse(out.str());
  CHECK(read["schema"] == "betr.test");
  CHECK(read["version"] == kJsonVersion);
  CHECK(read["name"]["escaped"] == "a\\xff");
  CHECK(read["text"] == "\xc3\xa4");
}

}  // namespace
}  // namespace betr::tools
