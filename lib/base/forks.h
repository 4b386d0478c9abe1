// SPDX-License-Identifier: Apache-2.0
// Tells whether this process is a child of the one that made something. For what a fork does not copy, such as threads
// and the right to write to a device.
#pragma once

#include <cstdint>

namespace betr {

// How many forks lie between this process and the one that called it first. A child has one more than its parent.
// Cheap; any thread.
uint64_t Forks();

}  // namespace betr
