// SPDX-License-Identifier: Apache-2.0
// Descriptors that fail, are inherited, lead outside, or are used in bulk.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("a dup2 that fails closes nothing") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 dup2(9, 3) = -1 EBADF (Bad file descriptor)",
      "1 dup3(9, 4, O_CLOEXEC <unfinished ...>",
      "1 <... dup3 resumed>) = -1 EBADF (Bad file descriptor)",
      "1 write(3, \"x\"..., 5) = 5",
      "1 write(4, \"x\"..., 6) = 6",
      "1 dup2(3, 4) = 4",
      "1 write(4, \"x\"..., 7) = 7",
      "1 dup2(1, 3) = 3",
      "1 write(3, \"x\"..., 8) = 8",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 12 /w/a", "f 0644 6 /w/b"});
}

TEST_CASE("a close_range that fails closes nothing") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 close_range(3, 4294967295, 0) = -1 ENOSYS (Function not implemented)",
      "1 close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = -1 EINVAL (Invalid argument)",
      "1 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
      "1 write(3, \"x\"..., 5) = 5",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 5 /w/a"});
}

TEST_CASE("what is sent from an open file to itself moves its position once") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0644) = 3",
      "1 write(3, \"x\"..., 100) = 100",
      "1 dup(3) = 4",
      "1 lseek(3, 10, SEEK_SET) = 10",
      "1 sendfile(3, 4, NULL, 20) = 20",
      "1 read(3, \"x\"..., 4096) = 70",
      "1 sendfile(4, 3, [90] => [100], 50) = 10",
      "1 write(3, \"x\"..., 1) = 1",
      "1 copy_file_range(3, NULL, 3, NULL, 10, 0) = 0",
      "1 write(3, \"x\"..., 1) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 112 /w/a"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("a number that a socket, pipe, message or dup2 has is no longer that of a file whose close is missing") {
  for (const std::string call :
       {"2 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3", "2 pipe2([3, 4], O_CLOEXEC) = 0", "2 dup(1) = 3",
        "2 dup2(1, 3) = 3", "2 pidfd_open(1, 0) = 3", "2 open(\"/etc/passwd\", O_RDONLY) = 3",
        "2 recvmsg(6, {msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
        "cmsg_data=[3<pipe:[7]>]}], msg_controllen=24, msg_flags=0}, 0) = 1"}) {
    INFO(call);
    TextRun run({
        "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
        "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
        "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
        call,
        "2 write(3<pipe:[7]>, \"x\"..., 5) = 5",
        "2 close(3<pipe:[7]>) = 0",
        "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 3",
        "1 write(3, \"x\"..., 6) = 6",
    });
    run.Everywhere();
    CHECK(run.Final() == Strings{"f 0644 0 /w/a", "f 0644 6 /w/b"});
  }
}

TEST_CASE("what only children use of an inherited descriptor moves the position of all") {
  TextRun run({
      "1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f) = 2",
      "2 write(1</w/out>, \"aaaa\\n\", 5) = 5",
      "2 +++ exited with 0 +++",
      "1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f) = 3",
      "3 write(1</w/out>, \"bbbb\\n\", 5) = 5",
      "3 +++ exited with 0 +++",
      "1 write(1</w/out>, \"c\\n\", 2) = 2",
      "1 +++ exited with 0 +++",
  });
  run.SetManifest({"/w/out f 0644 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 12 /w/out"});
}

