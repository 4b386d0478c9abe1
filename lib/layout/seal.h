// SPDX-License-Identifier: Apache-2.0
// Node headers, table pages and catalogs all begin with the same seal: 8 bytes of magic, then the checksum of all that
// follows it. Behind it comes a format version of two bytes.
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

// Finds the generation, of those from `first` to `last`, with which the bytes of a table page or a catalog have that
// checksum. This proves all of the bytes. The latest are tried first, at most `tries`, which is lowered by the number
// tried. Requires: bytes.size() >= kFixedSize.
std::optional<Generation> FindGeneration(std::string bytes, uint64_t checksum, Generation first, Generation last,
                                         uint64_t* tries);

// Checks the seal of `what`. Errors: kDataLoss if the bytes are too few for the fixed part, if the magic is another
// one, or if the checksum is not that of the bytes.
absl::Status CheckSeal(std::string_view what, std::string_view magic, std::string_view bytes);

}  // namespace betr::layout
