// SPDX-License-Identifier: Apache-2.0
#include "dag/message.h"

#include <ranges>

#include "base/check.h"

namespace betr::dag {

void ValueBuilder::Add(const Message& message) {
  Check(!done_, "nothing is older than a terminal message");
  switch (message.kind) {
    case MessageKind::kPut:
      base_.emplace(message.value);
      done_ = true;
      return;
    case MessageKind::kErase:
      done_ = true;
      return;
    case MessageKind::kUpsert:
      upserts_.push_back({message.function, std::string(message.value)});
      return;
  }
}

std::optional<std::string> ValueBuilder::Resolve(const UpsertRegistry& functions) const {
  std::optional<std::string> value = base_;
  for (const Upsert& upsert : std::ranges::reverse_view(upserts_)) {
    if (const UpsertFunction* function = functions.Find(upsert.function)) {
      value = function->Apply(value, upsert.delta);
    }
  }
  return value;
}

}  // namespace betr::dag
