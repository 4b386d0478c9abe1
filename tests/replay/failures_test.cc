// SPDX-License-Identifier: Apache-2.0
// Calls that fail for ordinary reasons: none of them contradicts what came before, and none is done to something else.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

// Replays the lines behind what makes a file, a directory with a file, and a symlink to the directory.
void AllFail(Strings lines) {
  Strings all{
      "1 chdir(\"/w\") = 0",         "1 open(\"f\", O_RDWR|O_CREAT, 0644) = 3",
      "1 mkdir(\"d\", 0755) = 0",    "1 open(\"d/x\", O_RDWR|O_CREAT, 0644) = 4",
      "1 symlink(\"d\", \"s\") = 0", "1 symlink(\"none\", \"dangling\") = 0",
  };
  all.insert(all.end(), lines.begin(), lines.end());
  TextRun run(all);
  run.Everywhere();
  CHECK(run.result().interpreter.samples == Strings{});
  CHECK(run.Final() ==
        Strings{"d 0755 0 /w/d", "f 0644 0 /w/d/x", "l 0777 4 /w/dangling->none", "f 0644 0 /w/f", "l 0777 1 /w/s->d"});
}

TEST_CASE("a slash behind the name of a file") {
  AllFail({
      "1 stat(\"f/\", 0x7ffc) = -1 ENOTDIR (Not a directory)",
      "1 lstat(\"f/\", 0x7ffc) = -1 ENOTDIR (Not a directory)",
      "1 open(\"f/\", O_RDONLY) = -1 ENOTDIR (Not a directory)",
      "1 open(\"f/\", O_RDWR|O_CREAT, 0644) = -1 EISDIR (Is a directory)",
      "1 open(\"d/\", O_RDWR|O_CREAT, 0644) = -1 EISDIR (Is a directory)",
      "1 open(\"f/\", O_RDWR|O_CREAT|O_EXCL, 0644) = -1 EISDIR (Is a directory)",
      "1 unlink(\"f/\") = -1 ENOTDIR (Not a directory)",
      "1 rmdir(\"f/\") = -1 ENOTDIR (Not a directory)",
      "1 rmdir(\"s/\") = -1 ENOTDIR (Not a directory)",
      "1 unlink(\"s/\") = -1 ENOTDIR (Not a directory)",
      "1 mkdir(\"f/\", 0755) = -1 EEXIST (File exists)",
      "1 mkdir(\"dangling/\", 0755) = -1 EEXIST (File exists)",
      "1 link(\"f\", \"f/\") = -1 EEXIST (File exists)",
      "1 link(\"f/\", \"g\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"f/\", \"g\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"s/\", \"g\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"f\", \"f/\") = -1 ENOTDIR (Not a directory)",
      "1 truncate(\"f/\", 3) = -1 ENOTDIR (Not a directory)",
      "1 readlink(\"f/\", 0x7ffc, 100) = -1 ENOTDIR (Not a directory)",
      "1 chdir(\"f/\") = -1 ENOTDIR (Not a directory)",
      "1 chmod(\"f/\", 0600) = -1 ENOTDIR (Not a directory)",
  });
}

TEST_CASE("paths that end in no name") {
  AllFail({
      "1 rmdir(\"d/.\") = -1 EINVAL (Invalid argument)",
      "1 rmdir(\"d/..\") = -1 ENOTEMPTY (Directory not empty)",
      "1 rmdir(\"/w\") = -1 ENOTEMPTY (Directory not empty)",
      "1 unlink(\"d/.\") = -1 EISDIR (Is a directory)",
      "1 mkdir(\"d/.\", 0755) = -1 EEXIST (File exists)",
      "1 link(\"f\", \"d/.\") = -1 EEXIST (File exists)",
      "1 link(\"f\", \"d/..\") = -1 EEXIST (File exists)",
      "1 rename(\"f\", \"d/.\") = -1 EBUSY (Device or resource busy)",
      "1 rename(\"d/..\", \"g\") = -1 EBUSY (Device or resource busy)",
      "1 rename(\"f\", \"/w\") = -1 EBUSY (Device or resource busy)",
      "1 renameat2(AT_FDCWD, \"f\", AT_FDCWD, \"d/.\", RENAME_NOREPLACE) = -1 EEXIST (File exists)",
  });
}

