// SPDX-License-Identifier: Apache-2.0
// Traces that chance has damaged: every line is used or counted, nothing fails but what should.
#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/replay/text_run.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

Strings Sample() {
  return {
      "1 1795177851.000001 chdir(\"/w\") = 0",
      "1 1795177851.000002 openat(AT_FDCWD</w>, \"a\\n(b\", O_RDWR|O_CREAT, 0666) = 3</w/a\\n(b> <0.000012>",
      "1 1795177851.000003 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>",
      "2 1795177851.000004 pwritev(3</w/a\\n(b>, [{iov_base=\"x\"..., iov_len=10}], 1, 70000) = 10",
      "1 1795177851.000005 <... clone resumed>, child_tidptr=0x7f) = 2",
      "2 1795177851.000006 mkdirat(AT_FDCWD</w>, \"d\", 0777) = 0",
      "2 1795177851.000007 renameat2(AT_FDCWD, \"d\", AT_FDCWD, \"e\", RENAME_NOREPLACE) = 0",
      "1 1795177851.000008 fsetxattr(3, \"system.posix_acl_access\", \"\\2\\0\\0\\0\\1\\0\\6\\0\", 8, 0) = 0",
      "1 1795177851.000009 utimensat(3, NULL, [{tv_sec=1, tv_nsec=2} /* x */, UTIME_OMIT], 0) = 0",
      "1 1795177851.000010 io_submit(0x7f, 1, [{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_nbytes=9}]) = 1",
      "1 1795177851.000011 linkat(AT_FDCWD, \"/proc/self/fd/3\", AT_FDCWD, \"e/l\", AT_SYMLINK_FOLLOW) = 0",
      "1 1795177851.000012 copy_file_range(3, [0], 3, [100000], 5, 0) = 5",
      "1 1795177851.000013 newfstatat(3, \"\", {st_mode=S_IFREG|0644, st_size=100005, ...}, AT_EMPTY_PATH) = 0",
      "1 1795177851.000014 execve(\"/bin/x\", [\"x\"], 0x7ff /* 3 vars */) = 0",
      "1 1795177851.000015 dup2(3, 9) = 9",
      "1 1795177851.000016 close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0",
      "1 1795177851.000017 symlink(\"e\", \"s\") = 0",
      "1 1795177851.000018 unlinkat(AT_FDCWD, \"s\", 0) = 0",
      "1 1795177851.000019 ftruncate(9, 0) = 0",
      "2 1795177851.000020 exit_group(0) = ?",
      "2 1795177851.000021 +++ exited with 0 +++",
  };
}

// Changes, removes and inserts bytes; sometimes cuts, doubles or moves lines.
Strings Damage(Random& random) {
  constexpr std::string_view kBytes = "\"\\<>(){}[],=|0123456789xO_ /*-.\x01\xff";
  Strings lines = Sample();
  const uint64_t changes = random.Between(1, 12);
  for (uint64_t i = 0; i < changes; ++i) {
    std::string& line = random.Pick(lines);
    if (line.empty()) continue;
    const size_t at = random.Uniform(line.size());
    switch (random.Uniform(6)) {
      case 0:
        line.erase(at, random.Between(1, 5));
        break;
      case 1:
        line.insert(at, 1, kBytes[random.Uniform(kBytes.size())]);
        break;
      case 2:
        line.resize(at);
        break;
      case 3:
        std::swap(line, random.Pick(lines));
        break;
      case 4:
        line.insert(at, std::string(random.Uniform(20), '9'));
        break;
      default:
        line[at] = kBytes[random.Uniform(kBytes.size())];
    }
  }
  return lines;
}

TEST_CASE("the sample itself has nothing wrong") {
  TextRun run(Sample());
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

TEST_CASE("damaged traces are replayed as far as they make sense") {
  Random random(TestSeed());
  const auto rounds = static_cast<uint64_t>(2000 * TestScale());
  for (uint64_t round = 0; round < rounds; ++round) {
    const Strings lines = Damage(random);
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
    const Strings lines = Damage(random);
    INFO("round " << round);
    TextRun run(lines);
    run.InDirectorySomehow();
  }
}

}  // namespace
}  // namespace betr::replay
