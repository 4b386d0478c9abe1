// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets have in common. Random bytes never get past a checksum, and hardly past a magic number. So
// an input means either the bytes of a structure, or the seed of a sound structure and a list of changes to it;
// either way the target makes the checksum good before it decodes. A target aborts if a decoder accepts what its
// encoder would not have written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"

namespace betr::layout {

// Reads an input from its front. At the end it gives zeros.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  uint64_t Number(size_t bytes);
  bool Empty() const { return rest_.empty(); }
  std::string_view Rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// A structure to damage: what `make` makes of a seed from the input, or the input itself, padded to whole units.
// Then the changes: each overwrites, inserts or removes a byte somewhere; the size stays.
template <class Make>
std::string FuzzedBytes(FuzzInput& input, const Make& make);

// The same for structures of any size: not padded.
template <class Make>
std::string FuzzedText(FuzzInput& input, const Make& make);

void ApplyChanges(FuzzInput& input, std::string* bytes);
std::string PaddedToUnits(std::string_view bytes);

template <class Make>
std::string FuzzedBytes(FuzzInput& input, const Make& make) {
  if (input.Number(1) == 0) return PaddedToUnits(input.Rest());
  Random random(input.Number(4));
  std::string bytes = make(random);
  ApplyChanges(input, &bytes);
  return bytes;
}

template <class Make>
std::string FuzzedText(FuzzInput& input, const Make& make) {
  if (input.Number(1) == 0) return std::string(input.Rest());
  Random random(input.Number(4));
  const bool is_cut = random.OneIn(8);
  std::string text = make(random);
  const size_t size = text.size();
  text.resize(size + 1);  // changes want a byte
  ApplyChanges(input, &text);
  text.resize(is_cut ? size / 2 : size);
  return text;
}

}  // namespace betr::layout
