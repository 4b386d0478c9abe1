// SPDX-License-Identifier: Apache-2.0
// Held owns a reference to an inode, and gives it back when destroyed.
#pragma once

#include <utility>

#include "betr/filesystem.h"

namespace betr::fs {

class Held {
 public:
  // Takes over one reference.
  Held(FileSystem* fs, InodeId inode) : fs_(fs), inode_(inode) {}
  Held(Held&& other) noexcept : fs_(std::exchange(other.fs_, nullptr)), inode_(other.inode_) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (fs_ != nullptr) fs_->Forget(inode_);
  }
  InodeId inode() const { return inode_; }

 private:
  FileSystem* fs_;
  InodeId inode_;
};

}  // namespace betr::fs
