// SPDX-License-Identifier: Apache-2.0
#include "fs/check_directory.h"

#include <utility>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {

absl::StatusOr<FoundGroup> FindGroup(CheckContext* context, const std::vector<CheckedDirectory>& stack, uint64_t id) {
  FoundGroup found;
  for (auto directory = stack.rbegin(); directory != stack.rend(); ++directory) {
    if (!directory->exists || !directory->record.link_home) continue;
    BETR_ASSIGN_OR_RETURN(std::optional<InodeRecord> record, context->GetInode(key::Group(directory->content, id)));
    if (record) return FoundGroup{&*directory, std::move(record)};
    if (found.home == nullptr) found.home = &*directory;
  }
  return found;
}

}  // namespace betr::fs