TEST_CASE("a descriptor from before the trace stands at the end if it is written to first, else at the begin") {
  TextRun run({
      "1 fstat(1</w/log>, {st_mode=S_IFREG|0644, st_size=11, ...}) = 0",
      "1 write(1</w/log>, \"hello\\n\", 6) = 6",
      "1 read(0</w/in>, \"x\"..., 4096) = 10",
      "1 write(0</w/in>, \"x\", 1) = 1",
      "1 lseek(3</w/sought>, 0, SEEK_CUR) = 2",
      "1 write(3</w/sought>, \"x\"..., 3) = 3",
  });
  run.SetManifest({"/w/log f 0644 11 -", "/w/in f 0644 10 -", "/w/sought f 0644 100 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 11 /w/in", "f 0644 17 /w/log", "f 0644 100 /w/sought"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("requests in bulk: vectors, what strace leaves out, and what is no request for content") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 io_submit(0x7f, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=3, aio_buf=[{iov_base=\"x\"..., "
      "iov_len=300}, {iov_base=\"\", iov_len=400}], aio_offset=1000}]) = 1",
      "1 io_submit(0x7f, 1, [{aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=3, aio_buf=[{iov_base=0x7f, iov_len=30}], "
      "aio_offset=0}]) = 1",
      "1 io_submit(0x7f, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_POLL, aio_fildes=3, aio_buf=POLLIN}]) = 1",
      "1 io_submit(0x7f, 2, [{aio_data=0, aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}, "
      "{aio_data=0, aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=3}]) = 2",
      "1 io_submit(0x7f, 64, [{aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, aio_buf=\"x\"..., aio_nbytes=100, "
      "aio_offset=2000}, ...]) = 64",
      "1 io_submit(0x7f, 1, [{aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=3, aio_buf=[{iov_base=\"x\", iov_len=3}, "
      "...], aio_offset=9000}]) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 2100 /w/a"});
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.result().interpreter.skipped.at("io_submit: a request that is not printed") == 64);
  CHECK(run.result().report.kinds.at(static_cast<size_t>(OperationKind::kFsync)).latency.count() == 2);
}

TEST_CASE("a file without a name that is made above the root is outside") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT, 0666) = 3",
      "1 openat(AT_FDCWD, \"/\", O_RDWR|O_EXCL|O_TMPFILE, 0600) = 3",
      "1 write(3, \"x\"..., 5) = 5",
      "1 fsync(3) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/a"});
  CHECK(run.result().interpreter.outside == 3);
}

TEST_CASE("an ioctl decides, too, what closes on exec") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT|O_CLOEXEC, 0644) = 3",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 ioctl(3, FIONCLEX) = 0",
      "1 ioctl(4, FIOCLEX) = 0",
      "1 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
      "1 write(3, \"x\"..., 5) = 5",
      "1 write(4, \"x\"..., 6) = 6",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 5 /w/a", "f 0644 0 /w/b"});
}

