// SPDX-License-Identifier: Apache-2.0
// betrdump: each subcommand on an image of many tiny nodes, as text and as JSON, and on damaged ones.
#include "dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "device/file_device.h"
#include "dump_options.h"
#include "dump_text.h"
#include "layout/open_locked.h"
#include "support/tools/man_page.h"
#include "support/tools/run_tool.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using Holder = store::UsedExtent::Holder;
using nlohmann::json;

bool Says(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

// What a run on the image prints; it must succeed.
std::string Text(const SampleImage& image, std::vector<std::string> arguments) {
  ToolRun run;
  run.environment["BETR_IMAGE"] = image.path();
  const int exit = run.Run(DumpMain, arguments);
  INFO(run.err);
  REQUIRE(exit == kExitOk);
  REQUIRE(run.err.empty());
  return run.out;
}

json Parsed(const SampleImage& image, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--json");
  json document = json::parse(Text(image, std::move(arguments)));
  CHECK(document["version"] == 1);
  return document;
}

TEST_CASE("betrdump super shows both superblocks and the catalog") {
  const SampleImage image;
  const std::string text = Text(image, {"super"});
  CHECK(Says(text, "(newest)"));
  CHECK(Says(text, "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10"));
  CHECK(Says(text, "\"sample\""));
  CHECK(Says(text, "snapshot"));
  const json document = Parsed(image, {"super"});
  CHECK(document["schema"] == "betr.super");
  CHECK(document["slots"].size() == 2);
  CHECK(document["slots"][document["newest"].get<size_t>()]["label"] == "sample");
  CHECK(document["catalog"]["trees"].size() == 3);
  // The last unit has what the newest slot has.
  const json& newest = document["slots"][document["newest"].get<size_t>()];
  CHECK(document["copy"] == newest);
  CHECK(document["copy_unit"] == newest["device_units"].get<uint64_t>() - 1);
  image.Flip(Bytes{document["copy_unit"].get<uint64_t>() * 4096 + 50});
  CHECK(Parsed(image, {"super"})["copy"].is_null());
  CHECK(Says(Text(image, {"super"}), ": none\n"));
}

TEST_CASE("betrdump table lists every node, and node shows each of them") {
  const SampleImage image;
  const json table = Parsed(image, {"table"});
  REQUIRE(table["nodes"].size() == table["count"]);
  REQUIRE(table["nodes"].size() > 50);
  size_t entries = 0;
  size_t edges = 0;
  for (const json& row : table["nodes"]) {
    const std::string id = std::to_string(row["id"].get<uint64_t>());
    const json node = Parsed(image, {"node", id, "--keys"});
    CHECK(node["height"] == row["height"]);
    CHECK(node["extent"] == row["extent"]);
    if (row["height"] == 0) {
      for (const json& basement : node["basements"]) {
        entries += basement["content"].size();
      }
    } else {
      edges += node["edges"].size();
    }
  }
  CHECK(entries >= 800);
  CHECK(edges > 50);
  const json shared = Parsed(image, {"table", "--shared"});
  CHECK_FALSE(shared["nodes"].empty());
  CHECK(std::all_of(shared["nodes"].begin(), shared["nodes"].end(),
                    [](const json& row) { return row["references"] > 1; }));
  const std::string text = Text(image, {"table"});
  CHECK(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) == table["nodes"].size() + 1);
}

TEST_CASE("betrdump gives no place in bytes to what is scattered") {
  CHECK(ExtentJson({.start = 3, .units = 2}).dump() ==
        R"({"unit":3,"units":2,"scattered":false,"offset":12288,"size":8192})");
  CHECK(ExtentJson({.start = 3, .units = 2, .scattered = true}).dump() == R"({"unit":3,"units":2,"scattered":true})");
}

TEST_CASE("betrdump node shows keys escaped") {
  const SampleImage image;
  const json table = Parsed(image, {"table"});
  std::string all;
  for (const json& row : table["nodes"]) {
    all += Text(image, {"node", std::to_string(row["id"].get<uint64_t>()), "--keys"});
  }
  CHECK(Says(all, "42\" put 62 bytes \"vvv"));
  CHECK(Says(all, "goto "));
  CHECK(Says(all, "\\xff\\x01"));
}

