// SPDX-License-Identifier: Apache-2.0
// Converts the options of C to those of C++.
#pragma once

#include <absl/status/statusor.h>

#include "betr/c.h"
#include "betr/options.h"
#include "betr/store.h"

namespace betr::c {

// Null: the defaults. Errors: kInvalidArgument for a struct_size that is none, and for fields or flags that this
// version does not know.
absl::StatusOr<FormatOptions> FormatOptionsOf(const betr_format_options* given);
// Errors, besides those of FormatOptionsOf: those of the upsert functions.
absl::StatusOr<StoreOptions> StoreOptionsOf(const betr_open_options* given);

// Errors as of FormatOptionsOf.
absl::StatusOr<Store::Existing> ExistingOf(int existing);
absl::StatusOr<TrimOptions> TrimOptionsOf(const betr_trim_options* given);

absl::StatusOr<TuneOptions> TuneOptionsOf(const betr_tune_options* given);

// The inverse of FormatOptionsOf. The result points to the strings of `options`.
betr_format_options DescribeFormat(const FormatOptions& options);

}  // namespace betr::c
