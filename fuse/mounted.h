// SPDX-License-Identifier: Apache-2.0
// A mounted file system, from the mount to the last request.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <string>

#include "mount_options.h"
#include "server.h"

namespace betr::fuse {

class Mounted {
 public:
  // All three must outlive this.
  Mounted(FileSystem* fs, Log* log, const MountPlan& plan);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  // Blocks the signals that end programs, so that Serve gets them. Call it before there are threads.
  static void BlockSignals();

  // Mounts the file system. From now on requests wait for Serve. With `debug`, libfuse prints each request.
  // kUnavailable on failure; libfuse has printed the reason.
  absl::Status Mount(const std::string& directory, bool debug);
  // Answers requests until the directory is unmounted, or until SIGTERM, SIGINT or SIGHUP. Makes everything durable
  // every few seconds. Requires: Mount.
  void Serve();

 private:
  // Allows what root may have: for auto_unmount libfuse mounts through fusermount3, which forbids set-id bits and
  // devices whatever it is told.
  void AllowToRoot();
  // Ends the mount. Has the kernel write back what it holds, then unmounts, even if files are open.
  void Unmount();

  const MountPlan& plan_;
  Log& log_;
  Server server_;
  fuse_session* session_ = nullptr;
  std::string directory_;
};

}  // namespace betr::fuse
