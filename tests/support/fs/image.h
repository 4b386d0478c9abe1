// SPDX-License-Identifier: Apache-2.0
// A file system on a store in memory, for tests: made, mounted, unmounted, checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "betr/path_filesystem.h"
#include "device/memory_device.h"

namespace betr::test {

struct ImageOptions {
  Bytes size = MiB(64);
  Bytes node_size = KiB(4);
  Bytes basement_size = Bytes{512};
  uint32_t fanout = 8;
  Bytes log_size = MiB(1);
  std::string compression = "lz4";
  bool background = false;  // threads of the store's own
  Experiments experiments;
  MountOptions mount;
};

// Tiny nodes, so that everything happens in the store too; a clock that moves by a second when told to.
class Image {
 public:
  explicit Image(const ImageOptions& options = {});
  // What an image has already (support/device/kept_image.h). Of the options, what it was made with does not matter.
  Image(const ImageOptions& options, PageMap pages);
  ~Image();

  // The mounted file system; mounts it if need be.
  FileSystem& fs();
  PathFileSystem& paths();
  ManualClock& clock() { return clock_; }
  void Tick() { clock_.Advance(std::chrono::seconds(1)); }

  // A clean end; the next fs() mounts again.
  void Unmount();
  // The same; the next one has these experiments.
  void Remount(const Experiments& experiments);
  // Syncs and then loses what is in memory, as a crash does.
  void Crash();
  // Syncs the store only: writes that are gathered are lost, too.
  void CrashUnflushed();

  BlockDevice& device() { return device_; }
  // The store, with nothing mounted.
  std::unique_ptr<Store> OpenStore(bool read_only = false);

  // Unmounts, runs the checker, fails the test on any finding. Mounts again with the next fs().
  void Check();

 private:
  ImageOptions options_;
  ManualClock clock_;
  MemoryDevice device_;
  std::unique_ptr<FileSystem> fs_;
  std::unique_ptr<PathFileSystem> paths_;
};

// errno of a status, for REQUIRE(Errno(...) == ENOENT).
template <class T>
int Errno(const absl::StatusOr<T>& result) {
  return ToErrno(result.status());
}
inline int Errno(const absl::Status& status) { return ToErrno(status); }

// "type permissions links size name" lines and contents of everything below a path, as one string that can be compared.
std::string Describe(PathFileSystem& paths, const std::string& path);

}  // namespace betr::test
