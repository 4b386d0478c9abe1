// SPDX-License-Identifier: Apache-2.0
// Byte counts as people write and read them. All units are powers of 1024. Pure.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/units.h"

namespace betr {

// "4096", "4K", "4KiB", "1.5G", "10T", "0.5 MiB": digits, perhaps a fraction, perhaps a space, perhaps a unit of
// B, K, M, G, T, P, E (either case, alone or as KiB, ...). A fraction of a byte is dropped. kInvalidArgument for
// anything else ("KB" too: some mean 1000 by it) and for 2^64 and more.
absl::StatusOr<Bytes> ParseSize(std::string_view text);

// In the largest unit that gives at least 1: "0 B", "4 KiB", "1.5 GiB"; at most two decimals, rounded.
std::string FormatSize(Bytes size);

}  // namespace betr
