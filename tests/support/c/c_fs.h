// SPDX-License-Identifier: Apache-2.0
// The file system in C for tests in C++.
#pragma once

#include <string>

#include "betr/c_filesystem.h"
#include "support/c/c_store.h"

namespace betr::test {

using FsHandle = std::unique_ptr<betr_fs, FreeBy<betr_fs_free>>;
using FileHandle = std::unique_ptr<betr_file, FreeBy<betr_file_free>>;

// An image with a file system and small nodes in a directory of its own.
class CFsImage {
 public:
  CFsImage() : path_(dir_.File("image")) {
    const betr_format_options format = SmallFormat();
    Must(betr_fs_create_image(path(), 64 << 20, &format, nullptr));
  }

  const char* path() const { return path_.c_str(); }
  FsHandle Open(const betr_open_options& options = OpenOptions()) const {
    betr_fs* fs = nullptr;
    Must(betr_fs_open_image(path(), &options, &fs));
    return FsHandle(fs);
  }

 private:
  TempDir dir_;
  std::string path_;
};

inline FileHandle OpenFileAt(const FsHandle& fs, const char* path, unsigned flags = 0) {
  betr_file* file = nullptr;
  Must(betr_fs_open(fs.get(), path, flags, nullptr, &file));
  return FileHandle(file);
}

inline void WriteAt(const FileHandle& file, uint64_t offset, const std::string& bytes) {
  Must(betr_file_write(file.get(), offset, bytes.data(), bytes.size()));
}

inline std::string ContentOf(const FileHandle& file) {
  auto attributes = Sized<betr_attributes>();
  Must(betr_file_stat(file.get(), &attributes));
  std::string content(attributes.size + 1, 'x');
  size_t done = 0;
  Must(betr_file_read(file.get(), 0, content.data(), content.size(), &done));
  CHECK(done == attributes.size);
  content.resize(done);
  return content;
}

}  // namespace betr::test
