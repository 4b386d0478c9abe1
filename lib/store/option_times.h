// SPDX-License-Identifier: Apache-2.0
// The times in the options of an open store.
#pragma once

#include "betr/options.h"

namespace betr::store {

// The options with times that can be added to any time of a clock, in nanoseconds: none is below zero, or longer than a
// hundred years.
StoreOptions WithCountableTimes(StoreOptions options);

}  // namespace betr::store