TEST_CASE("betrdump tree goes from the root as deep as wanted") {
  const SampleImage image;
  const json all = Parsed(image, {"tree"});
  REQUIRE(all["trees"].size() == 3);
  const json one = Parsed(image, {"tree", "main", "--depth", "1"});
  REQUIRE(one["trees"].size() == 1);
  const json& root = one["trees"][0]["root"];
  REQUIRE(root["edges"].size() > 0);
  bool has_child = false;
  for (const json& edge : root["edges"]) {
    if (edge.contains("node") && edge["node"]["height"] > 0 && edge["node"].contains("edges")) {
      has_child = true;
      REQUIRE_FALSE(edge["node"]["edges"].empty());
      CHECK_FALSE(edge["node"]["edges"][0].value("node", json::object()).contains("edges"));
    }
  }
  CHECK(has_child);
  const std::string text = Text(image, {"tree", "main"});
  CHECK(Says(text, "tree \"main\""));
  CHECK(Says(text, "see above"));
  CHECK(Text(image, {"tree", "main", "--depth", "0"}).size() < text.size() / 10);
}

TEST_CASE("betrdump path follows a key through clones to its value") {
  const SampleImage image;
  const json original = Parsed(image, {"path", "main", "usr/lib/00099"});
  CHECK(original["value"].get<std::string>().size() == 20 + 99 % 60);
  const json clone = Parsed(image, {"path", "main", "copy/lib/00099"});
  CHECK(clone["value"] == original["value"]);
  CHECK(clone["steps"].back()["node"] == original["steps"].back()["node"]);
  const json other = Parsed(image, {"path", "other", "lib/00099"});
  CHECK(other["value"] == original["value"]);
  CHECK(Parsed(image, {"path", "main", "usr/\\xff\\x0100003"})["value"].is_string());
  CHECK(Parsed(image, {"path", "main", "usr/share/00003"})["value"].is_null());
  CHECK(Parsed(image, {"path", "main", "var/00011"})["value"].is_null());
  CHECK(Parsed(image, {"path", "before", "var/00011"})["value"].is_string());
  const std::string text = Text(image, {"path", "main", "usr/lib/00007"});
  CHECK(Says(text, "erase"));
  CHECK(Says(text, "no value"));
}

TEST_CASE("betrdump path turns a path of the file system into a key") {
  const SampleImage image;
  CHECK(Parsed(image, {"path", "main", "/usr/lib/x"})["key"] == std::string("usr\0lib\0\0x", 10));
  CHECK(Parsed(image, {"path", "main", "/"})["key"] == "//r");
  CHECK(Parsed(image, {"path", "--raw", "main", "/usr"})["key"] == "/usr");
}

TEST_CASE("betrdump log shows what a replay would do, and --replay does it") {
  const SampleImage image;
  CHECK(Parsed(image, {"log"})["records"].empty());
  image.AddLogRecords();
  const std::string before = image.Content();
  const json log = Parsed(image, {"log", "--keys"});
  REQUIRE(log["records"].size() == 3);
  CHECK(log["records"][0]["changes"][0]["key"] == "new\n");
  CHECK(Says(Text(image, {"log", "--keys"}), "put tree 1 \"new\\x0a\": 5 bytes"));
  CHECK(Parsed(image, {"path", "main", "new\\x0a"})["value"].is_null());
  CHECK(Parsed(image, {"--replay", "path", "main", "new\\x0a"})["value"] == "value");
  CHECK(Parsed(image, {"--replay", "path", "main", "third/00399"})["value"].is_string());
  CHECK(Says(Text(image, {"--replay", "table"}), "in memory"));
  CHECK(image.Content() == before);
}

TEST_CASE("betrdump space accounts for every byte") {
  const SampleImage image;
  const json space = Parsed(image, {"space", "--ranges"});
  uint64_t sum = 0;
  for (const char* part : {"superblocks", "log", "nodes", "table", "catalog", "free"}) {
    sum += space[part].get<uint64_t>();
  }
  CHECK(sum == space["device"]);
  CHECK(space["ranges"].size() == space["free_ranges"]);
  CHECK(Says(Text(image, {"space"}), "fragmentation"));
}

