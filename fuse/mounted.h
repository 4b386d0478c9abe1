// SPDX-License-Identifier: Apache-2.0
// A file system that is mounted: from the mount to the last request.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <string>

#include "mount_options.h"
#include "server.h"

namespace betr::fuse {

class Mounted {
 public:
  // All outlive this.
  Mounted(FileSystem* fs, Log* log, const MountPlan& plan);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  // Keeps signals that end programs for Serve. To be called before there are threads.
  static void BlockSignals();

  // Mounts; requests wait from now on. `debug`: libfuse prints each. kUnavailable; libfuse has said why.
  absl::Status Mount(const std::string& directory, bool debug);
  // Answers requests until the directory is unmounted, or SIGTERM, SIGINT or SIGHUP asks for it. Makes everything
  // durable every few seconds. Requires: Mount.
  void Serve();

 private:
  // For auto_unmount libfuse has fusermount3 mount, which forbids set-id bits and devices whatever it is told.
  void AllowToRoot();
  // Ends the mount: writes back what the kernel holds, then unmounts even if files are open.
  void Unmount();

  const MountPlan& plan_;
  Log& log_;
  Server server_;
  fuse_session* session_ = nullptr;
  std::string directory_;
};

}  // namespace betr::fuse
