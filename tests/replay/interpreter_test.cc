// SPDX-License-Identifier: Apache-2.0
// What traces do to a name space, to an image and to a directory: each case is replayed on all three.
#include "replay/interpret/interpreter.h"

#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("files are written, appended to, truncated, copied; positions belong to descriptions") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 openat(AT_FDCWD, \"a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 write(3, \"x\"..., 100) = 100",
      "1 dup(3) = 4",
      "1 write(4, \"x\"..., 100) = 100",
      "1 lseek(3, 0, SEEK_CUR) = 200",
      "1 lseek(3, -50, SEEK_END) = 150",
      "1 read(4, \"x\"..., 4096) = 50",
      "1 pwrite64(3, \"x\", 1, 4999) = 1",
      "1 pread64(3, \"x\"..., 4096, 4990) = 10",
      "1 openat(AT_FDCWD, \"a\", O_WRONLY|O_APPEND) = 5",
      "1 writev(5, [{iov_base=\"x\"..., iov_len=10}, {iov_base=\"\", iov_len=0}], 2) = 10",
      "1 fcntl(5, F_SETFL, O_WRONLY) = 0",
      "1 write(5, \"y\", 1) = 1",
      "1 creat(\"b\", 0640) = 6",
      "1 copy_file_range(3, [0], 6, NULL, 9223372035781033984, 0) = 5011",
      "1 sendfile(6, 3, [11] => [21], 10) = 10",
      "1 ftruncate(3, 12) = 0",
      "1 fallocate(3, FALLOC_FL_KEEP_SIZE, 0, 100000) = 0",
      "1 newfstatat(3, \"\", {st_mode=S_IFREG|0644, st_size=12, ...}, AT_EMPTY_PATH) = 0",
      "1 fstat(6, {st_mode=S_IFREG|0640, st_size=5021, ...}) = 0",
      "1 fsync(3) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 12 /w/a", "f 0640 5021 /w/b"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().report.written.value == 100 + 100 + 1 + 10 + 1 + 5011 + 10);
}

TEST_CASE("paths: working directories, directories by descriptor, symlinks, dots, and the end in a slash") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 mkdir(\"d\", 0777) = 0",
      "1 mkdirat(AT_FDCWD</w>, \"d/e\", 0700) = 0",
      "1 symlink(\"/w/d\", \"abs\") = 0",
      "1 symlinkat(\"../d/./e/\", AT_FDCWD, \"d/rel\") = 0",
      "1 openat(AT_FDCWD, \"abs/rel\", O_RDONLY|O_DIRECTORY) = 3",
      "1 openat(3, \"one\", O_WRONLY|O_CREAT|O_EXCL, 0600) = 4",
      "1 renameat(AT_FDCWD, \"d\", AT_FDCWD, \"moved\") = 0",
      "1 openat(3, \"../two\", O_WRONLY|O_CREAT, 0600) = 5",
      "1 fchdir(3) = 0",
      "1 unlink(\"./one\") = 0",
      "1 mkdir(\"last/\", 0755) = 0",
      "1 stat(\"last\", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0",
      "1 stat(\"nothing/x\", 0x7ffc) = -1 ENOENT (No such file or directory)",
      "1 stat(\"../two/x\", 0x7ffc) = -1 ENOTDIR (Not a directory)",
      "1 stat(\"/w/abs\", 0x7ffc) = -1 ENOENT (No such file or directory)",
      "1 lstat(\"/w/abs\", {st_mode=S_IFLNK|0777, st_size=4, ...}) = 0",
      "1 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 6",
      "1 write(6, \"x\", 1) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"l 0777 4 /w/abs->/w/d", "d 0755 0 /w/moved", "d 0700 0 /w/moved/e",
                               "d 0755 0 /w/moved/e/last", "l 0777 9 /w/moved/rel->../d/./e/",
                               "f 0600 0 /w/moved/two"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.outside == 2);
}

