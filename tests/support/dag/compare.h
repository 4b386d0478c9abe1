// SPDX-License-Identifier: Apache-2.0
// Compares what a tree holds with a map, reading it in every way there is. Each function says how they differ; "" if
// they do not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "betr/upsert.h"
#include "dag/read/segment.h"

namespace betr::test {

using Contents = std::map<std::string, std::string>;

// Compares by cursor, forward and backward.
std::string Difference(const dag::Source& source, const Contents& oracle, const UpsertRegistry& functions);

// Compares by point lookup, and by seeking a cursor to each key from either side.
std::string DifferenceOfKeys(const dag::Source& source, const Contents& oracle, const std::vector<std::string>& keys,
                             const UpsertRegistry& functions);

}  // namespace betr::test