TEST_CASE("paths that begin at the descriptor of a file") {
  AllFail({
      "1 openat(3, \"x\", O_RDONLY) = -1 ENOTDIR (Not a directory)",
      "1 openat(3, \"x\", O_RDWR|O_CREAT, 0644) = -1 ENOTDIR (Not a directory)",
      "1 mkdirat(3, \"x\", 0755) = -1 ENOTDIR (Not a directory)",
      "1 mkdirat(3, \".\", 0755) = -1 ENOTDIR (Not a directory)",
      "1 newfstatat(3, \"..\", 0x7ffc, 0) = -1 ENOTDIR (Not a directory)",
      "1 fchdir(3) = -1 ENOTDIR (Not a directory)",
  });
  TextRun run({
      "1 open(\"/w/f\", O_RDWR|O_CREAT, 0644) = 3",
      "1 mkdirat(3, \"x\", 0755) = 0",
      "1 fchdir(3) = 0",
      "1 mkdir(\"y\", 0755) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/f"});
  CHECK(run.result().interpreter.conflicts.size() == 2);
}

TEST_CASE("arguments that no call takes, and what a device or a limit refuses") {
  AllFail({
      "1 open(\"d\", O_RDONLY|O_TMPFILE, 0600) = -1 EINVAL (Invalid argument)",
      "1 open(\"f\", O_RDWR|O_TMPFILE, 0600) = -1 ENOTDIR (Not a directory)",
      "1 ftruncate(3, -1) = -1 EINVAL (Invalid argument)",
      "1 truncate(\"f\", -5) = -1 EINVAL (Invalid argument)",
      "1 pread64(3, 0x7ffc, 5, -1) = -1 EINVAL (Invalid argument)",
      "1 pwrite64(3, \"x\", 1, -1) = -1 EINVAL (Invalid argument)",
      "1 fallocate(3, 0, 0, 0) = -1 EINVAL (Invalid argument)",
      "1 copy_file_range(3, NULL, 3, NULL, 100, 0) = -1 EINVAL (Invalid argument)",
      "1 symlink(\"\", \"e\") = -1 ENOENT (No such file or directory)",
      "1 symlink(\"" + std::string(4096, 'x') + "\", \"e\") = -1 ENAMETOOLONG (File name too long)",
      "1 write(3, \"x\", 1) = -1 ENOSPC (No space left on device)",
      "1 write(3, \"x\", 1) = -1 EFBIG (File too large)",
      "1 write(3, \"x\", 1) = -1 EIO (Input/output error)",
      "1 write(3, \"x\", 1) = -1 EDQUOT (Disk quota exceeded)",
      "1 ftruncate(3, 9223372036854775807) = -1 EFBIG (File too large)",
      "1 mkdir(\"g\", 0755) = -1 ENOSPC (No space left on device)",
  });
}

TEST_CASE("a directory that is open for its path alone cannot be read") {
  AllFail({
      "1 open(\"d\", O_RDONLY|O_DIRECTORY|O_PATH) = 5",
      "1 read(5, 0x7ffc, 10) = -1 EBADF (Bad file descriptor)",
      "1 open(\"d\", O_RDONLY|O_DIRECTORY) = 6",
      "1 read(6, 0x7ffc, 10) = -1 EISDIR (Is a directory)",
  });
}

