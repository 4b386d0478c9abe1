// SPDX-License-Identifier: Apache-2.0
// Paths below /proc and /dev that lead to what a process has open, or to where it is.
#include <catch2/catch.hpp>

#include "replay/interpret/process_path.h"
#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;
using Kind = ProcessPath::Kind;

TEST_CASE("paths of processes: the standard descriptors, numbers of processes and threads, what stands behind them") {
  CHECK(ParseProcessPath("/dev/stderr")->descriptor == 2);
  CHECK(ParseProcessPath("/dev/fd/63")->descriptor == 63);
  CHECK(ParseProcessPath("/proc/self/fd/3")->rest.empty());
  CHECK(ParseProcessPath("/proc/thread-self/fd/3/")->rest == ".");
  CHECK(ParseProcessPath("/proc/7/fd/3//a/b/")->rest == "a/b/");
  CHECK(ParseProcessPath("/proc/7/fd/3")->thread == 7);
  CHECK(ParseProcessPath("/proc/self/task/8/fd/3")->thread == 8);
  CHECK_FALSE(ParseProcessPath("/proc/self/cwd")->thread.has_value());
  CHECK(ParseProcessPath("/proc/self/cwd/x")->kind == Kind::kDirectory);
  CHECK(ParseProcessPath("/proc/self/root/x")->kind == Kind::kRoot);
  for (const char* other :
       {"/dev/stdout/", "/dev/std", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "/proc", "/proc/self", "/proc/7x/fd/1",
        "/proc/self/fd", "/proc/self/exe", "/proc/self/task/x/fd/1", "proc/1/fd/1", "/proc/self/fd/99999999999"}) {
    CAPTURE(other);
    CHECK_FALSE(ParseProcessPath(other).has_value());
  }
}

TEST_CASE("the standard descriptors by their names in /dev, and those of other processes, are what is behind them") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0644) = 3",
      "1 dup2(3, 1) = 1",
      "1 write(1, \"x\"..., 8) = 8",
      "1 truncate(\"/dev/stdout\", 3) = 0",
      "1 clone(child_stack=NULL, flags=SIGCHLD) = 2",
      "2 close(1) = 0",
      "2 truncate(\"/dev/stdout\", 5) = -1 EINVAL (Invalid argument)",
      "2 chmod(\"/proc/1/fd/1\", 0600) = 0",
      "2 stat(\"/proc/self/fd/3\", {st_mode=S_IFREG|0600, st_size=3, ...}) = 0",
      "2 chmod(\"/proc/9/fd/3\", 0640) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0600 3 /w/a"});
  CHECK(run.result().interpreter.outside == 2);
}

TEST_CASE("ways that begin at a descriptor, a working directory or a root in /proc") {
  TextRun run({
      "1 mkdir(\"/w/d\", 0755) = 0",
      "1 open(\"/w/d\", O_RDONLY|O_DIRECTORY) = 3",
      "1 open(\"/proc/self/fd/3/a\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 write(4, \"x\"..., 8) = 8",
      "1 symlink(\"a\", \"/dev/fd/3/l\") = 0",
      "1 readlink(\"/proc/self/fd/3/l\", \"a\", 100) = 1",
      "1 stat(\"/proc/self/fd/4/x\", 0x7f) = -1 ENOTDIR (Not a directory)",
      "1 chdir(\"/w\") = 0",
      "1 mkdir(\"/proc/self/cwd/e\", 0755) = 0",
      "1 chdir(\"/proc/self/cwd/e\") = 0",
      "1 chdir(\"/proc/self/fd/3/\") = 0",
      "1 mkdir(\"f\", 0755) = 0",
      "1 rmdir(\"/proc/1/root/w/e\") = 0",
      "1 stat(\"/proc/self/cwd\", {st_mode=S_IFDIR|0755, st_size=1, ...}) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "f 0644 8 /w/d/a", "d 0755 0 /w/d/f", "l 0777 1 /w/d/l->a"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.outside == 0);
}

TEST_CASE("the working directory of a process is not known in /proc if nothing tells it") {
  TextRun run({"1 mkdir(\"/proc/self/cwd/e\", 0755) = 0"});
  run.OnNothing();
  CHECK(run.result().interpreter.outside == 0);
  CHECK(run.result().interpreter.unsupported.size() == 1);
}

TEST_CASE("files are opened again through their descriptors, with or without a name") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 open(\"/dev/fd/3\", O_WRONLY|O_APPEND) = 4",
      "1 write(4, \"x\"..., 5) = 5",
      "1 open(\"/proc/self/fd/4\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5",
      "1 write(5, \"x\"..., 7) = 7",
      "1 unlink(\"/w/a\") = 0",
      "1 open(\"/proc/self/fd/3\", O_RDONLY) = 6",
      "1 read(6, \"x\"..., 100) = 7",
      "1 truncate(\"/proc/self/fd/6\", 1) = 0",
      "1 close(3) = 0",
      "1 fstat(6, {st_mode=S_IFREG|0644, st_size=1, ...}) = 0",
      "1 openat(AT_FDCWD, \"/w\", O_RDWR|O_TMPFILE, 0600) = 7",
      "1 write(7, \"x\"..., 3) = 3",
      "1 open(\"/proc/self/fd/7\", O_RDONLY) = 8",
      "1 read(8, \"x\"..., 100) = 3",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 9",
      "1 open(\"/w/b\", O_PATH) = 10",
      "1 open(\"/proc/self/fd/10\", O_WRONLY) = 11",
      "1 write(11, \"x\"..., 9) = 9",
      "1 open(\"/proc/self/fd/11\", O_RDONLY|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
      "1 open(\"/w\", O_RDONLY|O_DIRECTORY) = 12",
      "1 open(\"/proc/self/fd/12\", O_WRONLY) = -1 EISDIR (Is a directory)",
      "1 open(\"/proc/self/fd/12\", O_RDWR|O_TMPFILE, 0600) = 13",
      "1 write(13, \"x\"..., 2) = 2",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 9 /w/b"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.outside == 0);
}

TEST_CASE("a symlink that is open is read") {
  TextRun run({
      "1 symlink(\"target\", \"/w/l\") = 0",
      "1 open(\"/w/l\", O_PATH|O_NOFOLLOW) = 3",
      "1 readlinkat(3, \"\", \"target\", 100) = 6",
  });
  run.Everywhere();
  CHECK(run.result().interpreter.conflicts.empty());
}

}  // namespace
}  // namespace betr::replay
