// SPDX-License-Identifier: Apache-2.0
// The renames.
#include <linux/fs.h>

#include <cerrno>

#include "replay/interpreter.h"

namespace betr::replay {

void Interpreter::Rename(Call& call, std::string_view from_directory, std::string_view from,
                         std::string_view to_directory, std::string_view to, uint64_t flags) {
  std::optional<Subject> source = Resolve(call, from_directory, from, FollowLast::kNo);
  if (!source.has_value()) return;
  if (conjurer_ != nullptr && call.result().ok() && source->MissingError() == ENOENT) {
    conjurer_->Conjure(&space_, source->walk.place.parent, source->walk.place.name, FileType::kRegular);
    source = Resolve(call, from_directory, from, FollowLast::kNo);
  }
  std::optional<Subject> made = Resolve(call, to_directory, to, FollowLast::kNo);
  if (!made.has_value()) return;
  const bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
  if (conjurer_ != nullptr && call.result().ok() && is_exchange && made->MissingError() == ENOENT) {
    conjurer_->Conjure(&space_, made->walk.place.parent, made->walk.place.name, FileType::kRegular);
    made = Resolve(call, to_directory, to, FollowLast::kNo);
  }
  Operation rename = Start(call, OperationKind::kRename, *source);
  rename.to = made->walk.place;
  rename.flags = static_cast<uint32_t>(flags);
  int predicted = source->MissingError();
  if (predicted == 0 && (made->walk.error != 0 || (is_exchange && made->MissingError() != 0))) {
    predicted = made->MissingError();
    rename.place = made->walk.place;
  }
  if (predicted == 0 && (flags & RENAME_NOREPLACE) != 0 && rename.to.node != NodeNumber{}) predicted = EEXIST;
  if (predicted == 0 && (rename.place.parent == NodeNumber{} || rename.to.parent == NodeNumber{})) predicted = EBUSY;
  const bool is_file = predicted == 0 && space_.Get(rename.place.node).type != FileType::kDirectory;
  if (is_file && (source->walk.wants_directory || made->walk.wants_directory)) {
    // The slash decides, and an operation has none.
    return Skip("rename: a slash behind the name of a file");
  }
  if (predicted == 0) predicted = space_.CheckRename(rename.place, rename.to, is_exchange);
  if (predicted == ENOTDIR && call.result().error == ENOTDIR && source->walk.error == 0 && made->walk.error == 0) {
    ++counts_.used;
    return Emit(&rename);
  }
  if (!Agree(call, &rename, predicted)) return;
  const bool moves_directory = space_.Get(rename.place.node).type == FileType::kDirectory ||
                               (is_exchange && space_.Get(rename.to.node).type == FileType::kDirectory);
  if (moves_directory) rename.type = FileType::kDirectory;
  Bind(rename.place);
  Bind(rename.to);
  HandOn(&rename);
  const NodeNumber replaced = space_.ApplyRename(rename.place, rename.to, is_exchange);
  if (replaced != NodeNumber{}) Settle(replaced);
}

void Interpreter::RenamePlain(Call& call) { Rename(call, "", call.Argument(0), "", call.Argument(1), 0); }

void Interpreter::RenameAt(Call& call) {
  Rename(call, call.Argument(0), call.Argument(1), call.Argument(2), call.Argument(3), call.Flags(4));
}

}  // namespace betr::replay
