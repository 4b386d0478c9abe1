// SPDX-License-Identifier: Apache-2.0
#include "betr/upsert.h"

#include <absl/strings/str_cat.h>

namespace betr {

absl::Status UpsertRegistry::Add(std::shared_ptr<const UpsertFunction> function) {
  if (function == nullptr) return absl::InvalidArgumentError("upsert function: null");
  const uint16_t number = function->Number();
  if (number == 0) return absl::InvalidArgumentError("upsert function: number 0 is reserved");
  if (function->Name().empty() || function->Name().size() > kMaxFunctionNameSize.value) {
    return absl::InvalidArgumentError(
        absl::StrCat("upsert function ", number, ": name must have 1 to ", kMaxFunctionNameSize.value, " bytes"));
  }
  for (const auto& [other, known] : functions_) {
    if (other != number && known->Name() == function->Name()) {
      return absl::AlreadyExistsError(absl::StrCat("upsert function ", number, ": its name is that of ", other));
    }
  }
  if (!functions_.emplace(number, std::move(function)).second) {
    return absl::AlreadyExistsError(absl::StrCat("upsert function ", number, ": number is taken"));
  }
  return absl::OkStatus();
}

const UpsertFunction* UpsertRegistry::Find(uint16_t number) const {
  const auto found = functions_.find(number);
  return found == functions_.end() ? nullptr : found->second.get();
}

}  // namespace betr
