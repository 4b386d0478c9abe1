// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz.h"

#include <algorithm>

#include "layout/extent.h"

namespace betr::layout {

uint64_t FuzzInput::Number(size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes && !rest_.empty(); ++i) {
    number = number << 8 | static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
  }
  return number;
}

std::string PaddedToUnits(std::string_view bytes) {
  std::string padded(bytes);
  padded.resize(UnitBytes(std::max<uint64_t>(UnitsFor({bytes.size()}), 1)).value, '\0');
  return padded;
}

void ApplyChanges(FuzzInput& input, std::string* bytes) {
  const size_t size = bytes->size();
  const size_t used = std::min(size, bytes->find_last_not_of('\0') + 9);
  while (!input.Empty()) {
    const uint64_t kind = input.Number(1);
    const size_t at = input.Number(2) % used;
    if (kind % 4 == 0) {
      bytes->insert(at, 1, static_cast<char>(input.Number(1)));
    } else if (kind % 4 == 1) {
      bytes->erase(at, 1);
    } else {
      (*bytes)[at] = static_cast<char>(input.Number(1));
    }
    bytes->resize(size, '\0');
  }
}

}  // namespace betr::layout