TEST_CASE("betrdump stat tells logical bytes from physical ones") {
  const SampleImage image;
  const json stat = Parsed(image, {"stat"});
  CHECK(stat["heights"].size() > 2);
  CHECK(stat["heights"].back()["height"] == 0);
  CHECK(stat["shared"] > 0);
  CHECK(stat["exact"] == true);
  CHECK(stat["live_fraction_of_shared"] > 0);
  CHECK(stat["live_fraction_of_shared"] <= 1);
  // Of some 60 bytes an entry: 800 in "main", twice the 600 below usr/, once more in the snapshot, 400 in "other".
  CHECK(stat["logical_bytes"].get<double>() + stat["pending_bytes"].get<double>() > 2000 * 50);
  CHECK(Says(Text(image, {"stat"}), "logical bytes per physical byte"));
}

TEST_CASE("betrdump dot draws shared nodes, translations and gotos") {
  const SampleImage image;
  const std::string text = Text(image, {"dot"});
  CHECK(text.starts_with("digraph"));
  CHECK(Says(text, "#ffe680"));
  CHECK(Says(text, "style=dashed"));
  CHECK(Says(text, "\xe2\x86\x92"));
  const json document = Parsed(image, {"dot", "main"});
  CHECK(document["trees"].size() == 1);
  CHECK(document["links"].size() >= document["nodes"].size() - 1);
}

TEST_CASE("betrdump shows what can be read of a damaged image, and says what cannot") {
  const SampleImage image;
  ToolRun run;
  run.environment["BETR_IMAGE"] = image.path();
  SECTION("a table page") {
    image.FlipExtent(Holder::kTablePage, 1);
    CHECK(run.Run(DumpMain, {"table"}) == kExitDamaged);
    CHECK(std::count(run.out.begin(), run.out.end(), '\n') > 10);
    CHECK(Says(run.err, "node table: page at unit "));
    CHECK(run.Run(DumpMain, {"tree"}) == kExitDamaged);
    CHECK(run.Run(DumpMain, {"dot"}) == kExitDamaged);
    CHECK(run.Run(DumpMain, {"--json", "stat"}) == kExitDamaged);
  }
  SECTION("the catalog") {
    image.FlipExtent(Holder::kCatalog, 0);
    CHECK(run.Run(DumpMain, {"super"}) == 0);
    CHECK(Says(run.out, "one copy is damaged: "));
    image.FlipExtent(Holder::kCatalog, 1);
    CHECK(run.Run(DumpMain, {"super"}) == kExitDamaged);
    CHECK(Says(run.err, "catalog"));
    CHECK(run.Run(DumpMain, {"space"}) == kExitDamaged);
  }
  SECTION("every node") {
    uint64_t nodes = 0;
    image.Inspect([&](store::Inspection& look) { nodes = look.state()->table.Count(); });
    for (size_t i = 0; i < nodes; ++i) image.FlipExtent(Holder::kNode, i);
    CHECK(run.Run(DumpMain, {"tree"}) == kExitDamaged);
    CHECK(Says(run.out, "checksum"));
    CHECK(Says(run.err, "checksum"));
    CHECK(run.Run(DumpMain, {"--json", "tree"}) == kExitDamaged);
    CHECK(json::parse(run.out)["trees"][0]["root"].contains("error"));
    CHECK(run.Run(DumpMain, {"stat"}) == kExitDamaged);
    CHECK(run.Run(DumpMain, {"path", "main", "usr/lib/00000"}) == kExitDamaged);
    CHECK(run.Run(DumpMain, {"--json", "path", "main", "usr/lib/00000"}) == kExitDamaged);
    CHECK(json::parse(run.out)["complete"] == false);
  }
  SECTION("both superblocks") {
    image.Flip(layout::kSlotOffset[0] + Bytes{50});
    image.Flip(layout::kSlotOffset[1] + Bytes{50});
    CHECK(run.Run(DumpMain, {"super"}) == kExitDamaged);
    CHECK(Says(run.err, "no valid superblock"));
  }
}

