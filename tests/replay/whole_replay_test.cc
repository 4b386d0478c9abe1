// SPDX-License-Identifier: Apache-2.0
// What concerns a replay as a whole: its rhythm, where it begins, and what no trace can have done.
#include <catch2/catch.hpp>
#include <chrono>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("what no call could have done is not done") {
  std::vector<std::string> lines{"1 chdir(\"/w\") = 0"};
  constexpr int kDeep = 30000;
  for (int i = 0; i < kDeep; ++i) {
    lines.emplace_back("1 mkdir(\"d\", 0755) = 0");
    lines.emplace_back("1 chdir(\"d\") = 0");
  }
  lines.emplace_back("1 open(\"/w/f\", O_RDWR|O_CREAT, 0644) = 3");
  lines.emplace_back("1 write(3, \"x\"..., 9000000000000) = 9000000000000");
  lines.emplace_back("1 pwrite64(3, \"x\", 1, 9223372036854775807) = 1");
  lines.emplace_back("1 read(3, \"x\"..., 9000000000000) = 9000000000000");
  TextRun run(lines);
  run.OnNothing();
  CHECK(run.result().interpreter.conflicts.size() == 2);
  CHECK(run.Final().back() == "f 0644 0 /w/f");
  CHECK(Lines(run.Infer()).size() == 1);
}

TEST_CASE("the rhythm of the trace is kept, so many times as fast") {
  TextRun run({
      "1 1795177851.000000 mkdir(\"/w/d\", 0755) = 0",
      "1 1795177852.000000 mkdir(\"/w/e\", 0755) = 0",
      "1 1795177853.000000 rmdir(\"/w/e\") = 0",
  });
  run.SetSpeed(20);
  run.OnNothing();
  CHECK(run.result().elapsed >= std::chrono::milliseconds(100));
  CHECK(run.result().traced == std::chrono::seconds(2));
  CHECK(run.Final() == Strings{"d 0755 0 /w/d"});
}

TEST_CASE("processes that never say where they are can be told") {
  TextRun run({"1 mkdir(\"d\", 0755) = 0"});
  run.OnNothing();
  CHECK(run.Final().empty());
  run.SetInitialDirectory("/w");
  run.OnNothing();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d"});
}

}  // namespace
}  // namespace betr::replay
