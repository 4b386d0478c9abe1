// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <absl/strings/str_format.h>

#include "base/escape.h"

namespace betr {

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrFormat("%s: %s", Legible(context), status.message()));
  status.ForEachPayload(
      [&annotated](absl::string_view url, const absl::Cord& payload) { annotated.SetPayload(url, payload); });
  return annotated;
}

}  // namespace betr