TEST_CASE("failures are the same on the target") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 mkdir(\"d\", 0777) = 0",
      "1 mkdir(\"d/e\", 0777) = 0",
      "1 open(\"f\", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3",
      "1 mkdir(\"d\", 0777) = -1 EEXIST (File exists)",
      "1 open(\"f\", O_WRONLY|O_CREAT|O_EXCL, 0666) = -1 EEXIST (File exists)",
      "1 rmdir(\"d\") = -1 ENOTEMPTY (Directory not empty)",
      "1 rmdir(\"f\") = -1 ENOTDIR (Not a directory)",
      "1 unlink(\"d\") = -1 EISDIR (Is a directory)",
      "1 rename(\"d\", \"d/e/g\") = -1 EINVAL (Invalid argument)",
      "1 rename(\"f\", \"d\") = -1 EISDIR (Is a directory)",
      "1 rename(\"d\", \"f\") = -1 ENOTDIR (Not a directory)",
      "1 rename(\"d/e\", \"d\") = -1 ENOTEMPTY (Directory not empty)",
      "1 renameat2(AT_FDCWD, \"f\", AT_FDCWD, \"d\", RENAME_NOREPLACE) = -1 EEXIST (File exists)",
      "1 link(\"d\", \"x\") = -1 EPERM (Operation not permitted)",
      "1 readlink(\"f\", 0x7ffc, 100) = -1 EINVAL (Invalid argument)",
      "1 open(\"d\", O_WRONLY) = -1 EISDIR (Is a directory)",
      "1 open(\"f\", O_RDONLY|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
      "1 fgetxattr(3, \"user.none\", 0x7ff, 100) = -1 ENODATA (No data available)",
      "1 unlink(\"none\") = -1 ENOENT (No such file or directory)",
      "1 statfs(\"none\", 0x7ffc) = -1 ENOENT (No such file or directory)",
      "1 open(\"f\", O_RDWR) = -1 EACCES (Permission denied)",
      "1 mkdir(\"gone\", 0755) = 0",
      "1 open(\"gone\", O_RDONLY|O_DIRECTORY) = 4",
      "1 rmdir(\"gone\") = 0",
      "1 getdents64(4, 0x7ffc /* 0 entries */, 32768) = -1 ENOENT (No such file or directory)",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "d 0755 0 /w/d/e", "f 0644 0 /w/f"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.skipped.at("open: EACCES") == 1);
}

TEST_CASE("what a slash or a symlink makes fail is not done to something else") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 open(\"f\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 symlink(\"f\", \"s\") = 0",
      "1 rename(\"f\", \"g/\") = -1 ENOTDIR (Not a directory)",
      "1 open(\"g/\", O_WRONLY|O_CREAT, 0644) = -1 EISDIR (Is a directory)",
      "1 fchmodat2(AT_FDCWD, \"s\", 0600, AT_SYMLINK_NOFOLLOW) = 0",
      "1 linkat(3, \"\", AT_FDCWD, \"none/g\", AT_EMPTY_PATH) = -1 ENOENT (No such file or directory)",
      "1 truncate(\"d\", 0) = -1 ENOENT (No such file or directory)",
      "1 mknod(\"fifo\", S_IFIFO|0600) = 0",
      "1 truncate(\"fifo\", 0) = -1 EINVAL (Invalid argument)",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/f", "p 0600 0 /w/fifo", "l 0777 1 /w/s->f"});
}

TEST_CASE("security contexts, which --secontext adds to processes, paths, and descriptors") {
  TextRun run({
      "1 [unconfined_t] openat(AT_FDCWD [tmp_t], \"/w/f\" [tmp_t:s0-s1:c0.c9], O_WRONLY|O_CREAT, 0644) = 3 [tmp_t]",
      "1 [unconfined_t] write(3 [tmp_t!!user_t], \"abc\", 3) = 3",
      "1 [unconfined_t] rename(\"/w/f\" [tmp_t], \"/w/g\") = 0",
      "1 [unconfined_t] fchmod(3 [tmp_t], 0600) = 0",
      "1 [unconfined_t] close(3 [tmp_t]) = 0",
      "1 [unconfined_t] openat(AT_FDCWD</w> [tmp_t], \"g\" [tmp_t], O_WRONLY) = 3</w/g> [tmp_t]",
      "1 [unconfined_t] ftruncate(3</w/g> [tmp_t], 1) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0600 1 /w/g"});
}

