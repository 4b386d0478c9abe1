// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_line.h"

#include <catch2/catch.hpp>
#include <cerrno>

namespace betr::replay {
namespace {

using Kind = TraceLine::Kind;
using Clock = TraceLine::Clock;
using std::chrono::nanoseconds;

TraceLine Parse(std::string_view text) {
  const absl::StatusOr<TraceLine> line = ParseTraceLine(text);
  INFO(text);
  INFO(line.status());
  REQUIRE(line.ok());
  return *line;
}

TEST_CASE("the process and the time in front of a line are told apart by their looks") {
  struct Case {
    std::string_view prefix;
    std::optional<uint32_t> pid;
    Clock clock;
    int64_t time;
  };
  constexpr int64_t kSecond = 1'000'000'000;
  const Case cases[] = {
      {"", std::nullopt, Clock::kNone, 0},
      {"20462 ", 20462, Clock::kNone, 0},
      {"844   1795177851.180044 ", 844, Clock::kSinceEpoch, 1795177851 * kSecond + 180'044'000},
      {"1795177851.180044 ", std::nullopt, Clock::kSinceEpoch, 1795177851 * kSecond + 180'044'000},
      {"1795177851 ", std::nullopt, Clock::kSinceEpoch, 1795177851 * kSecond},
      {"7 1795177851 ", 7, Clock::kSinceEpoch, 1795177851 * kSecond},
      {"[pid 20499] ", 20499, Clock::kNone, 0},
      {"[pid    99] 1795177851.5 ", 99, Clock::kSinceEpoch, 1795177851 * kSecond + 500'000'000},
      {"20569 12:30:52 ", 20569, Clock::kOfDay, 45052 * kSecond},
      {"20604 12:30:52.867357 ", 20604, Clock::kOfDay, 45052 * kSecond + 867'357'000},
      {"20639      0.000359 ", 20639, Clock::kSincePrevious, 359'000},
      {"     0.000359 ", std::nullopt, Clock::kSincePrevious, 359'000},
      {"12:30:52.867 (+     0.000123) ", std::nullopt, Clock::kOfDay, 45052 * kSecond + 867'000'000},
      {"20814<strace> 1795177855.861337 ", 20814, Clock::kSinceEpoch, 1795177855 * kSecond + 861'337'000},
      {"20814<a b> 1795177855.861337 ", 20814, Clock::kSinceEpoch, 1795177855 * kSecond + 861'337'000},
      {"[pid 5<sh>] ", 5, Clock::kNone, 0},
      {"21049 1795177856.799927631 ", 21049, Clock::kSinceEpoch, 1795177856 * kSecond + 799'927'631},
      {"5 [  257] ", 5, Clock::kNone, 0},
      {"6792       0 ", 6792, Clock::kSincePrevious, 0},
      {"[pid 6792]      12 ", 6792, Clock::kSincePrevious, 12 * kSecond},
      {"     3 ", std::nullopt, Clock::kSincePrevious, 3 * kSecond},
      {"6792       0 [  257] ", 6792, Clock::kSincePrevious, 0},
      {"5 1795177856.1 [00007f12ab34cd56] ", 5, Clock::kSinceEpoch, 1795177856 * kSecond + 100'000'000},
  };
  for (const Case& expected : cases) {
    INFO(expected.prefix);
    const TraceLine line = Parse(std::string(expected.prefix) + "close(3) = 0");
    CHECK(line.kind == Kind::kCall);
    CHECK(line.name == "close");
    CHECK(line.pid == expected.pid);
    CHECK(line.clock == expected.clock);
    CHECK(line.time.count() == expected.time);
  }
}

TEST_CASE("results: numbers, errors, restarts, comments, paths, durations") {
  CHECK(Parse("1 umask(022)       = 000").result.value == 0);
  CHECK(Parse("1 umask(000) = 022").result.value == 18);
  CHECK(Parse("1 mmap(NULL, 1, 0, 0, -1, 0) = 0x7f6890c5f000").result.value == 0x7f6890c5f000);
  CHECK(Parse("1 fcntl(3, F_GETFL) = 0x8000 (flags O_RDONLY|O_LARGEFILE)").result.value == 0x8000);
  CHECK(Parse("1 poll([], 0, 1) = 0 (Timeout)").result.value == 0);
  const TraceLine failed = Parse("1 access(\"/x\", R_OK) = -1 ENOENT (No such file or directory) <0.000077>");
  CHECK(failed.result.error == ENOENT);
  CHECK(failed.result.returned);
  CHECK(failed.result.duration == nanoseconds(77'000));
  CHECK_FALSE(Parse("1 exit_group(0) = ?").result.returned);
  CHECK_FALSE(Parse("1 read(3, 0x1, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)").result.returned);
  const TraceLine opened = Parse("1 openat(AT_FDCWD</w>, \"a\", O_RDONLY) = 3</w/a\\74b>(deleted) <0.000119569>");
  CHECK(opened.result.value == 3);
  CHECK(opened.result.annotation == "/w/a\\74b");
  CHECK(opened.result.duration == nanoseconds(119'569));
  CHECK(opened.arguments == "AT_FDCWD</w>, \"a\", O_RDONLY");
  const TraceLine forked = Parse("1 fork() = 2<sh> /* 77 in strace's PID NS */ <0.000119569>");
  CHECK(forked.result.value == 2);
  CHECK(forked.result.pid == 77);
  CHECK(forked.result.duration == nanoseconds(119'569));
  CHECK(Parse("1 fork() = 2").result.pid == 2);
}

TEST_CASE("names that look like the syntax do not confuse") {
  for (const std::string_view name :
       {") = 3", "a\\\"b) = 5", " <unfinished ...>", "x, y", "{[(", "/* no comment", "strace: Process 7 attached"}) {
    INFO(name);
    const std::string argument = "\"" + std::string(name) + "\"";
    const TraceLine line = Parse("1 unlink(" + argument + ") = 0");
    CHECK(line.kind == Kind::kCall);
    CHECK(line.arguments == argument);
    CHECK(line.result.ok());
  }
  const TraceLine annotated = Parse("1 close(3</w/ends (deleted)/a) = 4 [, \\\">) = 0");
  CHECK(annotated.arguments == "3</w/ends (deleted)/a) = 4 [, \\\">");
  const TraceLine socket = Parse("1 write(3<TCP:[127.0.0.1:80->127.0.0.1:99]>, \"x\", 1) = 1");
  CHECK(socket.arguments == "3<TCP:[127.0.0.1:80->127.0.0.1:99]>, \"x\", 1");
  CHECK(Parse("1 write(3<UNIX-STREAM:[1->2, \"/run/a)b\"]>, \"x\", 1) = 1").result.value == 1);
  CHECK(Parse("1 dup(1</dev/null<char 1:3>>) = 11</dev/null<char 1:3>>").result.value == 11);
}

TEST_CASE("halves of calls") {
  const TraceLine begun = Parse("1 wait4(-1,  <unfinished ...>");
  CHECK(begun.kind == Kind::kUnfinished);
  CHECK(begun.arguments == "-1, ");
  CHECK(Parse("1 vfork( <unfinished ...>").arguments.empty());
  const TraceLine resumed = Parse("1 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 20815");
  CHECK(resumed.kind == Kind::kResumed);
  CHECK(resumed.name == "wait4");
  const absl::StatusOr<TraceLine> whole = ParseCall("wait4", begun.arguments + resumed.arguments);
  REQUIRE(whole.ok());
  CHECK(whole->result.value == 20815);
  const TraceLine broken = Parse("1795177851.194283 vfork(strace: Process 20499 attached");
  CHECK(broken.kind == Kind::kBroken);
  CHECK(broken.arguments.empty());
  CHECK(Parse(" <unfinished ...>").kind == Kind::kContinuation);
  CHECK(Parse(", child_tidptr=0x7f3eda5a8a10) = 20509").kind == Kind::kContinuation);
}

TEST_CASE("what is no call") {
  CHECK(Parse("1 +++ exited with 0 +++").kind == Kind::kExit);
  CHECK(Parse("[pid 7] +++ killed by SIGPIPE +++").kind == Kind::kExit);
  CHECK(Parse("1 --- SIGCHLD {si_signo=SIGCHLD, si_pid=3} ---").kind == Kind::kSignal);
  CHECK(Parse("strace: Process 20499 attached").kind == Kind::kNote);
  CHECK(Parse("6792       0 +++ exited with 0 +++").kind == Kind::kExit);
  CHECK(Parse("6792       0 --- SIGCHLD {si_signo=SIGCHLD, si_pid=3} ---").kind == Kind::kSignal);
  CHECK(Parse("6792       1 <... read resumed>\"\", 5) = 0").time == std::chrono::seconds(1));
}

TEST_CASE("what is no line of strace is an error") {
  for (const std::string_view text :
       {"", "make: Nothing to be done", "1 close(3", "1 close(3) 0", "1 close(3) = x", "1 close(3]) = 0",
        "1 open(\"abc", "1 <... close", "close = 0", "1 (3) = 0", "1 0 (3) = 0", "1 0 x"}) {
    INFO(text);
    CHECK_FALSE(ParseTraceLine(text).ok());
  }
}

}  // namespace
}  // namespace betr::replay
