// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of betr/c_filesystem.h. What is open keeps its file system alive, and is destroyed before
// it: members are destroyed from the last to the first.
#pragma once

#include <memory>

#include "betr/c_filesystem.h"
#include "betr/path_filesystem.h"
#include "c/given.h"

struct betr_fs {
  std::shared_ptr<betr::FileSystem> fs;

  betr::PathFileSystem Paths() const { return betr::PathFileSystem(fs.get()); }
};

struct betr_file {
  std::shared_ptr<betr::FileSystem> fs;
  betr::OpenFile open;
};

namespace betr::c {

template <>
inline constexpr const char* kNameOf<betr_fs> = "fs";
template <>
inline constexpr const char* kNameOf<betr_file> = "file";

}  // namespace betr::c
