// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/inference.h"

#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("what a trace finds was there before it") {
  const TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 stat(\"src\", {st_mode=S_IFDIR|0750, st_size=4096, ...}) = 0",
      "1 open(\"src/a\", O_RDONLY) = 3",
      "1 read(3, \"x\"..., 4096) = 4096",
      "1 read(3, \"x\"..., 4096) = 10",
      "1 lstat(\"deep/er/b\", {st_mode=S_IFREG|0600, st_size=77, ...}) = 0",
      "1 open(\"src/none\", O_RDONLY) = -1 ENOENT (No such file or directory)",
      "1 open(\"made\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 stat(\"made\", {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
      "1 readlink(\"link\", \"src/a\", 100) = 5",
      "1 mkdir(\"old\", 0755) = -1 EEXIST (File exists)",
      "1 rename(\"moved\", \"src/moved\") = 0",
      "1 unlink(\"gone\") = 0",
      "1 open(\"dir\", O_RDONLY) = 5",
      "1 getdents64(5, 0x7f /* 2 entries */, 32768) = 48",
      "1 chmod(\"src\", 0700) = 0",
      "1 stat(\"src\", {st_mode=S_IFDIR|0700, st_size=4096, ...}) = 0",
  });
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w", "d 0755 0 /w/deep", "d 0755 0 /w/deep/er",
                                      "f 0600 77 /w/deep/er/b", "d 0755 0 /w/dir", "f 0644 0 /w/gone",
                                      "l 0777 5 /w/link->src/a", "f 0644 0 /w/moved", "d 0755 0 /w/old",
                                      "d 0750 0 /w/src", "f 0644 4106 /w/src/a"});
}

TEST_CASE("what lies deeper than paths reach is not inferred") {
  Strings lines{"1 chdir(\"/w\") = 0"};
  lines.resize(30000, "1 chdir(\"d\") = 0");
  const Manifest found = TextRun(lines).Infer();
  CHECK(found.entries.size() > 1000);
  CHECK(found.entries.back().path.size() < 4095);
}

TEST_CASE("a replay of what was inferred has no conflicts") {
  const Strings lines{
      "1 open(\"/w/in/a\", O_RDONLY) = 3",   "1 fstat(3, {st_mode=S_IFREG|0640, st_size=100, ...}) = 0",
      "1 read(3, \"x\"..., 4096) = 100",     "1 read(3, \"\", 4096) = 0",
      "1 rename(\"/w/in\", \"/w/out\") = 0", "1 stat(\"/w/out/b\", {st_mode=S_IFREG|0600, st_size=9, ...}) = 0",
      "1 unlink(\"/w/out/b\") = 0",
  };
  TextRun run(lines);
  const Strings manifest = Lines(run.Infer());
  CHECK(manifest == Strings{"d 0755 0 /w", "d 0755 0 /w/in", "f 0640 100 /w/in/a", "f 0600 9 /w/in/b"});
  run.SetManifest({"/w/in d 0755 0 -", "/w/in/a f 0640 100 -", "/w/in/b f 0600 9 -"});
  run.Everywhere();
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.Final() == Strings{"d 0755 0 /w/out", "f 0640 100 /w/out/a"});
}

TEST_CASE("what was taken for a file turns out to be a directory") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 rename(\"a\", \"c\") = 0",
            "1 open(\"c/b/f\", O_RDONLY) = 3",
            "1 access(\"d\", F_OK) = 0",
            "1 open(\"d/f\", O_RDONLY) = 4",
            "1 access(\"e\", F_OK) = 0",
            "1 open(\"e/none\", O_RDONLY) = -1 ENOENT (No such file or directory)",
            "1 open(\"at\", O_RDONLY) = 6",
            "1 openat(6, \"y\", O_RDONLY) = 7",
            "1 open(\"none/\", O_RDWR|O_CREAT, 0644) = -1 EISDIR (Is a directory)",
            "1 open(\"sub\", O_RDONLY) = 5",
            "1 fstat(5, {st_mode=S_IFDIR|0711, st_size=4096, ...}) = 0",
            "1 fchdir(5) = 0",
            "1 stat(\"../x\", {st_mode=S_IFREG|0600, st_size=3, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "d 0755 0 /w/a", "d 0755 0 /w/a/b", "f 0644 0 /w/a/b/f", "d 0755 0 /w/at",
                      "f 0644 0 /w/at/y", "d 0755 0 /w/d", "f 0644 0 /w/d/f", "d 0755 0 /w/e", "d 0711 0 /w/sub",
                      "f 0600 3 /w/x"});
}

