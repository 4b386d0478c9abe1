// SPDX-License-Identifier: Apache-2.0
// Flags that change what a call does, and other names of calls.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

// The lines of the trace that lead to a sync of a file, with "data" behind those for an fdatasync.
Strings SyncsOf(const TextRun& run) {
  Strings syncs;
  for (const Operation& operation : run.Operations(OperationKind::kFsync)) {
    syncs.push_back(std::to_string(operation.line) + (operation.variant == Variant::kData ? " data" : ""));
  }
  return syncs;
}

TEST_CASE("a write may append by its own flag") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 write(3, \"x\"..., 10) = 10",
      "1 pwritev2(3, [{iov_base=\"x\"..., iov_len=5}], 1, 0, RWF_APPEND) = 5",
      "1 pwritev2(3, [{iov_base=\"x\"..., iov_len=4}], 1, 2, RWF_DSYNC|RWF_APPEND) = 4",
      "1 write(3, \"x\"..., 10) = 10",
      "1 lseek(3, 0, SEEK_SET) = 0",
      "1 pwritev2(3, [{iov_base=\"x\"..., iov_len=5}], 1, -1, RWF_APPEND) = 5",
      "1 write(3, \"x\"..., 1) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 26 /w/a"});
}

TEST_CASE("writes that are durable when they return are followed by a sync") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT|O_SYNC, 0666) = 3",
      "1 write(3, \"x\"..., 10) = 10",
      "1 write(3, \"\", 0) = 0",
      "1 pwrite64(3, \"x\"..., 10, 5) = -1 ENOSPC (No space left on device)",
      "1 read(3, \"\", 10) = 0",
      "1 open(\"/w/b\", O_RDWR|O_CREAT|O_DSYNC|O_APPEND, 0666) = 4",
      "1 write(4, \"x\"..., 20) = 20",
      "1 copy_file_range(3, [0], 4, [20], 5, 0) = -1 EBADF (Bad file descriptor)",
      "1 open(\"/w/c\", O_RDWR|O_CREAT, 0666) = 5",
      "1 write(5, \"x\"..., 1) = 1",
      "1 pwritev2(5, [{iov_base=\"x\"..., iov_len=5}], 1, 0, RWF_DSYNC) = 5",
      "1 pwritev2(5, [{iov_base=\"x\"..., iov_len=5}], 1, -1, RWF_SYNC) = 5",
      "1 pwritev2(5, [{iov_base=\"x\"..., iov_len=5}], 1, 0, RWF_HIPRI) = 5",
      "1 sendfile(3, 5, [0], 6) = 6",
      "1 copy_file_range(5, [0], 3, [0], 3, 0) = 3",
      "1 io_submit(0x7f, 1, [{aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=5, aio_buf=\"x\"..., aio_nbytes=9, "
      "aio_offset=0, aio_rw_flags=RWF_DSYNC}]) = 1",
      "1 fcntl(3, F_SETFL, O_RDWR) = 0",
      "1 write(3, \"x\"..., 4) = 4",
      "1 fallocate(3, 0, 0, 20) = 0",
      "1 ftruncate(3, 20) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 20 /w/a", "f 0644 20 /w/b", "f 0644 9 /w/c"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(SyncsOf(run) == Strings{"2", "7 data", "11 data", "12", "14", "15", "16 data", "18", "19"});
}

TEST_CASE("clones copy what there is, but nobody has written it") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 write(3, \"x\"..., 100) = 100",
      "1 open(\"/w/b\", O_RDWR|O_CREAT, 0666) = 4",
      "1 ioctl(4, BTRFS_IOC_CLONE or FICLONE, 3) = 0",
      "1 ioctl(4, FICLONERANGE, {src_fd=3, src_offset=0, src_length=50, dest_offset=200}) = 0",
      "1 ioctl(4, BTRFS_IOC_CLONE or FICLONE, 3) = -1 EOPNOTSUPP (Operation not supported)",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 100 /w/a", "f 0644 250 /w/b"});
  CHECK(run.result().report.written.value == 100);
  CHECK(run.Operations(OperationKind::kCopyRange).size() == 2);
}

