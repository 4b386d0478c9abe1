// SPDX-License-Identifier: Apache-2.0
// Translates the experiments in the options of an open store into what they mean to the DAG and to the store.
#pragma once

#include "betr/options.h"
#include "dag/policy.h"

namespace betr::store {

dag::Policy PolicyOf(const Experiments& experiments);

// The options, changed as the experiments ask.
StoreOptions WithExperiments(StoreOptions options);

}  // namespace betr::store