TEST_CASE("what has two names is no directory, and what is no directory is no root") {
  const Strings lines{
      "1 chdir(\"/w/d\") = 0",
      "1 link(\"/w/l\", \"/w/d\") = 0",
      "1 chroot(\"/w/l\") = 0",
      "1 openat(AT_FDCWD, \"/x/a\", O_RDONLY) = 5",
  };
  TextRun run(lines);
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w", "d 0755 0 /w/d", "f 0644 0 /w/l"});
  run.TakeInferred();
  run.OnNothing();
  CHECK(run.result().interpreter.conflicts.size() == 2);
}

TEST_CASE("what changes an object shows that it was there") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 chmod(\"a\", 0600) = 0",
            "1 chown(\"b\", 1, 1) = 0",
            "1 utimensat(AT_FDCWD, \"c\", NULL, 0) = 0",
            "1 truncate(\"d\", 5) = 0",
            "1 setxattr(\"e\", \"user.x\", \"y\", 1, 0) = 0",
            "1 getxattr(\"f\", \"user.x\", 0x7ffc, 10) = -1 ENODATA (No data available)",
            "1 statfs(\"g\", 0x7ffc) = 0",
            "1 listxattr(\"h/\", NULL, 0) = 0",
            "1 removexattr(\"i\", \"user.x\") = 0",
        }) == Strings{"d 0755 0 /w", "f 0644 0 /w/a", "f 0644 0 /w/b", "f 0644 0 /w/c", "f 0644 0 /w/d",
                      "f 0644 0 /w/e", "f 0644 0 /w/f", "f 0644 0 /w/g", "d 0755 0 /w/h", "f 0644 0 /w/i"});
}

TEST_CASE("sizes show in what is copied, cloned and sought") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 open(\"new\", O_RDWR|O_CREAT|O_EXCL, 0644) = 3",
            "1 open(\"a\", O_RDONLY) = 4",
            "1 copy_file_range(4, NULL, 3, NULL, 100, 0) = 70",
            "1 copy_file_range(4, NULL, 3, NULL, 100, 0) = 0",
            "1 open(\"b\", O_RDONLY) = 5",
            "1 lseek(5, -5, SEEK_END) = 1000",
            "1 open(\"c\", O_RDONLY) = 6",
            "1 open(\"clone\", O_RDWR|O_CREAT|O_EXCL, 0644) = 7",
            "1 ioctl(7, BTRFS_IOC_CLONE or FICLONE, 6) = 0",
            "1 fstat(7, {st_mode=S_IFREG|0644, st_size=500, ...}) = 0",
            "1 open(\"d\", O_RDONLY) = 8",
            "1 ioctl(3, FICLONERANGE, {src_fd=8, src_offset=4096, src_length=100, dest_offset=8192}) = 0",
            "1 fstat(3, {st_mode=S_IFREG|0644, st_size=8292, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "f 0644 70 /w/a", "f 0644 1005 /w/b", "f 0644 500 /w/c", "f 0644 4196 /w/d"});
}

