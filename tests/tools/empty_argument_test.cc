// SPDX-License-Identifier: Apache-2.0
// A variable of the shell that was never set makes an option empty: it must not count as one that is not given.
#include <catch2/catch.hpp>

#include "betrcp.h"
#include "betrreplay.h"
#include "dump.h"
#include "exit_code.h"
#include "mkfs.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"
#include "tune.h"

namespace betr::tools {
namespace {

using Words = std::vector<std::string>;

struct Case {
  int (*main)(Arguments args, ToolIo& io);
  int usage_exit;
  Words words;  // the last one of these is empty
  std::string name;
  Words behind{};
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {Fsck, kFsckUsage, {"-y", "--undo", ""}, "--undo", {"IMAGE"}},
      {Fsck, kFsckUsage, {"--undo-apply", ""}, "--undo-apply", {"IMAGE"}},
      {Fsck, kFsckUsage, {"-y", ""}, "IMAGE"},
      {MkfsMain, kExitUsage, {"-f", "-d", ""}, "--directory", {"IMAGE"}},
      {MkfsMain, kExitUsage, {"-f", "--tar", ""}, "--tar", {"IMAGE"}},
      {MkfsMain, kExitUsage, {"-f", "-L", ""}, "--label", {"IMAGE"}},
      {MkfsMain, kExitUsage, {"-f", "-O", ""}, "--features", {"IMAGE"}},
      {MkfsMain, kExitUsage, {"-f", "--compress", ""}, "--compress", {"IMAGE"}},
      {MkfsMain, kExitUsage, {"-f", ""}, "IMAGE"},
      {BetrcpMain, kExitUsage, {"--clone", ""}, "OPERANDS", {"IMAGE:/x"}},
      {BetrcpMain, kExitUsage, {"--list", ""}, "OPERANDS"},
      {BetrcpMain, kExitUsage, {"--list", "-i", ""}, "--image"},
      {BetrcpMain, kExitUsage, {"--list", "-i", "IMAGE", "--experiment", ""}, "--experiment"},
      {DumpMain, kExitUsage, {"--mounted", ""}, "--mounted", {"stat"}},
      {DumpMain, kExitUsage, {"-i", "IMAGE", "tree", ""}, "NAME"},
      {DumpMain, kExitUsage, {"-i", "IMAGE", "dot", ""}, "NAME"},
      {DumpMain, kExitUsage, {"-i", ""}, "--image", {"stat"}},
      {BetrreplayMain, kExitUsage, {"--check", ""}, "--check", {"none"}},
      {BetrreplayMain, kExitUsage, {"--manifest", ""}, "--manifest", {"none"}},
      {BetrreplayMain, kExitUsage, {"--convert", ""}, "--convert", {"none"}},
      {BetrreplayMain, kExitUsage, {"--plot", ""}, "--plot", {"none"}},
      {BetrreplayMain, kExitUsage, {"--dir", ""}, "--dir", {"none"}},
      {BetrreplayMain, kExitUsage, {"--disk", ""}, "--disk", {"none"}},
      {BetrreplayMain, kExitUsage, {"--root", ""}, "--root", {"none"}},
  };
  return cases;
}

Words Resolve(Words words, const Words& behind, const std::string& image) {
  words.insert(words.end(), behind.begin(), behind.end());
  for (std::string& word : words) {
    if (word.starts_with("IMAGE")) word.replace(0, 5, image);
  }
  return words;
}

TEST_CASE("an argument that is empty is wrong, in all tools") {
  const SampleImage image;
  const std::string before = image.Content();
  for (const Case& one : Cases()) {
    ToolRun run;
    run.environment["BETR_IMAGE"] = image.path();
    const Words words = Resolve(one.words, one.behind, image.path());
    CAPTURE(words);
    CHECK(run.Run(one.main, words) == one.usage_exit);
    CHECK_THAT(run.err, Catch::Matchers::Contains(": " + one.name + ": the value is empty"));
    CHECK(run.out.empty());
  }
  CHECK(image.Content() == before);
}

TEST_CASE("an option with an equals sign and no value does not take the next argument") {
  const SampleImage image;
  ToolRun run;
  CHECK(run.Run(BetrreplayMain, {"--plot=", image.path(), "-i", image.path(), "none"}) == kExitUsage);
  CHECK_THAT(run.err, Catch::Matchers::Contains(": --plot: the value is empty\n"));
  CHECK(run.Run(Fsck, {"--undo-apply=", "--", image.path()}) == kFsckUsage);
  CHECK_THAT(run.err, Catch::Matchers::Contains(": --undo-apply: the value is empty\n"));
}

TEST_CASE("who gives an empty value is told how to have none") {
  const SampleImage image;
  ToolRun run;
  CHECK(run.Run(TuneMain, {"-L", "", image.path()}) == kExitUsage);
  CHECK_THAT(run.err, Catch::Matchers::Contains(": --label: the value is empty; for none there is --no-label\n"));
}

TEST_CASE("a size of nothing is wrong, in all tools") {
  const SampleImage image;
  ToolRun run;
  for (const std::string option : {"--size", "--node-size", "--basement-size", "--log-size"}) {
    CAPTURE(option);
    CHECK(run.Run(MkfsMain, {"-f", option, "0", image.path()}) == kExitUsage);
    CHECK_THAT(run.err, Catch::Matchers::Contains(": " + option + ": size '0': "));
  }
  CHECK(run.Run(Fsck, {"--cache", "0.1", image.path()}) == kFsckUsage);
  CHECK(run.Run(Fsck, {image.path()}) == kFsckClean);
}

TEST_CASE("a key may be empty") {
  const SampleImage image;
  ToolRun run;
  CHECK(run.Run(DumpMain, {"-i", image.path(), "path", "main", ""}) == kExitOk);
  CHECK_THAT(run.out, Catch::Matchers::Contains("no value"));
}

TEST_CASE("a variable of the environment that is empty counts as not set") {
  const TempDir dir;
  const std::string image = dir.path() + "/disk.img";
  ToolRun run;
  run.environment["BETR_IMAGE"] = "";
  run.environment["SOURCE_DATE_EPOCH"] = "";
  CHECK(run.Run(MkfsMain, {"-s", "8M", image}) == kExitOk);
  CHECK(run.Run(BetrcpMain, {"--list"}) == kExitUsage);
  CHECK_THAT(run.err, Catch::Matchers::Contains("no image"));
  CHECK(run.Run(BetrcpMain, {"--list", image + ":/"}) == kExitOk);
}

}  // namespace
}  // namespace betr::tools
