// SPDX-License-Identifier: Apache-2.0
// Upsert functions for tests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "betr/upsert.h"

namespace betr::test {

// Appends the delta to the value.
class AppendFunction final : public UpsertFunction {
 public:
  static constexpr uint16_t kNumber = 7;
  // With `composes`, two appends become one.
  explicit AppendFunction(bool composes = false) : composes_(composes) {}
  uint16_t Number() const override { return kNumber; }
  std::string_view Name() const override { return "test.append"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override {
    std::string value(old.value_or(""));
    value += delta;
    return value;
  }
  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override {
    if (!composes_) return std::nullopt;
    return std::string(older) + std::string(newer);
  }

 private:
  bool composes_;
};

}  // namespace betr::test
