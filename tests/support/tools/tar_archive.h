// SPDX-License-Identifier: Apache-2.0
// Archives that tests make by hand, in memory.
#pragma once

#include <string>

namespace betr::test {

// An archive in memory.
class ArchiveFile {
 public:
  explicit ArchiveFile(const std::string& content = "");
  ~ArchiveFile();
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string Content() const;

 private:
  const int descriptor_;
};

// One header of a ustar archive, and content.
std::string Member(const std::string& name, char type, const std::string& content = "", const std::string& link = "");

// A whole archive of members.
std::string Finished(const std::string& members);

}  // namespace betr::test
