// SPDX-License-Identifier: Apache-2.0
// A separate file system in memory, of a given size. For what happens when the host has no space left.
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

  // False if this process may not mount. Then nothing else is of use.
  bool Mounted() const { return mounted_; }
  // Changes its size. Fails the test if that does not work.
  void Resize(Bytes size);
  std::string File(std::string_view name) const { return dir_.File(name); }

 private:
  const TempDir dir_;
  const bool mounted_;
};

}  // namespace betr
