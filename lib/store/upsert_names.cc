// SPDX-License-Identifier: Apache-2.0
#include "store/upsert_names.h"

#include <absl/functional/function_ref.h>

namespace betr::store {
namespace {

// Calls visit(number) for the upserts among `ops` until it returns false. If several in a row use one function, calls
// it once for them.
void ForEachFunction(std::span<const Op> ops, absl::FunctionRef<bool(uint16_t)> visit) {
  uint16_t last = 0;
  for (const Op& op : ops) {
    if (op.kind == OpKind::kUpsert && op.function != last) {
      last = op.function;
      if (!visit(last)) return;
    }
  }
}

}  // namespace

std::optional<uint16_t> UnknownFunction(std::span<const Op> ops, const UpsertRegistry& functions) {
  std::optional<uint16_t> unknown;
  ForEachFunction(ops, [&](uint16_t number) {
    if (functions.Find(number) == nullptr) unknown = number;
    return !unknown;
  });
  return unknown;
}

FunctionNames UnknownAmong(const FunctionNames& names, const UpsertRegistry& functions) {
  FunctionNames unknown = names;
  std::erase_if(unknown, [&](const auto& name) { return functions.Find(name.first) != nullptr; });
  return unknown;
}

void NoteFunctions(std::span<const Op> ops, const UpsertRegistry& functions, FunctionNames& names) {
  ForEachFunction(ops, [&](uint16_t number) {
    if (!names.contains(number)) {
      const UpsertFunction* const known = functions.Find(number);
      names.emplace(number, known == nullptr ? "" : known->Name());
    }
    return true;
  });
}

}  // namespace betr::store
