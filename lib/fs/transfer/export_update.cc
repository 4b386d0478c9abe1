// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/export_update.h"

#include <unistd.h>

#include "betr/filesystem.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

bool IsLinkTo(const std::string& link, int directory, const std::string& name) {
  std::string target(link.size() + 1, '\0');
  const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
  return size >= 0 && target.substr(0, static_cast<size_t>(size)) == link;
}

}  // namespace

bool ExportUpdate::HasContentOf(const FileAttributes& original, const std::string& link, int directory,
                                const std::string& name, const struct stat& there) {
  return LooksAlike(original, there) && (original.type != FileType::kSymlink || IsLinkTo(link, directory, name));
}

bool ExportUpdate::Claim(const struct stat& there, const FileAttributes& original) {
  const HostFileId id = IdOf(there);
  if (there.st_nlink > 1 || original.links > 1) {
    return originals_.try_emplace(id, original.inode_number).first->second == original.inode_number;
  }
  const auto taken = originals_.find(id);
  return taken == originals_.end() || taken->second == original.inode_number;
}

}  // namespace betr::fs
