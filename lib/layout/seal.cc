// SPDX-License-Identifier: Apache-2.0
#include "layout/seal.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/escape.h"

namespace betr::layout {
namespace {

constexpr size_t kMagicSize = 8;
constexpr size_t kGenerationAt = 32;

}  // namespace

void Seal(std::string* bytes) {
  Check(bytes->size() >= kSealSize, "a structure has room for its seal");
  StoreFixed(bytes->data() + kMagicSize, Checksum(std::string_view(*bytes).substr(kSealSize)));
}

uint64_t SealOf(std::string_view bytes) {
  Check(bytes.size() >= kSealSize, "a structure has room for its seal");
  return LoadFixed<uint64_t>(bytes.data() + kMagicSize);
}

std::optional<Generation> FindGeneration(std::string bytes, uint64_t checksum, Generation first, Generation last,
                                         uint64_t* tries) {
  Check(bytes.size() >= kFixedSize, "a structure has a fixed part");
  for (uint64_t value = last.value; value >= first.value && value > 0 && *tries > 0; --value, --*tries) {
    StoreFixed(bytes.data() + kGenerationAt, value);
    if (Checksum(std::string_view(bytes).substr(kSealSize)) == checksum) return Generation{value};
  }
  return std::nullopt;
}

absl::Status CheckSeal(std::string_view what, std::string_view magic, std::string_view bytes) {
  if (bytes.size() < kFixedSize) {
    return absl::DataLossError(fmt::format("{}: {} bytes, must be at least {}", what, bytes.size(), kFixedSize));
  }
  if (!bytes.starts_with(magic)) {
    return absl::DataLossError(
        fmt::format("{}: magic is \"{}\", must be \"{}\"", what, Escape(bytes.substr(0, kMagicSize)), magic));
  }
  const uint64_t found = Checksum(bytes.substr(kSealSize));
  if (found != SealOf(bytes)) {
    return absl::DataLossError(
        fmt::format("{}: checksum is {:016x}, the contents have {:016x}", what, SealOf(bytes), found));
  }
  return absl::OkStatus();
}

}  // namespace betr::layout
