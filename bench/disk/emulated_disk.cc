// SPDX-License-Identifier: Apache-2.0
// A file that is as slow as a disk: a FUSE server with one file, `disk`, whose reads, writes and fsyncs take the time
// of device/disk_model.h. A loop device with direct I/O on it gives kernel file systems that disk:
//
//   emulated_disk --size 50G --backing /var/tmp/disk.raw /mnt/disk &
//   losetup --direct-io=on --sector-size 4096 --find --show /mnt/disk/disk
//
// `stats` next to it tells as JSON what the disk has done. One request at a time, in the order of arrival. Ends when it
// is unmounted or told to (SIGINT, SIGTERM), and prints the statistics.
#define FUSE_USE_VERSION 312
#include <fcntl.h>
#include <fmt/format.h>
#include <fuse_lowlevel.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/size_text.h"
#include "device/disk_model.h"

namespace {

using betr::Bytes;
using betr::DiskModel;
using betr::DiskStats;
using std::chrono::nanoseconds;

constexpr fuse_ino_t kDisk = 2;
constexpr fuse_ino_t kStats = 3;
constexpr unsigned kLargestRequest = 1 << 20;  // bytes
constexpr double kForever = 1e6;               // seconds that the kernel may believe attributes

double Seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

std::string StatsText(const DiskStats& stats) {
  return fmt::format(
      R"({{"reads": {}, "read_hits": {}, "writes": {}, "flushes": {}, "requests": {}, "seeks": {}, "revolutions": {}, )"
      R"("read_bytes": {}, "written_bytes": {}, "busy_seconds": {:.6f}, "waited_seconds": {:.6f}}})"
      "\n",
      stats.reads, stats.read_hits, stats.writes, stats.flushes, stats.requests, stats.seeks, stats.revolutions,
      stats.read_bytes.value, stats.written_bytes.value, Seconds(stats.busy), Seconds(stats.waited));
}

class EmulatedDisk {
 public:
  EmulatedDisk(int descriptor, Bytes size, const betr::DiskProfile& profile, double scale)
      : descriptor_(descriptor), size_(size), scale_(scale), model_(profile, size), last_(clock_.Monotonic()) {}

  Bytes size() const { return size_; }
  const DiskStats& stats() const { return model_.stats(); }

  // Each returns 0 or an errno.
  int Read(uint64_t offset, std::vector<char>* out) {
    const nanoseconds begun = clock_.Monotonic();
    const nanoseconds wait = model_.Read(Bytes{offset}, Bytes{out->size()}, Idle(begun));
    const ssize_t count = pread(descriptor_, out->data(), out->size(), static_cast<off_t>(offset));
    if (count < 0) return errno;
    // The backing file may be shorter: what was never written is zero.
    std::fill(out->begin() + count, out->end(), '\0');
    Finish(begun, wait);
    return 0;
  }

  int Write(uint64_t offset, const char* data, size_t size) {
    const nanoseconds begun = clock_.Monotonic();
    const nanoseconds wait = model_.Write(Bytes{offset}, Bytes{size}, Idle(begun));
    const ssize_t count = pwrite(descriptor_, data, size, static_cast<off_t>(offset));
    if (count < 0) return errno;
    Finish(begun, wait);
    return static_cast<size_t>(count) == size ? 0 : ENOSPC;
  }

  // The backing file need not be durable: the emulated disk lives as long as this process.
  void Flush() {
    const nanoseconds begun = clock_.Monotonic();
    Finish(begun, model_.Flush(Idle(begun)));
  }

  int PunchHole(uint64_t offset, uint64_t length) {
    constexpr int kMode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(descriptor_, kMode, static_cast<off_t>(offset), static_cast<off_t>(length)) == 0 ? 0 : errno;
  }

 private:
  nanoseconds Idle(nanoseconds now) const {
    return nanoseconds(static_cast<int64_t>(static_cast<double>((now - last_).count()) / scale_));
  }

