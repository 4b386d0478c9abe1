// SPDX-License-Identifier: Apache-2.0
#include "support/replay/sample_trace.h"

#include <string_view>
#include <utility>

namespace betr::replay {

std::vector<std::string> SampleTrace() {
  return {
      "1 1795177851.000001 chdir(\"/w\") = 0",
      "1 1795177851.000002 openat(AT_FDCWD</w>, \"a\\n(b\", O_RDWR|O_CREAT, 0666) = 3</w/a\\n(b> <0.000012>",
      "1 1795177851.000003 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>",
      "2 1795177851.000004 pwritev(3</w/a\\n(b>, [{iov_base=\"x\"..., iov_len=10}], 1, 70000) = 10",
      "1 1795177851.000005 <... clone resumed>, child_tidptr=0x7f) = 2",
      "2 1795177851.000006 mkdirat(AT_FDCWD</w>, \"d\", 0777) = 0",
      "2 1795177851.000007 renameat2(AT_FDCWD, \"d\", AT_FDCWD, \"e\", RENAME_NOREPLACE) = 0",
      "1 1795177851.000008 fsetxattr(3, \"system.posix_acl_access\", \"\\2\\0\\0\\0\\1\\0\\6\\0\", 8, 0) = 0",
      "1 1795177851.000009 utimensat(3, NULL, [{tv_sec=1, tv_nsec=2} /* x */, UTIME_OMIT], 0) = 0",
      "1 1795177851.000010 io_submit(0x7f, 1, [{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_nbytes=9}]) = 1",
      "1 1795177851.000011 linkat(AT_FDCWD, \"/proc/self/fd/3\", AT_FDCWD, \"e/l\", AT_SYMLINK_FOLLOW) = 0",
      "1 1795177851.000012 copy_file_range(3, [0], 3, [100000], 5, 0) = 5",
      "1 1795177851.000013 newfstatat(3, \"\", {st_mode=S_IFREG|0644, st_size=100005, ...}, AT_EMPTY_PATH) = 0",
      "1 1795177851.000014 execve(\"/bin/x\", [\"x\"], 0x7ff /* 3 vars */) = 0",
      "1 1795177851.000015 dup2(3, 9) = 9",
      "1 1795177851.000016 close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0",
      "1 1795177851.000017 symlink(\"e\", \"s\") = 0",
      "1 1795177851.000018 unlinkat(AT_FDCWD, \"s\", 0) = 0",
      "1 1795177851.000019 ftruncate(9, 0) = 0",
      "2 1795177851.000020 exit_group(0) = ?",
      "2 1795177851.000021 +++ exited with 0 +++",
  };
}

std::vector<std::string> DamagedTrace(Random& random) {
  constexpr std::string_view kBytes = "\"\\<>(){}[],=|0123456789xO_ /*-.\x01\xff";
  std::vector<std::string> lines = SampleTrace();
  const uint64_t changes = random.Between(1, 12);
  for (uint64_t i = 0; i < changes; ++i) {
    std::string& line = random.Pick(lines);
    if (line.empty()) continue;
    const size_t at = random.Uniform(line.size());
    switch (random.Uniform(6)) {
      case 0:
        line.erase(at, random.Between(1, 5));
        break;
      case 1:
        line.insert(at, 1, kBytes[random.Uniform(kBytes.size())]);
        break;
      case 2:
        line.resize(at);
        break;
      case 3:
        std::swap(line, random.Pick(lines));
        break;
      case 4:
        line.insert(at, std::string(random.Uniform(20), '9'));
        break;
      default:
        line[at] = kBytes[random.Uniform(kBytes.size())];
    }
  }
  return lines;
}

}  // namespace betr::replay
