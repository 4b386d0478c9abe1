// SPDX-License-Identifier: Apache-2.0
// Damaging encoded structures byte by byte.
#pragma once

#include <functional>
#include <string>

#include "base/random.h"

namespace betr::layout {

// Calls `check` with the bytes after each of the bytes [from, to) in turn was changed.
void ForEachDamage(Random& random, const std::string& bytes, size_t from, size_t to,
                   const std::function<void(const std::string&)>& check);

}  // namespace betr::layout
