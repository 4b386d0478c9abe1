// SPDX-License-Identifier: Apache-2.0
#include "file_text.h"

namespace betr::tools {
namespace {

char TypeLetter(FileType type) {
  constexpr std::string_view kLetters = "?-dlpscb";
  const auto index = static_cast<size_t>(type);
  return index < kLetters.size() ? kLetters[index] : '?';
}

}  // namespace

std::string_view TypeName(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return "file";
    case FileType::kDirectory:
      return "directory";
    case FileType::kSymlink:
      return "symlink";
    case FileType::kFifo:
      return "fifo";
    case FileType::kSocket:
      return "socket";
    case FileType::kCharDevice:
      return "character device";
    case FileType::kBlockDevice:
      return "block device";
  }
  return "unknown";
}

std::string ModeText(const FileAttributes& attributes) {
  std::string text(1, TypeLetter(attributes.type));
  constexpr std::string_view kLetters = "rwxrwxrwx";
  for (size_t i = 0; i < kLetters.size(); ++i) text += (attributes.permissions >> (8 - i) & 1) != 0 ? kLetters[i] : '-';
  const auto special = [&](uint32_t bit, size_t position, char letter) {
    if ((attributes.permissions & bit) == 0) return;
    text[position] = text[position] == 'x' ? letter : static_cast<char>(letter - 'a' + 'A');
  };
  special(04000, 3, 's');
  special(02000, 6, 's');
  special(01000, 9, 't');
  return text;
}

}  // namespace betr::tools
