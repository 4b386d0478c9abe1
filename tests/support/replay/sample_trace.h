// SPDX-License-Identifier: Apache-2.0
// A short trace with many kinds of calls, to be damaged.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace betr::replay {

// Returns a trace below /w that begins with nothing there. There is nothing wrong with it.
std::vector<std::string> SampleTrace();

// Returns it damaged: bytes are changed, removed and inserted; sometimes lines are cut or exchanged.
std::vector<std::string> DamagedTrace(Random& random);

}  // namespace betr::replay
