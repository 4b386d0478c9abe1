// SPDX-License-Identifier: Apache-2.0
// A file system of its own, in memory and of a given size, for what happens when the host has no space left.
#pragma once

#include <string>
#include <string_view>

#include "betr/units.h"
#include "support/device/temp_dir.h"

namespace betr {

class SmallFileSystem {
 public:
  explicit SmallFileSystem(Bytes size);
  ~SmallFileSystem();
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  // False where this process may not mount; nothing else is of use then.
  bool Mounted() const { return mounted_; }
  // Fails the test if that does not work.
  void Resize(Bytes size);
  std::string File(std::string_view name) const { return dir_.File(name); }

 private:
  const TempDir dir_;
  const bool mounted_;
};

}  // namespace betr
