// SPDX-License-Identifier: Apache-2.0
#include "base/percent_text.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include "base/escape.h"

namespace betr {
namespace {

constexpr uint32_t kWhole = 10'000;
constexpr size_t kDecimals = 2;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

absl::StatusOr<BasisPoints> ParsePercent(std::string_view text) {
  const auto fault = [text](std::string_view what) {
    return absl::InvalidArgumentError(fmt::format("\"{}\": {}", Escape(text), what));
  };
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  if (number.ends_with(' ')) number.remove_suffix(1);
  const size_t point = number.find('.');
  std::string decimals(point == std::string_view::npos ? "0" : number.substr(point + 1));
  const std::string whole(number.substr(0, point));
  if (!IsNumber(whole) || !IsNumber(decimals) || decimals.size() > kDecimals) {
    return fault("is no percentage, like 5 or 0.25%");
  }
  decimals.resize(kDecimals, '0');
  uint32_t value = 0;
  if (!absl::SimpleAtoi(whole + decimals, &value) || value > kWhole) return fault("is more than 100 %");
  return BasisPoints{value};
}

std::string FormatPercent(BasisPoints share) {
  std::string text = fmt::format("{}.{:02}", share.value / 100, share.value % 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " %";
}

}  // namespace betr
