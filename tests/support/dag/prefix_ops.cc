// SPDX-License-Identifier: Apache-2.0
#include "support/dag/prefix_ops.h"

#include "base/status.h"
#include "dag/change/clone.h"

namespace betr::test {

absl::Status ClonePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                         std::string_view to) {
  BETR_ASSIGN_OR_RETURN(const dag::Place place, dag::FindPlace(edit, from_root, from));
  return dag::InsertGotos(edit, to_root, {dag::CloneOf(edit, place, to)});
}

absl::Status RenamePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                          std::string_view to) {
  BETR_ASSIGN_OR_RETURN(const dag::Place place, dag::FindPlace(edit, from_root, from));
  const dag::Goto erase = dag::EraseOf(Range::Prefix(from));
  if (&from_root == &to_root) return dag::InsertGotos(edit, to_root, {erase, dag::CloneOf(edit, place, to)});
  BETR_RETURN_IF_ERROR(dag::InsertGotos(edit, from_root, {erase}));
  return dag::InsertGotos(edit, to_root, {dag::CloneOf(edit, place, to)});
}

}  // namespace betr::test
