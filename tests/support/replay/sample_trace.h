// SPDX-License-Identifier: Apache-2.0
// A short trace with many kinds of calls, to be damaged.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace betr::replay {

// Below /w, from nothing on; there is nothing wrong with it.
std::vector<std::string> SampleTrace();

// Changes, removes and inserts bytes; sometimes cuts or exchanges lines.
std::vector<std::string> DamagedTrace(Random& random);

}  // namespace betr::replay
