// SPDX-License-Identifier: Apache-2.0
// What takes requests from the kernel and has them answered by threads. What stands behind depends on the version of
// libfuse (fuse/libfuse.h), without anybody else noticing.
#pragma once

namespace betr::fuse {

class SessionLoop {
 public:
  virtual ~SessionLoop() = default;

  // To be called once.
  virtual void Start(unsigned threads) = 0;
  // Readable once the kernel has ended the session: the file system is unmounted.
  virtual int ended() const = 0;
  // Makes the threads stop after the request that each is busy with, and waits for them.
  virtual void Stop() = 0;
};

}  // namespace betr::fuse
