// SPDX-License-Identifier: Apache-2.0
// Traces that chance has damaged: every line is used or counted, nothing fails but what should.
#include <catch2/catch.hpp>

#include "support/replay/sample_trace.h"
#include "support/replay/text_run.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("the sample itself has nothing wrong") {
  TextRun run(SampleTrace());
  run.Everywhere();
  CHECK(run.result().stream.unparsed == 0);
  CHECK(run.result().interpreter.conflicts.empty());
}

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("brackets in brackets without end are not parsed, and take no stack") {
  constexpr size_t kMany = 300'000;
  Strings lines;
  for (const std::string_view open : {"<", "[", "a[", "1<", "[\"x\"["}) {
    const std::string nested = Repeated(open, kMany);
    lines.push_back("1 read(3</" + nested + ", \"\", 1) = 0");
    lines.push_back("1 read(3<a" + nested + ", \"\", 1) = 0");
    lines.push_back("1 read(3<a<" + nested + " <unfinished ...>");
    lines.push_back("1 open(\"/w/a\", O_RDONLY) = 3<a<" + nested);
  }
  lines.push_back("1 read(3<" + Repeated("a<", kMany) + Repeated(">", kMany + 1) + ", \"\", 1) = 0");
  lines.push_back("1 read(3<" + Repeated("a[", kMany) + Repeated("]", kMany) + ">, \"\", 1) = 0");
  const size_t bad = lines.size();
  lines.push_back("1 write(5<TCP:[127.0.0.1:80->127.0.0.1:99]>, \"x\", 1) = 1");
  lines.push_back("1 write(5<" + Repeated("a<", 60) + Repeated(">", 61) + ", \"x\", 1) = 1");
  TextRun run(lines);
  run.OnNothing();
  CHECK(run.result().stream.unparsed == bad);
  CHECK(run.result().stream.calls == 2);
}

TEST_CASE("names and targets with a zero byte are none") {
  TextRun run({
      "1 open(\"/w/a\\0b\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 open(\"/x\", O_WRONLY|O_CREAT, 0644) = 4</w/a\\0b>",
      "1 symlink(\"a\\0b\", \"/w/l\") = 0",
      "1 setxattr(\"/w\", \"user.a\\0b\", \"x\", 1, 0) = 0",
      "1 getxattr(\"/w\", \"user.a\\0b\", 0x7f, 1) = -1 ENODATA (No data available)",
      "1 removexattr(\"/w\", \"user.a\\0b\") = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{});
  CHECK(run.result().interpreter.skipped.size() == 5);
}

TEST_CASE("a target that is longer than one can be is none") {
  TextRun run({
      "1 readlink(\"/w/l\", \"aaa\", 4611686018427387904) = 4611686018427387904",
      "1 readlink(\"/w/m\", \"aaa\", 4611686018427387904) = 4095",
      "1 lstat(\"/w/n\", {st_mode=S_IFLNK|0777, st_size=4611686018427387904, ...}) = 0",
      "1 open(\"/w/n\", O_RDONLY) = 3",
  });
  const Strings inferred = Lines(run.Infer());
  REQUIRE(inferred.size() == 4);
  CHECK(inferred[1] == "f 0644 0 /w/.betrreplay-link-1");
  CHECK(inferred[3] == "l 0777 18 /w/n->.betrreplay-link-1");
  run.TakeInferred();
  run.OnNothing();
  CHECK(run.result().interpreter.conflicts.at("readlink: longer than a target can be") == 1);
}

TEST_CASE("damaged traces are replayed as far as they make sense") {
  Random random(TestSeed());
  const auto rounds = static_cast<uint64_t>(2000 * TestScale());
  for (uint64_t round = 0; round < rounds; ++round) {
    const Strings lines = DamagedTrace(random);
    INFO("round " << round);
    TextRun run(lines);
    run.OnNothing();
    const StreamCounts& stream = run.result().stream;
    CHECK(stream.lines >= stream.exits + stream.signals + stream.notes + stream.unparsed);
    CHECK(stream.unparsed <= stream.lines);
    CHECK(Lines(run.Infer()).front().starts_with("d "));
  }
}

TEST_CASE("damaged traces do nothing bad to a directory", "[long]") {
  Random random(TestSeed());
  for (uint64_t round = 0; round < 300; ++round) {
    const Strings lines = DamagedTrace(random);
    INFO("round " << round);
    TextRun run(lines);
    run.InDirectorySomehow();
  }
}

}  // namespace
}  // namespace betr::replay
