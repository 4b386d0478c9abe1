// SPDX-License-Identifier: Apache-2.0
// A second upsert function, for tests in which there are several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "betr/upsert.h"

namespace betr::test {

// Puts the delta before the value. Two of them become one.
class PrependFunction final : public UpsertFunction {
 public:
  static constexpr uint16_t kNumber = 8;
  uint16_t Number() const override { return kNumber; }
  std::string_view Name() const override { return "test.prepend"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override {
    return std::string(delta) + std::string(old.value_or(""));
  }
  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override {
    return std::string(newer) + std::string(older);
  }
};

}  // namespace betr::test
