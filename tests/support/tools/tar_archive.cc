// SPDX-License-Identifier: Apache-2.0
#include "support/tools/tar_archive.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

namespace betr::test {

ArchiveFile::ArchiveFile(const std::string& content) : descriptor_(memfd_create("archive", MFD_CLOEXEC)) {
  REQUIRE(descriptor_ >= 0);
  REQUIRE(pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
}

ArchiveFile::~ArchiveFile() { close(descriptor_); }

std::string ArchiveFile::Content() const {
  std::string content(static_cast<size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
  REQUIRE(pread(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
  return content;
}

std::string Member(const std::string& name, char type, const std::string& content, const std::string& link) {
  std::string header(512, '\0');
  const auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  char size[12];
  snprintf(size, sizeof(size), "%011zo", content.size());
  put(0, name);
  put(100, "0000644");
  put(108, "0000001");
  put(116, "0000002");
  put(124, size);
  put(136, "00000000144");
  put(148, "        ");
  put(156, std::string(1, type));
  put(157, link);
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char checksum[8];
  snprintf(checksum, sizeof(checksum), "%06o", sum);
  put(148, std::string(checksum, 7));
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

std::string Finished(const std::string& members) { return members + std::string(1024, '\0'); }

}  // namespace betr::test
