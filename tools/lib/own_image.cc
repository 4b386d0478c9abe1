// SPDX-License-Identifier: Apache-2.0
#include "own_image.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "betr/fs_error.h"

namespace betr::tools {
namespace {

using Attributes = struct stat;

std::optional<Attributes> AttributesOf(const std::string& path) {
  Attributes attributes{};
  return stat(path.c_str(), &attributes) == 0 ? std::optional(attributes) : std::nullopt;
}

std::optional<Attributes> AttributesOf(int descriptor) {
  Attributes attributes{};
  return fstat(descriptor, &attributes) == 0 ? std::optional(attributes) : std::nullopt;
}

bool AreSame(const Attributes& one, const Attributes& other) {
  if (S_ISBLK(one.st_mode) && S_ISBLK(other.st_mode)) return one.st_rdev == other.st_rdev;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

absl::Status CheckIsNotImage(const std::string& archive, int stream, const std::string& image) {
  const std::optional<Attributes> there = archive == "-" ? AttributesOf(stream) : AttributesOf(archive);
  const std::optional<Attributes> own = AttributesOf(image);
  const bool is_image = there && own && AreSame(*there, *own);
  return is_image ? ErrnoError(EINVAL, archive + ": is the image") : absl::OkStatus();
}

absl::Status CheckIsOutside(const std::string& image, const std::string& directory) {
  const std::optional<Attributes> own = AttributesOf(image);
  if (!own) return absl::OkStatus();
  std::error_code error;
  constexpr auto kOptions = std::filesystem::directory_options::skip_permission_denied;
  std::filesystem::recursive_directory_iterator entry(directory, kOptions, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    Attributes attributes{};
    if (lstat(entry->path().c_str(), &attributes) != 0) continue;
    if (attributes.st_dev == own->st_dev && attributes.st_ino == own->st_ino) {
      return ErrnoError(EINVAL, entry->path().string() + ": the image cannot be in itself");
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::tools