TEST_CASE("what was open before the trace was there, if strace tells its path") {
  const Strings lines{
      "1 write(1</w/d/out>, \"x\"..., 6) = 6",
      "1 read(3</w/none>, 0x7ffc, 10) = -1 EAGAIN (Resource temporarily unavailable)",
      "1 getdents64(4</w/open>, 0x7f /* 2 entries */, 32768) = 48",
      "1 write(2<pipe:[7]>, \"x\", 1) = 1",
      "1 fstat(5</w/gone>(deleted), {st_mode=S_IFREG|0644, st_size=6, ...}) = 0",
  };
  TextRun run(lines);
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w", "d 0755 0 /w/d", "f 0644 0 /w/d/out", "d 0755 0 /w/open"});
  run.TakeInferred();
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "f 0644 6 /w/d/out", "d 0755 0 /w/open"});
}

TEST_CASE("a directory that a process works in was there") {
  TextRun run({"1 open(\"f\", O_RDONLY) = 3"});
  run.SetInitialDirectory("/w/src/build");
  CHECK(Lines(run.Infer()) ==
        Strings{"d 0755 0 /w", "d 0755 0 /w/src", "d 0755 0 /w/src/build", "f 0644 0 /w/src/build/f"});
  const TextRun annotated({"1 openat(AT_FDCWD</w/src>, \"f\", O_RDONLY) = 3</w/src/f>"});
  CHECK(Lines(annotated.Infer()) == Strings{"d 0755 0 /w", "d 0755 0 /w/src", "f 0644 0 /w/src/f"});
}

TEST_CASE("what an open with O_CREAT finds was there, if it holds what nobody has written") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 open(\"grown\", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3",
            "1 write(3, \"a\\n\", 2) = 2",
            "1 fstat(3, {st_mode=S_IFREG|0644, st_size=8, ...}) = 0",
            "1 open(\"read\", O_RDWR|O_CREAT, 0666) = 4",
            "1 read(4, \"hello\", 100) = 5",
            "1 open(\"mode\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5",
            "1 fstat(5, {st_mode=S_IFREG|0755, st_size=0, ...}) = 0",
            "1 open(\"sought\", O_RDWR|O_CREAT, 0666) = 6",
            "1 lseek(6, 0, SEEK_END) = 77",
            "1 open(\"new\", O_WRONLY|O_CREAT, 0666) = 7",
            "1 write(7, \"abc\", 3) = 3",
            "1 fstat(7, {st_mode=S_IFREG|0644, st_size=3, ...}) = 0",
        }) ==
        Strings{"d 0755 0 /w", "f 0644 6 /w/grown", "f 0755 0 /w/mode", "f 0644 5 /w/read", "f 0644 77 /w/sought"});
}

TEST_CASE("a size that is seen after writes tells what was there before them") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 open(\"a\", O_RDWR) = 3",
            "1 pwrite64(3, \"abc\", 3, 0) = 3",
            "1 fstat(3, {st_mode=S_IFREG|0644, st_size=8893, ...}) = 0",
            "1 pread64(3, \"abc\"..., 100, 0) = 100",
            "1 open(\"b\", O_WRONLY|O_APPEND) = 4",
            "1 write(4, \"abc\", 3) = 3",
            "1 lseek(4, 0, SEEK_END) = 100",
            "1 open(\"c\", O_RDWR) = 5",
            "1 pwrite64(5, \"abc\", 3, 10) = 3",
            "1 pread64(5, \"abc\"..., 100, 0) = 20",
            "1 open(\"d\", O_RDWR) = 6",
            "1 pwrite64(6, \"abc\", 3, 10) = 3",
            "1 fstat(6, {st_mode=S_IFREG|0644, st_size=13, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "f 0644 8893 /w/a", "f 0644 97 /w/b", "f 0644 20 /w/c", "f 0644 0 /w/d"});
}

