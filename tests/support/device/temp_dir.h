// SPDX-License-Identifier: Apache-2.0
// A directory for a test's files, gone with the object.
#pragma once

#include <string>
#include <string_view>

namespace betr {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // Returns the path of a file in it.
  std::string File(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace betr
