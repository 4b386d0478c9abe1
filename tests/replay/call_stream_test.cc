// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/call_stream.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "support/device/temp_dir.h"

namespace betr::replay {
namespace {

using Kind = CallEvent::Kind;

// Events of a trace as "thread kind name(arguments)=result>child".
class StreamRun {
 public:
  explicit StreamRun(const std::vector<std::string>& lines) {
    std::ofstream file(dir_.File("trace"));
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    auto stream = CallStream::Open({dir_.File("trace")});
    REQUIRE(stream.ok());
    while (true) {
      const absl::StatusOr<std::optional<CallEvent>> event = (*stream)->Next();
      REQUIRE(event.ok());
      if (!event->has_value()) break;
      events_.push_back(Format(**event));
    }
    counts_ = (*stream)->counts();
  }

  const std::vector<std::string>& events() const { return events_; }
  const StreamCounts& counts() const { return counts_; }

 private:
  static std::string Format(const CallEvent& event) {
    std::string text = std::to_string(event.thread);
    if (event.successor.has_value()) return text + " goes on as " + std::to_string(*event.successor);
    if (event.kind == Kind::kExit) return text + " exit";
    text += event.kind == Kind::kBegin ? " begin " : " ";
    text += event.name + "(" + event.arguments + ")";
    if (event.kind == Kind::kCall) text += "=" + std::to_string(event.result.value);
    if (event.child.has_value()) text += ">" + std::to_string(*event.child);
    return text;
  }

