// SPDX-License-Identifier: Apache-2.0
// Which codecs there are, and what they are called: the half of base/compression.h that compresses nothing.
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include "base/compression.h"
#include "base/escape.h"
#include "base/status.h"

namespace betr {
namespace {

struct Kind {
  Compression kind;
  std::string_view name;
  int min_level;
  int usual_level;
  int max_level;

  bool Has(int level) const { return min_level <= level && level <= max_level; }
};

constexpr Kind kKinds[] = {
    {Compression::kNone, "none", 0, 0, 0},
    {Compression::kLz4, "lz4", 1, 1, 12},
    {Compression::kZstd, "zstd", 1, 3, 22},
};

const Kind* FindKind(Compression kind) {
  for (const Kind& known : kKinds) {
    if (known.kind == kind) return &known;
  }
  return nullptr;
}

absl::StatusOr<int> ParseLevel(const Kind& kind, std::string_view text) {
  int level = 0;
  const bool is_digits = text.find_first_not_of("0123456789") == std::string_view::npos;  // SimpleAtoi skips blanks
  if (!is_digits || !absl::SimpleAtoi({text.data(), text.size()}, &level) || !kind.Has(level)) {
    const std::string levels =
        kind.max_level == 0 ? "has no levels" : absl::StrFormat("takes %d to %d", kind.min_level, kind.max_level);
    return absl::InvalidArgumentError(
        absl::StrFormat("compression level '%s': %s %s", Legible(text), kind.name, levels));
  }
  return level;
}

}  // namespace

Codec DefaultCodec(Compression kind) {
  const Kind* const known = FindKind(kind);
  return {kind, known == nullptr ? 0 : known->usual_level};
}

bool IsCodec(const Codec& codec) {
  const Kind* const known = FindKind(codec.kind);
  return known != nullptr && known->Has(codec.level);
}

absl::StatusOr<Codec> ParseCodec(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Kind& known : kKinds) {
    if (known.name != name) continue;
    if (colon == std::string_view::npos) return Codec{known.kind, known.usual_level};
    BETR_ASSIGN_OR_RETURN(const int level, ParseLevel(known, text.substr(colon + 1)));
    return Codec{known.kind, level};
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("compression '%s' is not known: none, lz4[:LEVEL] or zstd[:LEVEL] expected", Legible(text)));
}

std::string FormatCodec(const Codec& codec) {
  const std::string name(CompressionName(codec.kind));
  return codec == DefaultCodec(codec.kind) ? name : absl::StrFormat("%s:%d", name, codec.level);
}

std::string_view CompressionName(Compression kind) {
  const Kind* const known = FindKind(kind);
  return known == nullptr ? "unknown" : known->name;
}

absl::StatusOr<Compression> CompressionFromByte(uint8_t byte) {
  const auto kind = static_cast<Compression>(byte);
  if (FindKind(kind) != nullptr) return kind;
  return absl::UnimplementedError(absl::StrFormat("compression %u is not known to this build", unsigned{byte}));
}

}  // namespace betr