TEST_CASE("betrdump says what is wrong with a command line") {
  const SampleImage image;
  ToolRun run;
  CHECK(run.Run(DumpMain, {"super"}) == kExitUsage);
  CHECK(run.err == "betrdump: no image: give -i IMAGE or set BETR_IMAGE\nTry 'betrdump --help'.\n");
  CHECK(run.Run(DumpMain, {"stat", image.path()}) == kExitUsage);
  CHECK(Says(run.err, image.path() + ": one argument too many; the image is named by -i\n"));
  CHECK(run.Run(DumpMain, {"-i", image.path()}) == kExitUsage);
  CHECK(run.Run(DumpMain, {"-i", image.path(), "node"}) == kExitUsage);
  CHECK(run.Run(DumpMain, {"-i", image.path(), "node", "999999999"}) == kExitFailed);
  CHECK(Says(run.err, "node 999999999: not in the node table"));
  for (const char* id : {"-1", "x", "18446744073709551616", "1.5", ""}) {
    CHECK(run.Run(DumpMain, {"-i", image.path(), "node", id}) == kExitUsage);
    CHECK(Says(run.err, fmt::format("ID: '{}' is not a whole number from 0 to 18446744073709551615", id)));
  }
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "data", "/", "--block", "-1"}) == kExitUsage);
  CHECK(Says(run.err, "--block: '-1' is not a whole number"));
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "main", "/", "--block", "0"}) == kExitUsage);
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "data", "key", "--block", "0"}) == kExitUsage);
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "data", "/", "--raw", "--block", "0"}) == kExitUsage);
  CHECK(Says(run.err, "--block: only with a path of the file system in the tree \"data\""));
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "main", "a\\b"}) == kExitUsage);
  CHECK(Says(run.err, "KEY: 'a\\b': the backslash at character 1 begins neither"));
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "main", "/a\\b"}) == kExitOk);
  CHECK(run.Run(DumpMain, {"-i", image.path(), "tree", "none"}) == kExitFailed);
  CHECK(Says(run.err, "there is no such tree, only \"main\", \"other\", \"before\""));
  CHECK(run.Run(DumpMain, {"super", "-i", image.path()}) == kExitOk);
  CHECK(run.Run(DumpMain, {"path", "--help"}) == kExitOk);
  CHECK(Says(run.out, "--raw"));
  CHECK(run.Run(DumpMain, {"-i", image.path() + ".none", "super"}) == kExitFailed);
  const auto holder = layout::OpenLocked(image.path(), FileDevice::Access::kReadWrite);
  REQUIRE(holder.ok());
  CHECK(run.Run(DumpMain, {"-i", image.path(), "super"}) == kExitRefused);
}

TEST_CASE("betrdump takes either a mount or an image") {
  const SampleImage image;
  const std::vector<std::string> stat{"--mounted", "none", "stat"};
  ToolRun run;
  for (const std::vector<std::string>& vain :
       {std::vector<std::string>{"-i", image.path()}, {"--replay"}, {"--stale-ok"}, {"--cache", "64M"}}) {
    std::vector<std::string> arguments = stat;
    arguments.insert(arguments.begin(), vain.begin(), vain.end());
    CHECK(run.Run(DumpMain, arguments) == kExitUsage);
    CHECK(Says(run.err, "--mounted: without an image, --replay, --stale-ok and --cache"));
  }
  CHECK(run.Run(DumpMain, {"--mounted", "none", "table"}) == kExitUsage);
  CHECK(Says(run.err, "--mounted: only with stat"));
  run.environment["BETR_IMAGE"] = image.path();
  CHECK(run.Run(DumpMain, stat) == kExitFailed);
  CHECK(Says(run.err, "none: No such file or directory"));
}

TEST_CASE("the manual of betrdump explains the options of its parser and of its subcommands") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io{.in = stream, .out = stream, .err = stream, .environment = {}, .clock = clock};
  Tool tool(DumpDescription(), io);
  DumpOptions options;
  AddDumpOptions(tool, &options);
  std::set<std::string> parser = OptionsOfParser(tool.app());
  CHECK(OptionsOfHelp(tool.app().help()) == parser);
  for (const auto& [app, command] : options.commands) parser.merge(OptionsOfParser(*app));
  const std::string page = ReadManPage("betrdump.1");
  CHECK(OptionsOfPage(page) == parser);
  for (const auto& [app, command] : options.commands) CHECK(Says(page, "\n.SS " + app->get_name()));
}

}  // namespace
}  // namespace betr::tools
