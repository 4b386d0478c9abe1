// SPDX-License-Identifier: Apache-2.0
// Access control lists of an archive's entry. libarchive keeps them apart from the extended attributes. It keeps the
// parts of the owner, the group and the others in the permission bits, which then are not what a file with a mask
// shows.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "betr/file_attributes.h"
#include "fs/tar_archive.h"

namespace betr::fs {

// Returns the permission bits of the file: those of the group class are the mask, if there is one.
uint32_t PermissionsOf(archive_entry* entry);

// Puts the lists into `xattrs`, where they may be already, and into `permissions` what the access list says. Names of
// users and groups without a number are looked up in this system: kInvalidArgument for one that it does not have.
absl::Status ReadAcls(archive_entry* entry, FileType type, std::map<std::string, std::string>* xattrs,
                      uint32_t* permissions);

// Gives the entry the extended attribute `name`. A list is added the way archives keep lists. What is no list is added
// as an extended attribute. So, in addition, is a list with ids so large that libarchive misreads them.
absl::Status AddXattr(archive_entry* entry, const std::string& name, std::string_view value);

}  // namespace betr::fs
