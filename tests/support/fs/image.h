// SPDX-License-Identifier: Apache-2.0
// A file system on a store in memory, for tests: makes, mounts, unmounts and checks it.
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

// Has tiny nodes, so that everything happens in the store too, and a clock that moves by a second when told to.
class Image {
 public:
  explicit Image(const ImageOptions& options = {});
  // Begins with what an image has already (support/device/kept_image.h). Options with which it was made do not matter.
  Image(const ImageOptions& options, PageMap pages);
  ~Image();

  // Returns the mounted file system; mounts it if need be.
  FileSystem& fs();
  PathFileSystem& paths();
  ManualClock& clock() { return clock_; }
  void Tick() { clock_.Advance(std::chrono::seconds(1)); }

  // Ends cleanly. The next fs() mounts again.
  void Unmount();
  // The same. The next one has these experiments.
  void Remount(const Experiments& experiments);
  // Syncs and then loses what is in memory, as a crash does.
  void Crash();
  // Syncs only the store. Writes that are gathered are lost too.
  void CrashUnflushed();

  BlockDevice& device() { return device_; }
  // Opens the store, with nothing mounted.
  std::unique_ptr<Store> OpenStore(bool read_only = false);

  // Unmounts, runs the checker, and fails the test on any finding. The next fs() mounts again.
  void Check();

 private:
  ImageOptions options_;
  ManualClock clock_;
  MemoryDevice device_;
  std::unique_ptr<FileSystem> fs_;
  std::unique_ptr<PathFileSystem> paths_;
};

// Returns the errno of a status, for REQUIRE(Errno(...) == ENOENT).
template <class T>
int Errno(const absl::StatusOr<T>& result) {
  return ToErrno(result.status());
}
inline int Errno(const absl::Status& status) { return ToErrno(status); }

// Returns "type permissions links size name" lines and contents of everything below a path, as one string that can be
// compared.
std::string Describe(PathFileSystem& paths, const std::string& path);

}  // namespace betr::test
