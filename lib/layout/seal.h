// SPDX-License-Identifier: Apache-2.0
// How node headers, table pages and catalogs begin: 8 bytes of magic, then the checksum of all that follows it,
// then a format version of two bytes.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace betr::layout {

inline constexpr size_t kSealSize = 16;   // magic and checksum
inline constexpr size_t kFixedSize = 64;  // the part of a structure that has fixed offsets, seal included

// Puts the checksum into its place. Requires: bytes.size() >= kSealSize, and the magic is there.
void Seal(std::string* bytes);

// The checksum in the seal. Requires: bytes.size() >= kSealSize.
uint64_t SealOf(std::string_view bytes);

// The generation, of those from `first` to `last`, with which the bytes of a table page or a catalog have that
// checksum: it proves all of them. The latest are tried first; `tries` says how many may be, and is lowered by those
// that were.
// Requires: bytes.size() >= kFixedSize.
std::optional<Generation> FindGeneration(std::string bytes, uint64_t checksum, Generation first, Generation last,
                                         uint64_t* tries);

// Errors: kDataLoss, for `what`, when the bytes are too few for the fixed part, the magic is another one, or the
// checksum is not that of the bytes.
absl::Status CheckSeal(std::string_view what, std::string_view magic, std::string_view bytes);

}  // namespace betr::layout
