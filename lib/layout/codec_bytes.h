// SPDX-License-Identifier: Apache-2.0
// Small pieces that several structures have in common: how a codec, a padded text, and a bound are stored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/compression.h"
#include "base/decoder.h"
#include "dag/bound.h"

namespace betr::layout {

// A codec is two bytes: kind, level. Reading makes the decoder fail if they are no codec (IsCodec).
void PutCodec(std::string* out, const Codec& codec);
Codec ReadCodec(Decoder& in);

// Text without zero bytes in a field of fixed size, padded with zeros.
bool IsPaddedText(std::string_view text, size_t field_size);
void PutPadded(std::string* out, std::string_view text, size_t field_size);
std::string ReadPadded(Decoder& in, size_t field_size);

// A bound is varint 2 * size + (1 if past), then the bytes.
void PutBound(std::string* out, const Bound& bound);
Bound ReadBound(Decoder& in, uint64_t max_size);

}  // namespace betr::layout
