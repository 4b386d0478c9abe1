// SPDX-License-Identifier: Apache-2.0
// Translates the experiments in the options of an open store into settings of the DAG and of the store.
#pragma once

#include "betr/options.h"
#include "dag/change/policy.h"

namespace betr::store {

dag::Policy PolicyOf(const Experiments& experiments);

// The options, changed as the experiments ask.
StoreOptions WithExperiments(StoreOptions options);

}  // namespace betr::store
