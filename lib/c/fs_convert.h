// SPDX-License-Identifier: Apache-2.0
// Converts what files are between C and C++.
#pragma once

#include <absl/status/statusor.h>

#include "betr/c_filesystem.h"
#include "betr/filesystem.h"

namespace betr::c {

betr_attributes Describe(const FileAttributes& attributes);

// Null: the default. Errors: kInvalidArgument for a struct_size that is none, for fields that this version does not
// know, and for a mode that is no file's.
absl::StatusOr<NewFile> NewFileOf(const betr_new_file* given);
absl::StatusOr<RootOptions> RootOptionsOf(const betr_root_options* given);
// The attributes that `which` names. Errors: kInvalidArgument also if `which` has what is not known.
absl::StatusOr<AttributeChange> ChangeOf(const betr_attributes* given, unsigned which);

}  // namespace betr::c
