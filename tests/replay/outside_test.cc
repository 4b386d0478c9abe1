// SPDX-License-Identifier: Apache-2.0
// What crosses the border of the directory that is replayed.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("what is renamed out of the root is removed, trees as a whole") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 open(\"a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 rename(\"a\", \"/elsewhere/a\") = 0",
      "1 write(3, \"x\"..., 5) = 5",
      "1 rename(\"tree\", \"/elsewhere/tree\") = 0",
      "1 rename(\"none\", \"/elsewhere/none\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"kept\", \"/elsewhere/kept\") = -1 EXDEV (Invalid cross-device link)",
      "1 stat(\"a\", 0x7ffc) = -1 ENOENT (No such file or directory)",
      "1 stat(\"tree/d\", 0x7ffc) = -1 ENOENT (No such file or directory)",
  });
  run.SetManifest({"/w/kept f 0644 0 -", "/w/tree d 0755 0 -", "/w/tree/d d 0755 0 -", "/w/tree/d/f f 0644 7 -",
                   "/w/tree/e d 0700 0 -", "/w/tree/g f 0644 7 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/kept"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("what comes into the root from outside is said not to be done") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 rename(\"/elsewhere/a\", \"a\") = 0",
      "1 link(\"/elsewhere/b\", \"b\") = 0",
      "1 linkat(AT_FDCWD, \"/proc/self/fd/9\", AT_FDCWD, \"c\", AT_SYMLINK_FOLLOW) = 0",
      "1 rename(\"/elsewhere/a\", \"/elsewhere/b\") = 0",
      "1 rename(\"/elsewhere/a\", \"d\") = -1 ENOENT (No such file or directory)",
  });
  run.Everywhere();
  const InterpreterCounts& calls = run.result().interpreter;
  CHECK(calls.unsupported.at("rename from outside of the root") == 1);
  CHECK(calls.unsupported.at("link from outside of the root") == 2);
  CHECK(calls.outside == 2);
}

TEST_CASE("calls whose paths the trace does not tell are counted by themselves") {
  const std::string directory = "a relative path, and the working directory is not known (--cwd)";
  const std::string unprinted = "a path that strace has not printed";
  TextRun run({
      "1 open(\"a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 mkdirat(AT_FDCWD, \"d\", 0755) = 0",
      "1 rename(\"b\", \"/w/c\") = 0",
      "1 mkdirat(AT_FDCWD</elsewhere>, \"d\", 0755) = 0",
      "1 mkdir(\"/elsewhere/d\", 0755) = 0",
      "1 open(0x5581, 0) = 3",
      "1 stat(0x1, 0x7ffc) = -1 EFAULT (Bad address)",
      "1 chdir(\"/elsewhere\") = 0",
      "1 mkdir(\"d\", 0755) = 0",
  });
  run.Everywhere();
  const InterpreterCounts& calls = run.result().interpreter;
  CHECK(calls.unsupported == std::map<std::string, uint64_t>{{directory, 3}, {unprinted, 1}});
  CHECK(calls.outside == 5);
}

TEST_CASE("a removed directory is left out, though a process works in it or has it open") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 mkdir(\"s\", 0755) = 0",
      "1 open(\"s\", O_RDONLY|O_DIRECTORY) = 3",
      "1 chdir(\"s\") = 0",
      "1 rmdir(\"../s\") = 0",
      "1 stat(\".\", {st_mode=S_IFDIR|0755, st_size=0, ...}) = 0",
      "1 open(\".\", O_RDONLY|O_DIRECTORY) = 4",
      "1 fstat(4, {st_mode=S_IFDIR|0755, st_size=0, ...}) = 0",
      "1 getdents64(4, 0x7f, 32768) = -1 ENOENT (No such file or directory)",
      "1 close(4) = 0",
      "1 fstat(3, {st_mode=S_IFDIR|0755, st_size=0, ...}) = 0",
      "1 close(3) = 0",
      "1 open(\"f\", O_RDWR|O_CREAT, 0644) = -1 ENOENT (No such file or directory)",
      "1 mkdir(\"../t\", 0755) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/t"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.skipped == std::map<std::string, uint64_t>{{"a removed directory", 6}});
}

TEST_CASE("with a root that is outside, absolute paths are") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 chroot(\"/elsewhere\") = 0",
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 mkdir(\"d\", 0755) = 0",
      "1 clone(child_stack=NULL, flags=SIGCHLD) = 2",
      "2 mkdir(\"/w/e\", 0755) = 0",
      "3 mkdir(\"/w/f\", 0755) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "d 0755 0 /w/f"});
}

TEST_CASE("another name of the root is known from the first open whose path strace tells") {
  TextRun run({
      "1 openat(AT_FDCWD, \"/alias/d/f\", O_WRONLY|O_CREAT, 0644) = 3</w/d/f>",
      "1 write(3</w/d/f>, \"x\"..., 5) = 5",
      "1 mkdir(\"/alias/e\", 0755) = 0",
      "1 chdir(\"/alias\") = 0",
      "1 mkdir(\"g\", 0755) = 0",
      "1 openat(AT_FDCWD, \"/dev/stdout\", O_WRONLY) = 4</w/d/f>",
      "2 mkdir(\"/dev/stdout\", 0755) = -1 EEXIST (File exists)",
      "1 mkdir(\"/aliases\", 0755) = 0",
      "1 openat(AT_FDCWD, \"/alias/d/h\", O_WRONLY|O_CREAT, 0644) = 5</w/d/h>",
  });
  run.SetManifest({"/w/d d 0755 0 -"});
  run.Everywhere();
  CHECK(run.Final() ==
        Strings{"d 0755 0 /w/d", "f 0644 5 /w/d/f", "f 0644 0 /w/d/h", "d 0755 0 /w/e", "d 0755 0 /w/g"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.outside == 2);
}

}  // namespace
}  // namespace betr::replay