TEST_CASE("flags of renames: whiteouts are made, and what is not known is not done") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 renameat2(AT_FDCWD, \"a\", AT_FDCWD, \"b\", RENAME_WHITEOUT) = 0",
      "1 renameat2(AT_FDCWD, \"c\", AT_FDCWD, \"d\", RENAME_NOREPLACE|RENAME_WHITEOUT) = 0",
      "1 renameat2(AT_FDCWD, \"e\", AT_FDCWD, \"f\", 0x40 /* RENAME_??? */) = 0",
      "1 renameat2(AT_FDCWD, \"e\", AT_FDCWD, \"f\", 0x40 /* RENAME_??? */) = -1 EINVAL (Invalid argument)",
      "1 renameat2(AT_FDCWD, \"e\", AT_FDCWD, \"b\", RENAME_NOREPLACE|RENAME_EXCHANGE) = -1 EINVAL (Invalid argument)",
      "1 renameat2(AT_FDCWD, \"e\", AT_FDCWD, \"b\", RENAME_EXCHANGE|RENAME_WHITEOUT) = -1 EINVAL (Invalid argument)",
  });
  run.SetManifest({"/w/a f 0644 1 -", "/w/c d 0755 0 -", "/w/e f 0644 2 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"c 0000 0 /w/a", "f 0644 1 /w/b", "c 0000 0 /w/c", "d 0755 0 /w/d", "f 0644 2 /w/e"});
  const InterpreterCounts& calls = run.result().interpreter;
  CHECK(calls.unsupported.at("renameat2 with other flags") == 1);
  CHECK(calls.skipped.at("rename: EINVAL for its flags") == 3);
  CHECK(calls.conflicts.empty());
}

TEST_CASE("calls that strace does not know are not done, unless they failed") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 syscall_0x1c4(0xffffffffffffff9c, 0x55555555, 0x1a0, 0, 0, 0) = 0",
      "1 syscall_0x1c4(0xffffffffffffff9c, 0x55555555, 0x1a0, 0, 0, 0 <unfinished ...>",
      "1 <... syscall_0x1c4 resumed>) = 7",
      "1 syscall_0x1b7(0x1, 0, 0, 0, 0, 0) = -1 ENOSYS (Function not implemented)",
      "1 getpid() = 1",
  });
  run.OnNothing();
  CHECK(run.result().interpreter.unsupported == std::map<std::string, uint64_t>{{"syscall_0x1c4", 2}});
  CHECK(run.result().interpreter.other == 2);
}

