// SPDX-License-Identifier: Apache-2.0
#include "betr/file_attributes.h"

#include <sys/stat.h>

namespace betr {

uint32_t ModeBits(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return S_IFREG;
    case FileType::kDirectory:
      return S_IFDIR;
    case FileType::kSymlink:
      return S_IFLNK;
    case FileType::kFifo:
      return S_IFIFO;
    case FileType::kSocket:
      return S_IFSOCK;
    case FileType::kCharDevice:
      return S_IFCHR;
    case FileType::kBlockDevice:
      return S_IFBLK;
  }
  return 0;
}

std::optional<FileType> TypeOfMode(uint32_t mode) {
  for (const FileType type : {FileType::kRegular, FileType::kDirectory, FileType::kSymlink, FileType::kFifo,
                              FileType::kSocket, FileType::kCharDevice, FileType::kBlockDevice}) {
    if ((mode & S_IFMT) == ModeBits(type)) return type;
  }
  return std::nullopt;
}

}  // namespace betr