TEST_CASE("O_APPEND is what fcntl last said, or the call itself") {
  TextRun run({
      "1 open(\"/w/a\", O_RDWR|O_CREAT|O_APPEND, 0644) = 3",
      "1 write(3, \"x\"..., 10) = 10",
      "1 pwritev2(3, [{iov_base=\"x\", iov_len=2}], 1, 0, RWF_NOAPPEND) = 2",
      "1 pwritev2(3, [{iov_base=\"x\", iov_len=3}], 1, 2, 0x20 /* RWF_??? */) = 3",
      "1 lseek(3, 4, SEEK_SET) = 4",
      "1 pwritev2(3, [{iov_base=\"x\", iov_len=2}], 1, -1, RWF_NOAPPEND) = 2",
      "1 lseek(3, 0, SEEK_CUR) = 6",
      "1 fstat(3, {st_mode=S_IFREG|0644, st_size=10, ...}) = 0",
      "1 fcntl(3, F_SETFL, O_RDWR) = 0",
      "1 write(3, \"x\"..., 1) = 1",
      "1 pwrite64(3, \"x\"..., 1, 2) = 1",
      "1 open(\"/w/b\", O_RDONLY|O_CREAT, 0644) = 4",
      "1 truncate(\"/w/b\", 5) = 0",
      "1 copy_file_range(4, NULL, 3, [0], 5, 0) = 5",
      "1 fstat(3, {st_mode=S_IFREG|0644, st_size=10, ...}) = 0",
      "1 fcntl(3, F_SETFL, O_RDWR|O_APPEND) = 0",
      "1 write(3, \"x\"..., 1) = 1",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 11 /w/a", "f 0644 5 /w/b"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("with -z a child has its descriptors though its parent's line comes later") {
  TextRun run({
      "1 open(\"/w/log\", O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0666) = 3",
      "2 dup2(3, 1) = 1",
      "1 vfork() = 2",
      "2 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
      "2 write(1, \"x\"..., 6) = 6",
      "2 write(3, \"x\"..., 6) = 6",
      "2 +++ exited with 0 +++",
      "3 dup2(3, 1) = 1",
      "3 close(3) = 0",
      "3 +++ exited with 127 +++",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_VFORK) = 3",
      "1 write(3, \"x\"..., 7) = 7",
      "1 write(1, \"x\"..., 7) = 7",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 13 /w/log"});
}

TEST_CASE("a descriptor that is taken from another process is that file, if it is known which") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 write(3, \"x\"..., 5) = 5",
      "1 clone(child_stack=NULL, flags=SIGCHLD) = 2",
      "2 close(3) = 0",
      "2 pidfd_open(1, 0) = 4",
      "2 pidfd_getfd(4, 3, 0) = 5",
      "2 write(5, \"x\"..., 6) = 6",
      "2 pidfd_getfd(9, 3, 0) = 6",
      "2 write(6, \"x\"..., 6) = 6",
      "2 pidfd_open(7, 0) = 7",
      "2 pidfd_getfd(7, 3, 0) = 8</etc/passwd>",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 11 /w/a"});
  CHECK(run.result().interpreter.unsupported ==
        std::map<std::string, uint64_t>{{"pidfd_getfd", 1}, {"a descriptor that the trace does not tell (-y)", 1}});
}

TEST_CASE("a descriptor that comes with a message is that file if -y tells it, else it is not known") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 socketpair(AF_UNIX, SOCK_STREAM, 0, [5, 6]) = 0",
      "1 recvmsg(6, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"cmsg_type=SCM_RIGHTS\", iov_len=20}], "
      "msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 20",
      "1 recvmsg(6, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, "
      "msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[7]}], msg_controllen=24, "
      "msg_flags=MSG_CMSG_CLOEXEC}, MSG_CMSG_CLOEXEC) = 1",
      "1 write(7, \"x\"..., 5) = 5",
      "1 recvmmsg(6, [{msg_hdr={msg_name=NULL, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, "
      "cmsg_type=SCM_RIGHTS, cmsg_data=[8</w/a>]}], msg_controllen=24, msg_flags=0}, msg_len=1}], 1, 0, NULL) = 1",
      "1 write(8</w/a>, \"x\"..., 6) = 6",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 6 /w/a"});
  CHECK(run.result().interpreter.unsupported ==
        std::map<std::string, uint64_t>{{"recvmsg: descriptors", 1},
                                        {"a descriptor that the trace does not tell (-y)", 1}});
}

TEST_CASE("calls on descriptors that nothing tells are counted by themselves, others are outside") {
  const Strings other{
      "1 write(1, \"x\", 1) = 1",
      "1 open(\"/etc/passwd\", O_RDONLY) = 3",
      "1 read(3, \"x\"..., 10) = 10",
      "1 dup(3) = 4",
      "1 dup2(3, 10) = 10",
      "1 fcntl(4, F_DUPFD, 20) = 20",
      "1 dup(2) = 11",
      "1 pipe2([5, 6], O_CLOEXEC) = 0",
      "1 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 7",
      "1 clone(child_stack=NULL, flags=SIGCHLD) = 2",
      "2 read(4, \"x\"..., 10) = 10",
      "2 read(5, \"x\"..., 10) = 10",
      "2 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
      "2 write(7, \"x\"..., 10) = 10",
      "2 write(10, \"x\"..., 10) = 10",
      "2 write(11, \"x\"..., 10) = 10",
      "2 write(20, \"x\"..., 10) = 10",
      "2 sendfile(7, 3, NULL, 10) = 10",
      "2 read(12<socket:[7]>, \"x\"..., 10) = 10",
      "2 write(13, \"x\"..., 10) = -1 EBADF (Bad file descriptor)",
  };
  TextRun told(other);
  told.Everywhere();
  CHECK(told.result().interpreter.unsupported.empty());
  TextRun run({
      "1 read(3, \"x\"..., 10) = 10",
      "1 dup(3) = 4",
      "1 fstat(4, {st_mode=S_IFREG|0644, st_size=10, ...}) = 0",
      "1 openat(5, \"a\", O_RDONLY) = 6",
      "1 sendfile(1, 3, NULL, 10) = 10",
      "1 close(6) = 0",
      "1 getdents64(6, 0x7f, 100) = 24",
      "1 fchdir(5) = 0",
      "1 mkdir(\"d\", 0755) = 0",
  });
  run.Everywhere();
  CHECK(run.result().interpreter.outside == 0);
  CHECK(run.result().interpreter.unsupported ==
        std::map<std::string, uint64_t>{{"a descriptor that the trace does not tell (-y)", 5},
                                        {"a relative path, and the working directory is not known (--cwd)", 1}});
}

// What another thread writes to a file whose number was that of something else until a close that the trace has later.
TEST_CASE("the late close of a socket, pipe or file outside does not close a file") {
  const std::string threads = "flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD";
  for (const char* first : {"1 socket(AF_UNIX, SOCK_STREAM, 0) = 7", "1 pipe([6, 7]) = 0",
                            "1 open(\"/elsewhere\", O_RDONLY) = 7", "1 pidfd_open(1, 0) = 7", "1 dup(1) = 7"}) {
    INFO(first);
    TextRun run({
        first,
        "1 clone(child_stack=0x7f, " + threads + ") = 2",
        "2 open(\"/w/f\", O_RDWR) = 7",
        "1 close(7) = 0",
        "2 pwrite64(7, \"abcdefgh\", 8, 0) = 8",
        "1 close(7) = 0",
        "2 pwrite64(7, \"abcdefghi\", 9, 0) = -1 EBADF (Bad file descriptor)",
    });
    run.SetManifest({"/w/f f 0644 5 -"});
    run.Everywhere();
    CHECK(run.Final() == Strings{"f 0644 8 /w/f"});
    CHECK(run.Operations(OperationKind::kClose).size() == 1);
  }
}

TEST_CASE("of two sockets with one number, the late close is that of the first") {
  TextRun run({
      "1 socket(AF_UNIX, SOCK_STREAM, 0) = 7",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
      "2 socket(AF_UNIX, SOCK_STREAM, 0) = 7",
      "1 close(7) = 0",
      "2 write(7, \"x\", 1) = 1",
  });
  run.Everywhere();
  CHECK(run.result().interpreter.unsupported.empty());
}

TEST_CASE("the number of a socket that is closed otherwise has no close to come") {
  for (const char* closed : {"1 close_range(7, 7, 0) = 0", "1 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
                             "1 close_range(3, 4294967295, CLOSE_RANGE_UNSHARE) = 0"}) {
    INFO(closed);
    TextRun run({
        "1 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 7",
        closed,
        "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
        "2 open(\"/w/f\", O_RDWR|O_CREAT, 0644) = 7",
        "2 write(7, \"abc\", 3) = 3",
        "1 close(7) = 0",
    });
    run.Everywhere();
    CHECK(run.Operations(OperationKind::kClose).size() == 1);
  }
  TextRun run({
      "1 socket(AF_UNIX, SOCK_STREAM, 0) = 7",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
      "2 dup2(1, 7) = 7",
      "1 close(7) = 0",
      "2 open(\"/w/f\", O_RDWR|O_CREAT, 0644) = 7",
      "1 close(7) = 0",
  });
  run.Everywhere();
  CHECK(run.Operations(OperationKind::kClose).size() == 1);
}

TEST_CASE("a close_range that only marks descriptors closes nothing, and a late close is still to come") {
  TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 open(\"f\", O_RDWR) = 3",
      "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD) = 2",
      "2 open(\"g\", O_RDWR) = 3",
      "2 close_range(3, 3, CLOSE_RANGE_CLOEXEC) = 0",
      "1 close(3) = 0",
      "2 write(3, \"abc\", 3) = 3",
  });
  run.SetManifest({"/w/f f 0644 0 -", "/w/g f 0644 0 -"});
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0644 0 /w/f", "f 0644 3 /w/g"});
}

}  // namespace
}  // namespace betr::replay