  TempDir dir_;
  std::vector<std::string> events_;
  StreamCounts counts_;
};

using Strings = std::vector<std::string>;

TEST_CASE("halves are joined as they are, and forks know their children when they begin") {
  const StreamRun run({
      "1 vfork( <unfinished ...>",
      "2 close(3 <unfinished ...>",
      "2 <... close resumed>) = 0",
      "2 +++ exited with 0 +++",
      "1 <... vfork resumed>) = 2",
      "1 newfstatat(AT_FDCWD</w>, \"x\",  <unfinished ...>",
      "1 <... newfstatat resumed>{st_mode=S_IFREG|0644}, 0) = 0",
      "1 clone(child_stack=NULL, flags=SIGCHLD) = 7",
  });
  CHECK(run.events() == Strings{"1 begin vfork()>2", "2 begin close(3)", "2 close(3)=0", "2 exit", "1 vfork()=2>2",
                                "1 begin newfstatat(AT_FDCWD</w>, \"x\", )",
                                "1 newfstatat(AT_FDCWD</w>, \"x\", {st_mode=S_IFREG|0644}, 0)=0",
                                "1 clone(child_stack=NULL, flags=SIGCHLD)=7>7"});
  CHECK(run.counts().lines == 8);
  CHECK(run.counts().calls == 4);
  CHECK(run.counts().unparsed == 0);
}

TEST_CASE("an execve of a thread that is not the first of its process ends under the number of the first") {
  const StreamRun run({
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD) = 2",
      "1 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>",
      "2 execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */ <unfinished ...>",
      "1 +++ superseded by execve in pid 2 +++",
      "1 <... execve resumed>) = 0",
      "1 close(1) = 0",
      "1 +++ superseded by execve in pid 1 +++",
      "1 +++ superseded by execve in pid x +++",
  });
  CHECK(run.events() == Strings{"1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD)=2>2",
                                "1 begin futex(0x7f, FUTEX_WAIT, 0, NULL)",
                                "2 begin execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */)", "1 goes on as 2",
                                "1 execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */)=0", "1 close(1)=0", "1 exit",
                                "1 exit"});
  CHECK(run.counts().unparsed == 0);
  CHECK(run.counts().unfinished == 1);
  const StreamRun unnumbered({
      "clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD) = 2",
      "[pid 2] execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */ <unfinished ...>",
      "+++ superseded by execve in pid 2 +++",
      "<... execve resumed>) = 0",
  });
  CHECK(unnumbered.events().back() == "0 execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */)=0");
  CHECK(unnumbered.counts().unparsed == 0);
}

TEST_CASE("lines without a number, and lines that strace's own messages break") {
  const StreamRun run({
      "1795177851.1 chdir(\"/w\") = 0",
      "1795177851.2 vfork(strace: Process 20 attached",
      " <unfinished ...>",
      "[pid 20] 1795177851.3 close(1) = 0",
      "[pid 19] 1795177851.4 <... vfork resumed>) = 20",
      "[pid 20] 1795177851.5 +++ exited with 0 +++",
      "1795177851.6 clone(child_stack=NULL, flags=SIGCHLDstrace: Process 21 attached",
      ", child_tidptr=0x7f) = 21",
      "[pid 21] 1795177851.7 close(2) = 0",
      "[pid 19] 1795177851.7 close(4) = 0",
      "1795177851.8 rt_sigprocmask(SIG_SETMASK, [], strace: Process 22 attached",
      "NULL, 8) = 0",
      "strace: Process 23 attached",
  });
  CHECK(run.events() == Strings{"0 chdir(\"/w\")=0", "0 begin vfork()>20", "20 close(1)=0", "0 vfork()=20>20",
                                "20 exit", "0 clone(child_stack=NULL, flags=SIGCHLD, child_tidptr=0x7f)=21>21",
                                "21 close(2)=0", "0 close(4)=0", "0 rt_sigprocmask(SIG_SETMASK, [], NULL, 8)=0"});
  CHECK(run.counts().unparsed == 0);
  CHECK(run.counts().notes == 1);
}

TEST_CASE("with -z the rest of a call stands alone behind its begin") {
  const StreamRun run({
      "1 read(3,  <unfinished ...>",
      "\"01234\", 5) = 5",
      "1 read(3,  <unfinished ...>",
      "nonsense",
      "1 <... read resumed>\"5\", 5) = 1",
      "1 read(3,  <unfinished ...>",
      "2 close(4) = 0",
      "\"6\", 5) = 1",
      "1 <... read resumed>\"6\", 5) = 1",
  });
  CHECK(run.events() == Strings{"1 begin read(3, )", "1 read(3, \"01234\", 5)=5", "1 begin read(3, )",
                                "1 read(3, \"5\", 5)=1", "1 begin read(3, )", "2 close(4)=0", "1 read(3, \"6\", 5)=1"});
  CHECK(run.counts().unparsed == 2);
}

TEST_CASE("a fork that never ends does not take the whole trace into memory") {
  TempDir dir;
  const std::string call = "2 write(1, \"" + std::string(MiB(1).value, 'x') + "\", 1048576) = 1048576\n";
  const size_t lines = 2 * (kMostAhead / Bytes{call.size()});
  {
    std::ofstream file(dir.File("trace"));
    file << "1 vfork( <unfinished ...>\n";
    for (size_t i = 0; i < lines; ++i) file << call;
  }
  auto stream = CallStream::Open({dir.File("trace")});
  REQUIRE(stream.ok());
  const auto begin = (*stream)->Next();
  REQUIRE(begin.ok());
  CHECK((*begin)->name == "vfork");
  CHECK_FALSE((*begin)->child.has_value());
  CHECK((*stream)->source().bytes_read() < kMostAhead);
  size_t calls = 0;
  for (auto event = (*stream)->Next(); event.ok() && event->has_value(); event = (*stream)->Next()) ++calls;
  CHECK(calls == lines);
  CHECK((*stream)->counts().unfinished == 1);
}

// Each looks for its end in all that follows: among the lines of its own thread only, or this would take minutes.
TEST_CASE("many forks that never end") {
  std::vector<std::string> lines;
  for (int pid = 1; pid <= 100'000; ++pid) lines.push_back(std::to_string(pid) + " vfork( <unfinished ...>");
  lines.push_back("7 <... vfork resumed>) = 200000");
  const StreamRun run(lines);
  CHECK(run.counts().unfinished == 99'999);
  CHECK(run.events().back() == "7 vfork()=200000>200000");
}

// Each child runs before the line of its fork, which is far ahead: lines in between are not looked at for each, or this
// would take minutes.
TEST_CASE("many children that run before the lines of their forks") {
  constexpr int kChildren = 60'000;
  std::vector<std::string> lines{"1 close(3) = 0"};
  const auto add = [&lines](int thread, const std::string& call) {
    lines.push_back(std::to_string(thread) + " " + call);
  };
  for (int child = 0; child < kChildren; ++child) add(200'000 + child, "close(4) = 0");
  for (int child = 0; child < kChildren; ++child) add(100'000 + child, "vfork() = " + std::to_string(200'000 + child));
  const StreamRun run(lines);
  CHECK(run.counts().calls == 1 + 2 * kChildren);
  CHECK(run.events().at(1) == "100000 begin vfork()>200000");
  CHECK(run.events().at(2) == "200000 close(4)=0");
  CHECK(run.events().at(3) == "100001 begin vfork()>200001");
}

TEST_CASE("what makes no sense is counted, and the first of it kept") {
  const StreamRun run({
      "make: nothing to be done",
      "1 close(3) = 0",
      "1 <... read resumed>) = 0",
      "1 read(3, \"",
      ") = 0",
      "2 read(3,  <unfinished ...>",
      "2 <... write resumed>) = 0",
      "3 wait4(-1,  <unfinished ...>",
      "--- SIGCHLD {si_signo=SIGCHLD} ---",
  });
  CHECK(run.counts().unparsed == 5);
  REQUIRE(run.counts().samples.size() == 5);
  CHECK(run.counts().samples.front().ends_with("trace:1: neither a call nor an event: make: nothing to be done"));
  CHECK(run.counts().unfinished == 2);
  CHECK(run.counts().signals == 1);
  CHECK(run.counts().calls == 1);
}

TEST_CASE("broken lines whose rest does not come are counted") {
  const StreamRun run({
      "vfork(strace: Process 20 attached",
      "clone(flags=SIGCHLDstrace: Process 21 attached",
      "nonsense",
      "vfork(strace: Process 22 attached",
      "[pid 20] close(1) = 0",
  });
  CHECK(run.events() == Strings{"20 close(1)=0"});
  CHECK(run.counts().lines == 5);
  CHECK(run.counts().unparsed == 4);
  REQUIRE(run.counts().samples.size() == 4);
  CHECK(run.counts().samples.at(0).ends_with(":1: the rest of the line is missing: vfork(strace: Process 20 attached"));
  CHECK(
      run.counts().samples.at(1).ends_with(":2: the rest of the line is missing: "
                                           "clone(flags=SIGCHLDstrace: Process 21 attached"));
  CHECK(run.counts().samples.at(2).ends_with(":3: the arguments do not end: nonsense"));
  CHECK(run.counts().samples.at(3).ends_with(":4: the rest of the line is missing: vfork(strace: Process 22 attached"));
}

TEST_CASE("a file that is no trace, or none at all") {
  CHECK(CallStream::Open({"/nonexistent/trace"}).status().code() == absl::StatusCode::kNotFound);
  const StreamRun run({});
  CHECK(run.events().empty());
}

TEST_CASE("a fork that ends behind the first line of its child begins before that") {
  const StreamRun run({
      "1 close(5) = 0",
      "2 dup2(3, 1) = 1",
      "2 +++ exited with 0 +++",
      "1 vfork() = 2",
      "2 close(4) = 0",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_VFORK) = 2",
  });
  CHECK(run.events() == Strings{"1 close(5)=0", "1 begin vfork()>2", "2 dup2(3, 1)=1", "2 exit", "1 vfork()=2>2",
                                "1 begin clone(child_stack=0x7f, flags=CLONE_VM|CLONE_VFORK)>2", "2 close(4)=0",
                                "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_VFORK)=2>2"});
  CHECK(run.counts().lines == 6);
  CHECK(run.counts().calls == 5);
  CHECK(run.counts().unfinished == 0);
}

TEST_CASE("a thread from before the trace is no child of a fork that begins when it has run") {
  const StreamRun run({
      "1 close(5) = 0",
      "2 close(3) = 0",
      "1 close(6) = 0",
      "1 vfork() = 2",
      "3 close(4) = 0",
  });
  CHECK(run.events() == Strings{"1 close(5)=0", "2 close(3)=0", "1 close(6)=0", "1 vfork()=2>2", "3 close(4)=0"});
}

TEST_CASE("with -z a fork may have nothing but its rest on its second line") {
  const StreamRun run({
      "1 vfork( <unfinished ...>",
      ")      = 2",
      "2 close(3) = 0",
      "3 dup2(3, 1) = 1",
      "2 close(4) = 0",
      "1 vfork( <unfinished ...>",
      ")      = 3",
      "3 close(5) = 0",
      "1 vfork( <unfinished ...>",
      "1 <... vfork resumed>) = 4",
  });
  CHECK(run.events() == Strings{"1 begin vfork()>2", "1 vfork()=2>2", "2 close(3)=0", "1 begin vfork()>3",
                                "3 dup2(3, 1)=1", "2 close(4)=0", "1 vfork()=3>3", "3 close(5)=0", "1 begin vfork()>4",
                                "1 vfork()=4>4"});
  CHECK(run.counts().unparsed == 0);
  CHECK(run.counts().lines == 10);
}

}  // namespace
}  // namespace betr::replay
