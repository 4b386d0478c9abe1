// SPDX-License-Identifier: Apache-2.0
// What makes a random test repeatable and a long one adjustable.
//
// Every test executable takes `--betr-seed N` (or `random`) and `--betr-scale X`; the environment variables
// BETR_TEST_SEED and BETR_TEST_SCALE say the same to all of them, the options win. Each run prints both, each
// failed test case prints the command that repeats it.
#pragma once

#include <cstdint>

namespace betr {

// Returns the seed that every random test starts from. It is the same in each run unless told otherwise.
uint64_t TestSeed();

// Returns how much work a random test does, relative to the default suite. Multiply step counts by it. Positive.
double TestScale();

}  // namespace betr
