// SPDX-License-Identifier: Apache-2.0
#include "lib/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace betr::bench {
namespace fs = std::filesystem;

Bytes BytesWritten() {
  std::ifstream io("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (io >> name >> value) {
    if (name == "wchar:") return Bytes{value};
  }
  return Bytes{0};
}

double ProcessorTime() {
  struct timespec time {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Bytes BytesOnDisk(const std::string& directory) {
  Bytes total{0};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    struct stat info {};
    if (stat(entry.path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      total += Bytes{static_cast<uint64_t>(info.st_blocks) * 512};
    }
  }
  return total;
}

absl::Status DropFromPageCache(const std::string& directory) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const int fd = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return absl::ErrnoToStatus(errno, entry.path().string());
    const bool ok = fdatasync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;
    const int error = errno;
    close(fd);
    if (!ok) return absl::ErrnoToStatus(error, entry.path().string());
  }
  return absl::OkStatus();
}

}  // namespace betr::bench
