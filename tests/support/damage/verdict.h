// SPDX-License-Identifier: Apache-2.0
// What a damaged image gives its readers: right data, or errors that name a structure and a place.
#pragma once

#include <string>

#include "support/damage/subject.h"

namespace betr::test {

struct Verdict {
  enum class Kind : uint8_t {
    kRight,    // everything was read, and is right
    kErrors,   // some of it could not be read; the rest is right
    kRefused,  // the image was not opened
    kWrong,    // must never happen
  };
  Kind kind = Kind::kRight;
  std::string why{};  // of kWrong; else the first error
};

// Opens a damaged image of the subject and reads all of it, by cursors and one by one. `oldest` is the index of the
// oldest state that is right.
Verdict ReadDamaged(const Subject& subject, const PageMap& damaged, size_t oldest);

// Opens it, changes something, writes a checkpoint, and reads again. Changes and checkpoints may fail, but must not
// change anything else.
Verdict WriteDamaged(const Subject& subject, const PageMap& damaged, size_t oldest);

// Returns "" if damage may cause this error and it says what is damaged and where. Otherwise returns what is wrong with
// it.
std::string WhatIsWrongWith(const absl::Status& status);

}  // namespace betr::test
