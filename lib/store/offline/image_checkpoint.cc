// SPDX-License-Identifier: Apache-2.0
#include "store/offline/image_checkpoint.h"

#include <utility>

#include "base/status.h"
#include "store/checkpoint.h"

namespace betr::store {

absl::Status ConfirmCheckpoint(Inspection& image) {
  return Checkpointer(image.core(), image.state(), image.catalog()).Confirm();
}

absl::Status WriteCheckpoint(Inspection& image, StatePtr state, layout::StoredCatalog catalog) {
  Checkpointer checkpointer(image.core(), image.state(), std::move(catalog));
  BETR_RETURN_IF_ERROR(checkpointer.Confirm());
  const Log::Checkpoint log = image.log_start();
  BETR_RETURN_IF_ERROR(
      checkpointer.Write({.state = std::move(state), .lsn = log.lsn, .log = log.position, .order = 1}).status());
  return checkpointer.WriteTwin(0);
}

}  // namespace betr::store