TEST_CASE("renames: over things, exchanges, links, names of one inode") {
  TextRun run({
      "1 rename(\"/w/a/x\", \"/w/y\") = 0",
      "1 renameat2(AT_FDCWD, \"/w/a\", AT_FDCWD, \"/w/b\", RENAME_EXCHANGE) = 0",
      "1 rename(\"/w/l1\", \"/w/l2\") = 0",
      "1 link(\"/w/l1\", \"/w/b/l3\") = 0",
      "1 rename(\"/w/empty\", \"/w/old\") = 0",
      "1 stat(\"/w/b/l3\", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0",
  });
  run.SetManifest({"/w/a d 0755 0 -", "/w/a/x f 0644 3 -", "/w/b d 0700 0 -", "/w/b/z f 0644 1 -", "/w/y f 0600 9 -",
                   "/w/l1 f 0644 5 hl=1", "/w/l2 f 0644 5 hl=1", "/w/empty d 0711 0 -", "/w/old d 0755 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0700 0 /w/a", "f 0644 1 /w/a/z", "d 0755 0 /w/b", "f 0644 5 /w/b/l3=3",
                               "f 0644 5 /w/l1=3", "f 0644 5 /w/l2=3", "d 0711 0 /w/old", "f 0644 3 /w/y"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("what is unlinked lives as long as it is open; files without a name get one") {
  TextRun run({
      "1 open(\"/w/f\", O_RDWR|O_CREAT, 0644) = 3",
      "1 unlink(\"/w/f\") = 0",
      "1 write(3</w/f>(deleted), \"x\"..., 10) = 10",
      "1 pread64(3, \"x\"..., 10, 0) = 10",
      "1 open(\"/w/f\", O_RDWR|O_CREAT, 0600) = 4",
      "1 close(3) = 0",
      "1 openat(AT_FDCWD, \"/w\", O_RDWR|O_TMPFILE, 0640) = 3",
      "1 write(3, \"x\"..., 7) = 7",
      "1 linkat(AT_FDCWD, \"/proc/self/fd/3\", AT_FDCWD, \"/w/named\", AT_SYMLINK_FOLLOW) = 0",
      "1 chmod(\"/proc/self/fd/4\", 0444) = 0",
      "1 mkdir(\"/w/cwd\", 0755) = 0",
      "1 chdir(\"/w/cwd\") = 0",
      "1 rmdir(\"/w/cwd\") = 0",
      "1 open(\"x\", O_WRONLY|O_CREAT, 0644) = -1 ENOENT (No such file or directory)",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0444 0 /w/f", "f 0640 7 /w/named"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("children copy descriptors when the fork begins, threads share them, exec closes some") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 open(\"a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 open(\"b\", O_WRONLY|O_CREAT|O_CLOEXEC, 0644) = 4",
      "1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>",
      "2 umask(077) = 022",
      "2 write(3, \"x\"..., 5) = 5",
      "1 <... clone resumed>, child_tidptr=0x7f) = 2",
      "1 close(3) = 0",
      "2 write(3, \"x\"..., 5) = 5",
      "2 execve(\"/bin/true\", [\"true\"], 0x7ff /* 3 vars */) = 0",
      "2 write(4, \"x\", 1) = -1 EBADF (Bad file descriptor)",
      "2 open(\"c\", O_WRONLY|O_CREAT, 0666) = 4",
      "1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[5]}, 88) = 5",
      "5 umask(007) = 022",
      "5 open(\"d\", O_WRONLY|O_CREAT, 0666) = 3",
      "1 write(3, \"x\"..., 8) = 8",
      "1 open(\"e\", O_WRONLY|O_CREAT, 0666) = 6",
      "5 +++ exited with 0 +++",
      "1 write(3, \"x\", 1) = 1",
      "2 write(4, \"x\"..., 3) = 3",
      "2 +++ exited with 0 +++",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 10 /w/a", "f 0644 0 /w/b", "f 0600 3 /w/c", "f 0660 9 /w/d", "f 0660 0 /w/e"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("a descriptor is free when the close begins") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD} => {parent_tid=[2]}, 88) = 2",
      "1 close(3 <unfinished ...>",
      "2 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 <... close resumed>) = 0",
      "2 write(3, \"x\"..., 4) = 4",
      "1 dup2(3, 9 <unfinished ...>",
      "1 <... dup2 resumed>) = 9",
      "2 close(3) = 0",
      "2 write(9, \"x\"..., 4) = 4",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/a", "f 0644 8 /w/b"});
}

TEST_CASE("with -ff a descriptor may be there anew before its close") {
  TextRun run({
      "1795177851.000001 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1795177851.000002 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD} => {parent_tid=[2]}, 88) = 101",
      "1795177851.000005 close(3) = 0",
      "1795177851.000009 exit_group(0) = ?",
  });
  run.AddFile("101", {
                         "1795177851.000004 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 3",
                         "1795177851.000007 write(3, \"x\"..., 4) = 4",
                     });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/a", "f 0644 4 /w/b"});
}

TEST_CASE("a thread that calls execve keeps what it has under the number of the first one") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT|O_CLOEXEC, 0644) = 3",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
      "2 chdir(\"/w\") = 0",
      "1 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>",
      "2 write(4, \"x\"..., 5) = 5",
      "2 execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */ <unfinished ...>",
      "1 +++ superseded by execve in pid 2 +++",
      "1 <... execve resumed>) = 0",
      "1 write(4, \"x\"..., 5) = 5",
      "1 open(\"c\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 write(3, \"x\"..., 2) = 2",
      "1 +++ exited with 0 +++",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/a", "f 0644 10 /w/b", "f 0644 2 /w/c"});
  CHECK(run.result().interpreter.outside == 0);
}

TEST_CASE("with -ff an execve ends in the file of another thread") {
  TextRun run({
      "1795177851.000001 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 4",
      "1795177851.000002 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 101",
      "1795177851.000003 futex(0x7f, FUTEX_WAIT, 0, NULL) = ? <unavailable>",
      "1795177851.000006 +++ superseded by execve in pid 101 +++",
      "1795177851.000006 <... execve resumed>) = 0",
      "1795177851.000007 open(\"c\", O_WRONLY|O_CREAT, 0644) = 3",
      "1795177851.000008 write(4, \"x\"..., 5) = 5",
  });
  run.AddFile("101", {
                         "1795177851.000004 chdir(\"/w\") = 0",
                         "1795177851.000005 execve(\"/bin/x\", [\"x\"], 0x7f /* 3 vars */ <pid changed to 100 ...>",
                     });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 5 /w/b", "f 0644 0 /w/c"});
  CHECK(run.result().stream.unparsed == 0);
}

TEST_CASE("another root, and what is renamed above it") {
  TextRun run({
      "1 mkdir(\"/w/jail\", 0755) = 0",
      "1 mkdir(\"/w/jail/tmp\", 01777) = 0",
      "1 chroot(\"/w/jail\") = 0",
      "1 chdir(\"/\") = 0",
      "1 open(\"/tmp/../../../x\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 symlink(\"/x\", \"/tmp/link\") = 0",
      "1 chmod(\"/tmp/link\", 04711) = 0",
      "2 rename(\"/w/jail\", \"/w/other\") = 0",
      "1 open(\"tmp/y\", O_WRONLY|O_CREAT, 0644) = 4",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/other", "d 1755 0 /w/other/tmp", "l 0777 2 /w/other/tmp/link->/x",
                               "f 0644 0 /w/other/tmp/y", "f 4711 0 /w/other/x"});
}

TEST_CASE("owners, times, devices, xattrs") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0666) = 3",
      "1 fchmod(3, 06755) = 0",
      "1 fchown(3, 12, 13) = 0",
      "1 lchown(\"/w/a\", -1, 14) = 0",
      "1 utimensat(3, NULL, [{tv_sec=1700000000, tv_nsec=5} /* 2023-11-14T22:13:20 */, UTIME_OMIT], 0) = 0",
      "1 utimensat(AT_FDCWD, \"/w/a\", NULL, 0) = 0",
      "1 setxattr(\"/w/a\", \"user.note\", \"hello\", 5, 0) = 0",
      "1 setxattr(\"/w/a\", \"user.note\", \"hello\", 5, XATTR_CREATE) = -1 EEXIST (File exists)",
      "1 flistxattr(3, NULL, 0) = 10",
      "1 lremovexattr(\"/w/a\", \"user.note\") = 0",
      "1 mknodat(AT_FDCWD, \"/w/null\", S_IFCHR|0600, makedev(0x1, 0x3)) = 0",
      "1 mknod(\"/w/fifo\", S_IFIFO|0666) = 0",
      "1 bind(7, {sa_family=AF_UNIX, sun_path=\"/w/socket\"}, 110) = 0",
  });
  run.InImage();
  CHECK(run.Final() == Strings{"f 0755 0 /w/a", "p 0644 0 /w/fifo", "c 0600 0 /w/null", "s 0755 0 /w/socket"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("requests in bulk and reading of directories") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 io_submit(0x7f, 2, [{aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, aio_nbytes=4096, aio_offset=8192}, "
      "{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_nbytes=4096, aio_offset=0}]) = 2",
      "1 open(\"/w\", O_RDONLY|O_DIRECTORY) = 4",
      "1 getdents64(4, 0x7f /* 3 entries */, 32768) = 72",
      "1 getdents64(4, 0x7f /* 0 entries */, 32768) = 0",
      "1 lseek(4, 0, SEEK_SET) = 0",
      "1 getdents64(4, 0x7f /* 3 entries */, 32768) = 72",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 12288 /w/a"});
  CHECK(run.result().report.kinds.at(static_cast<size_t>(OperationKind::kList)).latency.count() == 2);
}

TEST_CASE("what is mapped: syncs write, files stay open, the rest is counted") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0644) = 3",
      "1 ftruncate(3, 10000) = 0",
      "1 mmap(NULL, 16384, PROT_READ|PROT_WRITE, MAP_SHARED, 3</w/a>, 0) = 0x7f0000001000",
      "1 close(3) = 0",
      "1 unlink(\"/w/a\") = 0",
      "1 msync(0x7f0000001000, 4096, MS_SYNC) = 0",
      "1 vfork() = 2",
      "2 msync(0x7f0000003000, 8192, MS_ASYNC) = 0",
      "2 execve(\"/bin/x\", [\"x\"], 0x7ff /* 3 vars */) = 0",
      "2 msync(0x7f0000003000, 8192, MS_SYNC) = 0",
      "1 munmap(0x7f0000001000, 16384) = 0",
      "1 msync(0x7f0000001000, 4096, MS_SYNC) = -1 ENOMEM (Cannot allocate memory)",
      "1 open(\"/w/b\", O_RDWR|O_CREAT, 0644) = 3",
      "1 write(3, \"x\"..., 5000) = 5000",
      "1 mmap(NULL, 5000, PROT_READ, MAP_SHARED, 3, 0) = 0x7f0000001000",
      "1 msync(0x7f0000001000, 4096, MS_ASYNC) = 0",
      "1 mprotect(0x7f0000001000, 4096, PROT_READ|PROT_WRITE) = 0",
      "1 mremap(0x7f0000001000, 5000, 8192, MREMAP_MAYMOVE) = 0x7f0000101000",
      "1 msync(0x7f0000101000, 8192, MS_SYNC) = 0",
      "1 mmap(NULL, 5000, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0x1000) = 0x7f0000801000",
      "1 mmap(NULL, 5000, PROT_READ|PROT_WRITE, MAP_PRIVATE, 3, 0) = 0x7f0000901000",
      "1 mmap(NULL, 5000, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000a01000",
      "1 mmap(NULL, 5000, PROT_READ, MAP_SHARED, 9, 0) = -1 EBADF (Bad file descriptor)",
      "1 mmap(NULL, 5000, PROT_READ, MAP_SHARED, 3, 0) = 0x7f0000b01000",
      "1 fstat(3, {st_mode=S_IFREG|0644, st_size=5000, ...}) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 5000 /w/b"});
  const InterpreterCounts& calls = run.result().interpreter;
  CHECK(calls.conflicts.empty());
  CHECK(calls.shared_maps == 3);
  CHECK(calls.unsynced_maps == 1);
  CHECK(calls.map_syncs == 3);
  // The first 4096 of a, what there is from 8192 on, and of b the page that can be stored to.
  CHECK(run.result().report.written.value == 4096 + (10000 - 8192) + 5000 + 4096);
  const auto syncs = run.result().report.kinds.at(static_cast<size_t>(OperationKind::kFsync));
  CHECK(syncs.latency.count() == 2);
}

TEST_CASE("what the trace did not see is taken from -y, and conflicts are counted") {
  TextRun run({
      "1 write(5</w/log>, \"x\"..., 3) = 3",
      "1 openat(AT_FDCWD</w/d>, \"new\", O_WRONLY|O_CREAT, 0644) = 6</w/d/new>",
      "1 open(\"/w/none\", O_RDONLY) = 7",
      "1 mkdir(\"/w/e\", 0755) = -1 EEXIST (File exists)",
  });
  run.SetManifest({"/w/log f 0644 0 -", "/w/d d 0755 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "f 0644 0 /w/d/new", "f 0644 3 /w/log"});
  CHECK(run.result().interpreter.conflicts.size() == 2);
}

}  // namespace
}  // namespace betr::replay