TEST_CASE("calls that look at several things say what Linux finds first") {
  AllFail({
      "1 rename(\"none\", \"f/x\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"none\", \"none/x\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"none/x\", \"f/x\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"none\", \"d/.\") = -1 EBUSY (Device or resource busy)",
      "1 rename(\"d/..\", \"f/x\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"none\", \"f/\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"f/\", \"d/.\") = -1 EBUSY (Device or resource busy)",
      "1 renameat2(AT_FDCWD, \"none\", AT_FDCWD, \"d/.\", RENAME_NOREPLACE) = -1 EEXIST (File exists)",
      "1 renameat2(AT_FDCWD, \"none\", AT_FDCWD, \"f\", RENAME_NOREPLACE) = -1 ENOENT (No such file or directory)",
      "1 renameat2(AT_FDCWD, \"d/..\", AT_FDCWD, \"f\", RENAME_NOREPLACE) = -1 EBUSY (Device or resource busy)",
      "1 renameat2(AT_FDCWD, \"f/\", AT_FDCWD, \"d/x\", RENAME_NOREPLACE) = -1 EEXIST (File exists)",
      "1 renameat2(AT_FDCWD, \"f\", AT_FDCWD, \"none\", RENAME_EXCHANGE) = -1 ENOENT (No such file or directory)",
      "1 open(\"d\", O_RDONLY|O_TRUNC) = -1 EISDIR (Is a directory)",
      "1 open(\"s\", O_RDONLY|O_DIRECTORY|O_TRUNC) = -1 EISDIR (Is a directory)",
      "1 open(\"d\", O_PATH|O_TRUNC) = 5",
      "1 ftruncate(5, 0) = -1 EBADF (Bad file descriptor)",
      "1 copy_file_range(3, NULL, 5, NULL, 10, 0) = -1 EBADF (Bad file descriptor)",
      "1 open(\"d\", O_RDONLY) = 6",
      "1 ftruncate(6, 0) = -1 EINVAL (Invalid argument)",
      "1 copy_file_range(6, NULL, 3, NULL, 10, 0) = -1 EISDIR (Is a directory)",
      "1 copy_file_range(3, NULL, 6, NULL, 10, 0) = -1 EISDIR (Is a directory)",
  });
}

TEST_CASE("a slash behind a symlink that leads to itself") {
  TextRun run({
      "1 symlink(\"l\", \"/w/l\") = 0",
      "1 open(\"/w/l/\", O_WRONLY|O_CREAT, 0666) = -1 EISDIR (Is a directory)",
      "1 open(\"/w/l/\", O_WRONLY) = -1 ELOOP (Too many levels of symbolic links)",
  });
  run.Everywhere();
  CHECK(run.result().interpreter.samples == Strings{});
}

TEST_CASE("what asks for a directory by an open file") {
  AllFail({
      "1 open(\"/proc/self/fd/3\", O_RDONLY|O_PATH|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
      "1 open(\"/proc/self/fd/3\", O_RDONLY|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
      "1 chdir(\"/proc/self/fd/3\") = -1 ENOTDIR (Not a directory)",
      "1 open(\"s\", O_RDONLY|O_PATH|O_NOFOLLOW) = 5",
      "1 open(\"/proc/self/fd/5\", O_RDONLY|O_PATH|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
      "1 open(\"d\", O_RDONLY|O_PATH|O_DIRECTORY) = 6",
      "1 open(\"/proc/self/fd/6\", O_RDONLY|O_PATH|O_DIRECTORY) = 7",
      "1 open(\"t\", O_RDWR|O_CREAT, 0644) = 8",
      "1 unlink(\"t\") = 0",
      "1 getdents64(8, 0x7ffc, 100) = -1 ENOTDIR (Not a directory)",
      "1 getdents64(6, 0x7ffc, 100) = -1 EBADF (Bad file descriptor)",
      "1 open(\"f\", O_RDONLY|O_PATH) = 9",
      "1 getdents64(9, 0x7ffc, 100) = -1 EBADF (Bad file descriptor)",
  });
}

TEST_CASE("a slash behind what a directory would replace is looked at last") {
  AllFail({
      "1 rename(\"d\", \"f/\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"d\", \"d//x/\") = -1 EINVAL (Invalid argument)",
      "1 renameat2(AT_FDCWD, \"d\", AT_FDCWD, \"d/x/\", RENAME_EXCHANGE) = -1 ENOTDIR (Not a directory)",
      "1 renameat2(AT_FDCWD, \"d\", AT_FDCWD, \"f/\", RENAME_EXCHANGE) = -1 ENOTDIR (Not a directory)",
  });
}

TEST_CASE("of a rename from a removed directory the other directory fails first") {
  AllFail({
      "1 mkdir(\"gone\", 0755) = 0",
      "1 chdir(\"gone\") = 0",
      "1 rmdir(\"/w/gone\") = 0",
      "1 rename(\"x\", \"/w/f/y\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"x\", \"/w/none/y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"x\", \"/w/y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"x/y\", \"/w/f/y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"x\", \"/w/d/.\") = -1 EBUSY (Device or resource busy)",
      "1 rename(\"/w/none\", \"y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"/w/f\", \"y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"/w/f/\", \"y\") = -1 ENOENT (No such file or directory)",
      "1 rename(\"/w/f/y\", \"y\") = -1 ENOTDIR (Not a directory)",
  });
}

}  // namespace
}  // namespace betr::replay
