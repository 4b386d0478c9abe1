// SPDX-License-Identifier: Apache-2.0
// What the experiments of an open mean to the DAG and to the store.
#pragma once

#include "betr/options.h"
#include "dag/policy.h"

namespace betr::store {

dag::Policy PolicyOf(const Experiments& experiments);

// The options with what experiments make of others.
StoreOptions WithExperiments(StoreOptions options);

}  // namespace betr::store
