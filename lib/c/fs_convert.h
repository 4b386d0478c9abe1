// SPDX-License-Identifier: Apache-2.0
// What files are, in C and in C++.
#pragma once

#include <absl/status/statusor.h>

#include "betr/c_filesystem.h"
#include "betr/filesystem.h"

namespace betr::c {

betr_attributes Describe(const FileAttributes& attributes);

// kInvalidArgument: a struct_size that is none, fields that this version does not know, a mode that is no file's. Null:
// the default.
absl::StatusOr<NewFile> NewFileOf(const betr_new_file* given);
absl::StatusOr<RootOptions> RootOptionsOf(const betr_root_options* given);
// What `which` says; kInvalidArgument also if it says what is not known.
absl::StatusOr<AttributeChange> ChangeOf(const betr_attributes* given, unsigned which);

}  // namespace betr::c
