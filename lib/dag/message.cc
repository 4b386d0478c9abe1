// SPDX-License-Identifier: Apache-2.0
#include "dag/message.h"

#include <fmt/format.h>

#include <ranges>

#include "base/check.h"
#include "base/escape.h"

namespace betr::dag {

std::optional<std::string> Apply(const UpsertFunction& function, std::optional<std::string_view> old,
                                 std::string_view delta) {
  std::optional<std::string> value = function.Apply(old, delta);
  return value && value->size() > kMaxValueSize.value ? std::optional<std::string>(old) : value;
}

std::optional<std::string> Compose(const UpsertFunction& function, std::string_view older, std::string_view newer) {
  std::optional<std::string> both = function.Compose(older, newer);
  return both && both->size() > kMaxValueSize.value ? std::nullopt : both;
}

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

absl::StatusOr<std::optional<std::string>> ValueBuilder::Resolve(const UpsertRegistry& functions,
                                                                 std::string_view key) const {
  absl::StatusOr<std::optional<std::string>> value(base_);
  for (const Upsert& upsert : std::ranges::reverse_view(upserts_)) {
    const UpsertFunction* function = functions.Find(upsert.function);
    if (function == nullptr) {
      value = absl::FailedPreconditionError(
          fmt::format("key \"{}\": its value depends on upsert function {}, which this program does not know",
                      Escape(key), upsert.function));
      return value;
    }
    *value = Apply(*function, *value, upsert.delta);
  }
  return value;
}

}  // namespace betr::dag