TEST_CASE("errors that only what is there can give show it, and the way to it") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 mkdir(\"a/1/2\", 0777) = -1 EEXIST (File exists)",
            "1 open(\"b/c\", O_WRONLY|O_CREAT|O_EXCL, 0666) = -1 EEXIST (File exists)",
            "1 rmdir(\"c/d\") = -1 ENOTEMPTY (Directory not empty)",
            "1 unlink(\"d/d\") = -1 EISDIR (Is a directory)",
            "1 open(\"e/d\", O_WRONLY) = -1 EISDIR (Is a directory)",
            "1 getxattr(\"f/d\", \"user.a\", 0x1, 100) = -1 ENODATA (No data available)",
            "1 readlink(\"g/d\", 0x1, 100) = -1 EINVAL (Invalid argument)",
            "1 rename(\"h/1\", \"h/2\") = -1 ENOTEMPTY (Directory not empty)",
            "1 rename(\"i/1\", \"i/2\") = -1 EISDIR (Is a directory)",
            "1 renameat2(AT_FDCWD, \"j/1\", AT_FDCWD, \"j/2\", RENAME_NOREPLACE) = -1 EEXIST (File exists)",
            "1 rmdir(\"k\") = -1 ENOTDIR (Not a directory)",
            "1 truncate(\"l\", 0) = -1 EISDIR (Is a directory)",
            "1 link(\"m\", \"none\") = -1 EPERM (Operation not permitted)",
            "1 link(\"n/1\", \"n/2\") = -1 EEXIST (File exists)",
            "1 open(\"o\", O_RDONLY) = 3",
            "1 read(3, 0x1, 10) = -1 EISDIR (Is a directory)",
        }) == Strings{"d 0755 0 /w",       "d 0755 0 /w/a",   "d 0755 0 /w/a/1",
                      "d 0755 0 /w/a/1/2", "d 0755 0 /w/b",   "f 0644 0 /w/b/c",
                      "d 0755 0 /w/c",     "d 0755 0 /w/c/d", "f 0644 0 /w/c/d/.betrreplay-entry",
                      "d 0755 0 /w/d",     "d 0755 0 /w/d/d", "d 0755 0 /w/e",
                      "d 0755 0 /w/e/d",   "d 0755 0 /w/f",   "f 0644 0 /w/f/d",
                      "d 0755 0 /w/g",     "f 0644 0 /w/g/d", "d 0755 0 /w/h",
                      "d 0755 0 /w/h/1",   "d 0755 0 /w/h/2", "f 0644 0 /w/h/2/.betrreplay-entry",
                      "d 0755 0 /w/i",     "f 0644 0 /w/i/1", "d 0755 0 /w/i/2",
                      "d 0755 0 /w/j",     "f 0644 0 /w/j/1", "f 0644 0 /w/j/2",
                      "f 0644 0 /w/k",     "d 0755 0 /w/l",   "d 0755 0 /w/m",
                      "d 0755 0 /w/n",     "f 0644 0 /w/n/1", "f 0644 0 /w/n/2",
                      "d 0755 0 /w/o"});
}

TEST_CASE("a name that cannot be made anew is a directory only as far as a call goes on in that way") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 symlink(\"x\", \"a\") = -1 EEXIST (File exists)",
            "1 mkdir(\"a\", 0755) = -1 EEXIST (File exists)",
            "1 open(\"a\", O_WRONLY|O_APPEND) = 3",
            "1 write(3, \"abc\", 3) = 3",
            "1 mknod(\"b\", 0644) = -1 EEXIST (File exists)",
            "1 mkdir(\"b\", 0755) = -1 EEXIST (File exists)",
            "1 open(\"b/f\", O_RDONLY) = 4",
            "1 mkdir(\"c/\", 0755) = -1 EEXIST (File exists)",
            "1 lstat(\"c\", {st_mode=S_IFREG|0640, st_size=7, ...}) = 0",
            "1 mkdir(\"d\", 0755) = -1 EEXIST (File exists)",
            "1 rename(\"d\", \"e\") = 0",
            "1 mkdir(\"f\", 0755) = -1 EEXIST (File exists)",
            "1 chdir(\"f\") = -1 ENOTDIR (Not a directory)",
            "1 mkdir(\"g\", 0755) = -1 EEXIST (File exists)",
            "1 unlink(\"g\") = 0",
            "1 mkdir(\"h\", 0755) = -1 EEXIST (File exists)",
            "1 rename(\"a\", \"h\") = 0",
            "1 mkdir(\"i\", 0755) = -1 EEXIST (File exists)",
            "1 lstat(\"i\", {st_mode=S_IFLNK|0777, st_size=7, ...}) = 0",
            "1 mkdir(\"j\", 0755) = -1 EEXIST (File exists)",
            "1 open(\"j\", O_RDONLY) = 5",
            "1 read(5, \"\", 10) = 0",
            "1 mkdir(\"k\", 0755) = -1 EEXIST (File exists)",
            "1 rmdir(\"k\") = -1 ENOTDIR (Not a directory)",
            "1 mkdir(\"l\", 0755) = -1 EEXIST (File exists)",
            "1 chmod(\"l\", 0700) = 0",
            "1 mkdir(\"m\", 0755) = -1 EEXIST (File exists)",
            "1 rmdir(\"m\") = 0",
        }) == Strings{"d 0755 0 /w", "f 0644 0 /w/a", "d 0755 0 /w/b", "f 0644 0 /w/b/f", "f 0640 7 /w/c",
                      "d 0755 0 /w/d", "f 0644 0 /w/f", "f 0644 0 /w/g", "f 0644 0 /w/h", "l 0777 7 /w/i->~~~~~~1",
                      "f 0644 0 /w/j", "f 0644 0 /w/k", "d 0755 0 /w/l", "d 0755 0 /w/m"});
}