TEST_CASE("O_PATH leaves nothing of the other flags but those about links and directories") {
  TextRun run({
      "1 symlink(\"d\", \"/w/l\") = 0",
      "1 open(\"/w/a\", O_WRONLY|O_CREAT|O_EXCL|O_TRUNC|O_PATH, 0600) = 3",
      "1 open(\"/w/a\", O_RDWR|O_TRUNC|O_PATH) = 4",
      "1 open(\"/w/none\", O_RDONLY|O_CREAT|O_PATH, 0644) = -1 ENOENT (No such file or directory)",
      "1 open(\"/w/d\", O_RDWR|O_CREAT|O_PATH, 0644) = 5",
      "1 open(\"/w/d\", O_RDWR|O_TMPFILE|O_PATH, 0644) = 6",
      "1 open(\"/w/l\", O_RDONLY|O_CREAT|O_EXCL|O_PATH, 0644) = 7",
      "1 openat(7, \"b\", O_WRONLY|O_CREAT, 0600) = 8",
  });
  run.SetManifest({"/w/a f 0644 9 -", "/w/d d 0755 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 9 /w/a", "d 0755 0 /w/d", "f 0600 0 /w/d/b", "l 0777 1 /w/l->d"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(Lines(TextRun({"1 open(\"/w/old\", O_RDONLY|O_CREAT|O_PATH, 0644) = 3"}).Infer()) ==
        Strings{"d 0755 0 /w", "f 0644 0 /w/old"});
}

TEST_CASE("openat2: the directory as the root, and what resolve= refuses") {
  TextRun run({
      "1 mkdir(\"/w/r\", 0755) = 0",
      "1 symlink(\"/meant\", \"/w/r/abs\") = 0",
      "1 open(\"/w/r\", O_RDONLY|O_DIRECTORY) = 3",
      "1 openat2(3, \"/in\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_IN_ROOT}, 24) = 4",
      "1 openat2(3, \"../../dots\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_IN_ROOT}, 24) = 5",
      "1 openat2(3, \"abs\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_IN_ROOT}, 24) = 6",
      "1 openat2(3, \"abs\", {flags=O_RDWR, resolve=RESOLVE_NO_SYMLINKS}, 24) = -1 ELOOP (Too many levels)",
      "1 openat2(3, \"../x\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_BENEATH}, 24) = -1 EXDEV (Invalid)",
      "1 openat2(3, \".\", {flags=O_RDWR|O_TMPFILE, mode=0640, resolve=RESOLVE_IN_ROOT}, 24) = 7",
      "1 linkat(AT_FDCWD, \"/proc/self/fd/7\", AT_FDCWD, \"/w/named\", AT_SYMLINK_FOLLOW) = 0",
      "1 openat2(9, \"/w/out\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_IN_ROOT}, 24) = 8",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0640 0 /w/named", "d 0755 0 /w/r", "l 0777 6 /w/r/abs->/meant", "f 0600 0 /w/r/dots",
                               "f 0600 0 /w/r/in", "f 0600 0 /w/r/meant"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("calls of 32 bits are those of 64") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 ftruncate64(3, 10000) = 0",
      "1 truncate64(\"/w/a\", 9000) = 0",
      "1 _llseek(3, 100, [100], SEEK_SET) = 0",
      "1 write(3, \"x\"..., 5) = 5",
      "1 _llseek(3, 0, [9000], SEEK_END) = 0",
      "1 write(3, \"x\"..., 5) = 5",
      "1 chown32(\"/w/a\", 1, 1) = 0",
      "1 lchown32(\"/w/a\", 1, 2) = 0",
      "1 fchown32(3, 1, 3) = 0",
      "1 utimensat_time64(AT_FDCWD, \"/w/a\", NULL, 0) = 0",
      "1 mmap2(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0x2000) = 0x7f0000001000",
      "1 msync(0x7f0000001000, 4096, MS_SYNC) = 0",
      "1 setxattrat(AT_FDCWD, \"/w/a\", 0, \"user.x\", {value=\"x\", size=1, flags=0}, 16) = 0",
  });
  run.InImage();
  CHECK(run.Final() == Strings{"f 0644 9005 /w/a"});
  const InterpreterCounts& calls = run.result().interpreter;
  CHECK(calls.conflicts.empty());
  CHECK(calls.unsupported.at("setxattrat") == 1);
  CHECK(calls.map_syncs == 1);
  CHECK(run.result().report.written.value == 5 + 5 + (9005 - 0x2000));
  CHECK(run.result().report.kinds.at(static_cast<size_t>(OperationKind::kChangeOwner)).latency.count() == 3);
}

TEST_CASE("writes of others than root take set-id bits away, which a stat shows") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR) = 3",
      "1 write(3, \"x\"..., 5) = 5",
      "1 fstat(3, {st_mode=S_IFREG|0755, st_size=5, ...}) = 0",
      "1 stat(\"/w/b\", {st_mode=S_IFREG|0755, st_size=0, ...}) = 0",
      "1 open(\"/w/c\", O_RDWR) = 4",
      "1 write(4, \"x\"..., 5) = 5",
      "1 fchmod(4, 06755) = 0",
      "1 fstat(4, {st_mode=S_IFREG|0755, st_size=5, ...}) = 0",
  });
  run.SetManifest({"/w/a f 6755 0 -", "/w/b f 4755 0 -", "/w/c f 4755 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0755 5 /w/a", "f 4755 0 /w/b", "f 6755 5 /w/c"});
  CHECK(run.result().interpreter.conflicts.at("stat: another mode by the name space") == 2);
}

}  // namespace
}  // namespace betr::replay
