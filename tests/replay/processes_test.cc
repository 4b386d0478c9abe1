// SPDX-License-Identifier: Apache-2.0
// Which thread has what: groups of threads, namespaces of processes, working directories that a trace contradicts.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("exit_group ends the threads of its own process, not others that share their descriptors") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 open(\"a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 clone(child_stack=0x7f, flags=CLONE_FS|CLONE_FILES|SIGCHLD) = 2",
      "2 write(3, \"x\"..., 5) = 5",
      "2 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 3",
      "2 exit_group(0) = ?",
      "3 clone(child_stack=NULL, flags=SIGCHLD) = 4",
      "4 write(3, \"x\"..., 100) = 100",
      "2 +++ exited with 0 +++",
      "1 write(3, \"x\"..., 7) = 7",
      "1 open(\"b\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 write(4, \"x\"..., 1) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 12 /w/a", "f 0644 1 /w/b"});
  CHECK(run.result().interpreter.unsupported.size() == 1);
}

TEST_CASE("children of another namespace have the numbers that strace knows them by") {
  TextRun run({
      "1000 chdir(\"/w\") = 0",
      "1000 open(\"a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1000 clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 1001 in strace's PID NS */ <0.000100>",
      "1001 write(3, \"x\"..., 5) = 5",
      "1000 vfork( <unfinished ...>",
      "1002 write(3, \"x\"..., 6) = 6",
      "1000 <... vfork resumed>) = 3 /* 1002 in strace's PID NS */",
      "1000 wait4(-1, NULL, 0, NULL) = 2 /* 1001 in strace's PID NS */",
      "1000 waitid(P_ALL, 0, {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=3 /* 1002 in strace's PID NS */, "
      "si_uid=0, si_status=0, si_utime=0, si_stime=0}, WEXITED, NULL) = 0",
      "1000 pidfd_open(3 /* 1002 in strace's PID NS */, 0) = 4",
      "1000 pidfd_getfd(4, 3, 0) = 5",
      "1000 write(5, \"x\"..., 7) = 7",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 18 /w/a"});
  CHECK(run.result().interpreter.unsupported.empty());
}

TEST_CASE("nothing is known of where a process is that has gone where there is nothing") {
  struct Case {
    std::string call;
    uint64_t lost;
  };
  const Case cases[] = {{"chdir(\"none\") = 0", 1},
                        {"fchdir(3) = 0", 1},
                        {"chroot(\"none\") = 0", 0},
                        {"chdir(\"/elsewhere\") = 0", 0},
                        {"chdir(0x7f) = 0", 2}};
  for (const Case& expected : cases) {
    INFO(expected.call);
    TextRun run({
        "1 chdir(\"/w\") = 0",
        "1 open(\"f\", O_WRONLY|O_CREAT, 0644) = 3",
        "1 " + expected.call,
        std::string("1 mkdir(\"") + (expected.call.starts_with("chroot") ? "/w/" : "") + "d\", 0755) = 0",
    });
    run.Everywhere();
    CHECK(run.Final() == Strings{"f 0644 0 /w/f"});
    uint64_t lost = 0;
    for (const auto& [name, count] : run.result().interpreter.unsupported) lost += count;
    CHECK(lost == expected.lost);
  }
}

}  // namespace
}  // namespace betr::replay
