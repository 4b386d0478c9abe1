// SPDX-License-Identifier: Apache-2.0
#include "reserve_option.h"

#include <fmt/format.h>

#include <utility>

#include "base/percent_text.h"
#include "base/status.h"
#include "layout/limits.h"

namespace betr::tools {
namespace {

absl::StatusOr<BasisPoints> ParseReserve(const std::string& text) {
  if (text == "default") return BasisPoints{0};
  BETR_ASSIGN_OR_RETURN(const BasisPoints share, ParsePercent(text));
  if (share.value == 0 || share > layout::kMaxReserve) {
    return absl::InvalidArgumentError(fmt::format("{}: must be {} to {}, or default", FormatPercent(share),
                                                  FormatPercent(BasisPoints{1}), FormatPercent(layout::kMaxReserve)));
  }
  return share;
}

}  // namespace

void AddReserve(Tool* tool, std::function<void(BasisPoints)> set, const std::string& help) {
  const auto read = [set = std::move(set)](const std::string& text) -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const BasisPoints share, ParseReserve(text));
    set(share);
    return absl::OkStatus();
  };
  tool->AddParsed("--reserve", read, help)->type_name("PERCENT|default");
}

}  // namespace betr::tools
