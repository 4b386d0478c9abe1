// SPDX-License-Identifier: Apache-2.0
// Damages encoded structures byte by byte.
#pragma once

#include <functional>
#include <string>

#include "base/random.h"

namespace betr::layout {

// Changes each of the bytes [from, to) in turn, and calls `check` with the result.
void ForEachDamage(Random& random, const std::string& bytes, size_t from, size_t to,
                   const std::function<void(const std::string&)>& check);

}  // namespace betr::layout
