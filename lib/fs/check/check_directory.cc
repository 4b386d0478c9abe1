// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_directory.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {

size_t WhereToCut(const std::vector<CheckedDirectory>& stack, size_t first, size_t size) {
  const size_t last = stack.size() - 1;
  if (size > kMaxReach + kMaxReach / 2) return last;
  while (first < last && stack[first].path_size < kMaxReach / 2) ++first;
  return first;
}

absl::StatusOr<FoundGroup> FindGroup(CheckContext* context, const std::vector<CheckedDirectory>& stack, uint64_t id) {
  FoundGroup found;
  for (auto directory = stack.rbegin(); directory != stack.rend(); ++directory) {
    if (!directory->exists || !directory->record.link_home) {
      if (directory->made_anew) found.way = std::max(found.way, NameWay::kMadeAnew);
      continue;
    }
    BETR_ASSIGN_OR_RETURN(std::optional<InodeRecord> record, context->GetInode(key::Group(directory->content, id)));
    if (record) return FoundGroup{&*directory, std::move(record), found.way};
    if (found.home == nullptr) found.home = &*directory;
    found.way = NameWay::kOtherHome;
  }
  return found;
}

absl::StatusOr<bool> HasGroups(CheckContext* context, const std::string& content) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        context->store().NewCursor(context->meta(), Range::Prefix(key::Groups(content))));
  cursor->SeekToFirst();
  BETR_RETURN_IF_ERROR(cursor->status());
  return cursor->Valid();
}

}  // namespace betr::fs