TEST_CASE("of two paths, ENOTDIR does not tell which has no directory") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 rename(\"file/x\", \"new/y\") = -1 ENOTDIR (Not a directory)",
      "1 stat(\"new\", 0x7ffd) = -1 ENOENT (No such file or directory)",
      "1 open(\"new\", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3",
      "1 write(3, \"hello\", 5) = 5",
      "1 link(\"old/x\", \"newer/y\") = -1 ENOTDIR (Not a directory)",
      "1 mkdir(\"newer\", 0755) = 0",
  });
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 5 /w/new", "d 0755 0 /w/newer"});
}

TEST_CASE("a name that a call has made was not there before") {
  TextRun run({
      "1 mkdir(\"/w/d\", 0755) = 0",
      "1 rmdir(\"/w/d\") = 0",
      "1 stat(\"/w/d\", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0",
  });
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w"});
}

TEST_CASE("what mkdir has found replaces a directory if nothing tells that it is none") {
  const Strings start{"1 chdir(\"/w\") = 0", "1 mkdir(\"d\", 0755) = -1 EEXIST (File exists)"};
  const auto infer = [&start](const Strings& lines) {
    Strings all = start;
    all.insert(all.end(), lines.begin(), lines.end());
    return InferredFully(all);
  };
  CHECK(infer({"1 access(\"e\", F_OK) = 0", "1 rename(\"d\", \"e\") = 0", "1 mkdir(\"e/x\", 0755) = 0"}) ==
        Strings{"d 0755 0 /w", "d 0755 0 /w/d", "d 0755 0 /w/e"});
  CHECK(infer({"1 access(\"e\", F_OK) = 0", "1 rename(\"e\", \"d\") = 0", "1 mkdir(\"d/x\", 0755) = 0"}) ==
        Strings{"d 0755 0 /w", "d 0755 0 /w/d", "d 0755 0 /w/e"});
  CHECK(infer({"1 open(\"new\", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3", "1 rename(\"new\", \"d\") = 0"}) ==
        Strings{"d 0755 0 /w", "f 0644 0 /w/d"});
  CHECK(infer({"1 open(\"new\", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3", "1 rename(\"d\", \"new\") = 0"}) ==
        Strings{"d 0755 0 /w", "f 0644 0 /w/d"});
  CHECK(infer({"1 truncate(\"t\", 3) = 0", "1 unlink(\"t\") = 0", "1 open(\"e\", O_WRONLY) = 3",
               "1 rename(\"e\", \"d\") = 0"}) ==
        Strings{"d 0755 0 /w", "f 0644 0 /w/d", "f 0644 0 /w/e", "f 0644 0 /w/t"});
}

}  // namespace
}  // namespace betr::replay