  void Finish(nanoseconds begun, nanoseconds wait) {
    constexpr nanoseconds kMostLate = std::chrono::milliseconds(5);
    const nanoseconds due =
        begun + nanoseconds(static_cast<int64_t>(static_cast<double>(wait.count()) * scale_)) - late_;
    const nanoseconds rest = due - clock_.Monotonic();
    if (rest > nanoseconds{0}) std::this_thread::sleep_for(rest);
    const nanoseconds now = clock_.Monotonic();
    const nanoseconds lateness = std::max(now - due, nanoseconds{0});
    // What sleeping took too long is taken from the next request; beyond that the disk has worked on meanwhile.
    late_ = std::min(lateness, kMostLate);
    last_ = now - (lateness - late_);
  }

  const int descriptor_;
  const Bytes size_;
  const double scale_;  // of time: 0.1 is a disk that is ten times as fast
  betr::Clock& clock_ = betr::SystemClock();
  DiskModel model_;
  nanoseconds last_;     // when the last request ended, or should have
  nanoseconds late_{0};  // how much later than it should have
};

EmulatedDisk& DiskOf(fuse_req_t request) { return *static_cast<EmulatedDisk*>(fuse_req_userdata(request)); }

struct stat AttributesOf(const EmulatedDisk& disk, fuse_ino_t inode) {
  struct stat attributes {};
  attributes.st_ino = inode;
  attributes.st_nlink = 1;
  attributes.st_mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | (inode == kDisk ? 0600 : 0444);
  attributes.st_size = inode == kDisk ? static_cast<off_t>(disk.size().value) : 0;
  attributes.st_blksize = 4096;
  return attributes;
}

void Lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const bool is_disk = std::strcmp(name, "disk") == 0;
  if (parent != FUSE_ROOT_ID || (!is_disk && std::strcmp(name, "stats") != 0)) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = is_disk ? kDisk : kStats;
  entry.attr = AttributesOf(DiskOf(request), entry.ino);
  entry.attr_timeout = entry.entry_timeout = kForever;
  fuse_reply_entry(request, &entry);
}

void GetAttributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  const struct stat attributes = AttributesOf(DiskOf(request), inode);
  fuse_reply_attr(request, &attributes, kForever);
}

// Nobody changes the size; what else is to be changed does not matter.
void SetAttributes(fuse_req_t request, fuse_ino_t inode, struct stat*, int to_set, fuse_file_info* file) {
  if ((to_set & FUSE_SET_ATTR_SIZE) != 0) {
    fuse_reply_err(request, EPERM);
  } else {
    GetAttributes(request, inode, file);
  }
}

void ReadDirectory(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info*) {
  constexpr struct {
    const char* name;
    fuse_ino_t inode;
  } kEntries[] = {{".", FUSE_ROOT_ID}, {"..", FUSE_ROOT_ID}, {"disk", kDisk}, {"stats", kStats}};
  std::vector<char> buffer(size);
  size_t used = 0;
  for (auto i = static_cast<size_t>(offset); i < std::size(kEntries); ++i) {
    const struct stat attributes = AttributesOf(DiskOf(request), kEntries[i].inode);
    const size_t needed = fuse_add_direntry(request, buffer.data() + used, size - used, kEntries[i].name, &attributes,
                                            static_cast<off_t>(i + 1));
    if (needed > size - used) break;
    used += needed;
  }
  fuse_reply_buf(request, buffer.data(), used);
}

void Open(fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (inode == FUSE_ROOT_ID) {
    fuse_reply_err(request, EISDIR);
    return;
  }
  // The kernel keeps nothing: every request comes here.
  file->direct_io = 1;
  fuse_reply_open(request, file);
}

void ReadFile(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, fuse_file_info*) {
  EmulatedDisk& disk = DiskOf(request);
  const auto begin = static_cast<uint64_t>(offset);
  if (inode == kStats) {
    const std::string text = StatsText(disk.stats());
    const std::string part = begin < text.size() ? text.substr(begin, size) : "";
    fuse_reply_buf(request, part.data(), part.size());
    return;
  }
  const uint64_t end = std::min(begin + size, disk.size().value);
  std::vector<char> buffer(end - std::min(begin, end));
  if (buffer.empty()) {
    fuse_reply_buf(request, nullptr, 0);
  } else if (const int error = disk.Read(begin, &buffer); error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_buf(request, buffer.data(), buffer.size());
  }
}

