// SPDX-License-Identifier: Apache-2.0
#include "layout/codec_bytes.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"

namespace betr::layout {

void PutCodec(std::string* out, const Codec& codec) {
  PutFixed8(out, static_cast<uint8_t>(codec.kind));
  PutFixed8(out, static_cast<uint8_t>(codec.level));
}

Codec ReadCodec(Decoder& in) {
  const uint8_t kind = in.Fixed8();
  const uint8_t level = in.Fixed8();
  const Codec codec{static_cast<Compression>(kind), level};
  if (!IsCodec(codec)) {
    in.Fail("a compression is unknown or has an impossible level");
    return {};
  }
  return codec;
}

bool IsPaddedText(std::string_view text, size_t field_size) {
  return text.size() <= field_size && text.find('\0') == std::string_view::npos;
}

void PutPadded(std::string* out, std::string_view text, size_t field_size) {
  Check(IsPaddedText(text, field_size), "a padded text fits into its field");
  out->append(text);
  out->append(field_size - text.size(), '\0');
}

std::string ReadPadded(Decoder& in, size_t field_size) {
  const std::string_view field = in.Raw(field_size);
  const std::string_view text = field.substr(0, std::min(field.find('\0'), field.size()));
  if (field.find_first_not_of('\0', text.size()) != std::string_view::npos) in.Fail("a text goes on after its end");
  return std::string(text);
}

void PutBound(std::string* out, const Bound& bound) {
  PutVarint64(out, 2 * bound.bytes.size() + (bound.past ? 1 : 0));
  out->append(bound.bytes);
}

Bound ReadBound(Decoder& in, uint64_t max_size) {
  const uint64_t header = in.Varint64AtMost(2 * max_size + 1);
  return {std::string(in.Raw(header / 2)), header % 2 != 0};
}

}  // namespace betr::layout
