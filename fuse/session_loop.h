// SPDX-License-Identifier: Apache-2.0
// Takes requests from the kernel and has threads answer them. The implementation depends on the version of libfuse
// (fuse/libfuse.h); nobody else notices.
#pragma once

namespace betr::fuse {

class SessionLoop {
 public:
  virtual ~SessionLoop() = default;

  // Must be called once.
  virtual void Start(unsigned threads) = 0;
  // A descriptor that is readable once the kernel has ended the session, that is, once the file system is unmounted.
  virtual int ended() const = 0;
  // Makes each thread stop after the request that it is busy with, and waits for them.
  virtual void Stop() = 0;
};

}  // namespace betr::fuse
