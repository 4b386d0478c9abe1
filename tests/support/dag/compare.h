// SPDX-License-Identifier: Apache-2.0
// What a tree holds, read in every way there is, against a map. Each function says how they differ; "" if they do not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "betr/upsert.h"
#include "dag/segment.h"

namespace betr::test {

using Contents = std::map<std::string, std::string>;

// By cursor, forward and backward.
std::string Difference(const dag::Source& source, const Contents& oracle, const UpsertRegistry& functions);

// By point lookup, and by seeking a cursor to each key from either side.
std::string DifferenceOfKeys(const dag::Source& source, const Contents& oracle, const std::vector<std::string>& keys,
                             const UpsertRegistry& functions);

}  // namespace betr::test
