// SPDX-License-Identifier: Apache-2.0
// Access control lists of an archive's entry. libarchive keeps them apart from the extended attributes. It keeps the
// parts of the owner, the group and the others in the permission bits, which then are not what a file with a mask
// shows.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "betr/file_attributes.h"
#include "fs/tar/tar_archive.h"

namespace betr::fs {

// Returns the permission bits of the file: those of the group class are the mask, if there is one.
uint32_t PermissionsOf(archive_entry* entry);

// Returns what is left of permission bits without the access list `value`: nobody has more than with it. What
// is no list leaves the owner's.
uint32_t PermissionsWithout(std::string_view value, uint32_t permissions);

// Puts the lists into `xattrs`, where they may be already, and into `permissions` what the access list says. Names of
// users and groups without a number are looked up in this system.
//
// `tell` gets the error if a list names somebody that this system does not have, or is no list. If it returns ok, the
// list is left out, and `permissions` are narrowed so that nobody has more than with it. Other errors are returned.
absl::Status ReadAcls(archive_entry* entry, FileType type, std::map<std::string, std::string>* xattrs,
                      uint32_t* permissions, absl::FunctionRef<absl::Status(const absl::Status&)> tell);

// Gives the entry the extended attribute `name`. A list is added the way archives keep lists. What is no list is added
// as an extended attribute. So, in addition, is a list with ids so large that libarchive misreads them.
absl::Status AddXattr(archive_entry* entry, const std::string& name, std::string_view value);

}  // namespace betr::fs
