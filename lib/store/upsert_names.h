// SPDX-License-Identifier: Apache-2.0
// Tells which upsert functions batches name. A store applies only those that it knows, and its catalog lists those in
// use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "betr/upsert.h"
#include "betr/write_batch.h"

namespace betr::store {

// Number -> name. The name is empty for a function of a log record that this program does not know.
using FunctionNames = std::map<uint16_t, std::string>;

// The first function of an upsert among `ops` that is not known. Nothing if all are.
std::optional<uint16_t> UnknownFunction(std::span<const Op> ops, const UpsertRegistry& functions);

// Those that are not known.
FunctionNames UnknownAmong(const FunctionNames& names, const UpsertRegistry& functions);

// Adds the functions of the upserts among `ops`.
void NoteFunctions(std::span<const Op> ops, const UpsertRegistry& functions, FunctionNames& names);

}  // namespace betr::store
