// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/imported_attributes.h"

#include <algorithm>

#include "fs/transfer/host_file.h"

namespace betr::fs {

NewFile ImportedAttributes::ToMake(const struct stat& original, const std::string& target) const {
  NewFile file;
  file.type = TypeOfMode(original.st_mode).value_or(FileType::kRegular);
  file.permissions = Permissions(original);
  file.uid = Owner(original.st_uid, options_.uid);
  file.gid = Owner(original.st_gid, options_.gid);
  file.device = original.st_rdev;
  file.target = target;
  return file;
}

AttributeChange ImportedAttributes::ToSet(const struct stat& original) const {
  AttributeChange change;
  if (options_.all_attributes) {
    change.permissions = Permissions(original);
    change.uid = Owner(original.st_uid, options_.uid);
    change.gid = Owner(original.st_gid, options_.gid);
    change.accessed = ToFileTime(original.st_atim);
    change.modified = ToFileTime(original.st_mtim);
  }
  if (options_.latest_time) {
    // Reading the input changes its access times, and the clock goes on: neither may show.
    const FileTime modified = std::min(change.modified.value_or(*options_.latest_time), *options_.latest_time);
    change.accessed = change.modified = change.changed = change.born = modified;
  }
  return change;
}

uint32_t ImportedAttributes::Permissions(const struct stat& original) const {
  return original.st_mode & (options_.all_attributes ? 07777 : 0777);
}

uint32_t ImportedAttributes::Owner(uint32_t on_host, uint32_t otherwise) const {
  return options_.all_root ? 0 : options_.all_attributes ? on_host : otherwise;
}

}  // namespace betr::fs
