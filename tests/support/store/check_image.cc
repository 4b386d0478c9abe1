// SPDX-License-Identifier: Apache-2.0
#include "support/store/check_image.h"

#include <memory>

#include "base/status.h"
#include "store/offline/inspect.h"

namespace betr::test {

absl::StatusOr<std::vector<store::Finding>> CheckImage(BlockDevice& device, Bytes cache_size) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<store::Inspection> image, store::Inspection::Open(device, cache_size));
  std::vector<store::Finding> findings;
  CheckStore(*image, store::CheckDepth::kFull, [&](const store::Finding& finding) { findings.push_back(finding); });
  return findings;
}

}  // namespace betr::test