void WriteFile(fuse_req_t request, fuse_ino_t inode, const char* data, size_t size, off_t offset, fuse_file_info*) {
  EmulatedDisk& disk = DiskOf(request);
  const bool fits = static_cast<uint64_t>(offset) + size <= disk.size().value;
  const int error = inode != kDisk ? EBADF : !fits ? ENOSPC : disk.Write(static_cast<uint64_t>(offset), data, size);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_write(request, size);
  }
}

void SyncFile(fuse_req_t request, fuse_ino_t inode, int, fuse_file_info*) {
  if (inode == kDisk) DiskOf(request).Flush();
  fuse_reply_err(request, 0);
}

void Allocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length, fuse_file_info*) {
  const bool is_punch = inode == kDisk && (mode & FALLOC_FL_PUNCH_HOLE) != 0;
  const int error =
      is_punch ? DiskOf(request).PunchHole(static_cast<uint64_t>(offset), static_cast<uint64_t>(length)) : EOPNOTSUPP;
  fuse_reply_err(request, error);
}

void Init(void*, fuse_conn_info* connection) {
  connection->max_write = kLargestRequest;
  connection->max_readahead = 0;
}

int Serve(EmulatedDisk* disk, const std::string& mount_point) {
  fuse_lowlevel_ops operations{};
  operations.init = Init;
  operations.lookup = Lookup;
  operations.getattr = GetAttributes;
  operations.setattr = SetAttributes;
  operations.readdir = ReadDirectory;
  operations.open = Open;
  operations.read = ReadFile;
  operations.write = WriteFile;
  operations.fsync = SyncFile;
  operations.fallocate = Allocate;
  const char* arguments[] = {"emulated_disk", "-o", "fsname=emulated_disk"};
  fuse_args args = FUSE_ARGS_INIT(3, const_cast<char**>(arguments));
  fuse_session* session = fuse_session_new(&args, &operations, sizeof(operations), disk);
  if (session == nullptr || fuse_set_signal_handlers(session) != 0) return EXIT_FAILURE;
  int exit = EXIT_FAILURE;
  if (fuse_session_mount(session, mount_point.c_str()) == 0) {
    exit = fuse_session_loop(session) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    fuse_session_unmount(session);
  }
  fuse_remove_signal_handlers(session);
  fuse_session_destroy(session);
  fuse_opt_free_args(&args);
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A file that is as slow as a disk");
  std::string size_text = "50G";
  std::string backing;
  std::string profile_name = "hdd-7200";
  std::string mount_point;
  double scale = 1;
  app.add_option("--size", size_text, "Of the disk (default: 50G)");
  app.add_option("--backing", backing, "Sparse file that holds what is written; made if it is missing")->required();
  app.add_option("--profile", profile_name, "Which disk (default: hdd-7200)");
  app.add_option("--scale", scale, "Of time: 0.1 is ten times as fast, and measures the same in a tenth of the time")
      ->check(CLI::Range(0.001, 10.0));
  app.add_option("MOUNTPOINT", mount_point, "An empty directory")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::StatusOr<Bytes> size = betr::ParseSize(size_text);
  const betr::DiskProfile* profile = betr::FindDiskProfile(profile_name);
  const int descriptor = open(backing.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (!size.ok() || size->value < 4096 || profile == nullptr || descriptor < 0) {
    std::cerr << "emulated_disk: wrong size or profile, or the backing file cannot be opened\n";
    return EXIT_FAILURE;
  }
  EmulatedDisk disk(descriptor, *size, *profile, scale);
  const int exit = Serve(&disk, mount_point);
  std::cout << StatsText(disk.stats());
  close(descriptor);
  return exit;
}
