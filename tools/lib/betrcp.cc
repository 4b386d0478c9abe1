// SPDX-License-Identifier: Apache-2.0
#include "betrcp.h"

#include "betrcp_copy.h"
#include "betrcp_diff.h"
#include "betrcp_du.h"
#include "betrcp_inside.h"
#include "betrcp_list.h"
#include "betrcp_mounted.h"
#include "betrcp_options.h"

namespace betr::tools {
namespace {

int RunCommand(Tool& tool, const BetrcpOptions& options, CopyCommand command) {
  switch (command) {
    case CopyCommand::kCopy:
      return CopyFiles(tool, options);
    case CopyCommand::kTar:
      return CopyTar(tool, options);
    case CopyCommand::kClone:
      return NamesNoImage(tool, options) ? CloneOnMount(tool, options) : CloneInside(tool, options);
    case CopyCommand::kRename:
      return RenameInside(tool, options);
    case CopyCommand::kRemove:
      return NamesNoImage(tool, options) ? RemoveOnMount(tool, options) : RemoveInside(tool, options);
    case CopyCommand::kMkdir:
      return MakeDirectories(tool, options);
    case CopyCommand::kList:
      return ListInside(tool, options);
    case CopyCommand::kCat:
      return CatInside(tool, options);
    case CopyCommand::kDiff:
      return NamesNoImage(tool, options) ? DiffOnMount(tool, options) : DiffInside(tool, options);
    case CopyCommand::kDu:
      return NamesNoImage(tool, options) ? DuOnMount(tool, options) : DuInside(tool, options);
  }
  return kExitUsage;
}

}  // namespace

int BetrcpMain(Arguments args, ToolIo& io) {
  Tool tool(BetrcpDescription(), io);
  BetrcpOptions options;
  AddBetrcpOptions(&tool, &options);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  const absl::StatusOr<CopyCommand> command = CommandOf(options);
  if (!command.ok()) return tool.UsageError(MessageOf(command.status()));
  if (options.stale_ok && ChangesImage(options, *command)) {
    return tool.UsageError("--stale-ok: for what only reads an image");
  }
  if (tool.json() && !HasDocument(*command)) {
    return tool.UsageError("--json: for copies, --tar, --clone, --list, --diff and --du");
  }
  return tool.Finish(RunCommand(tool, options, *command));
}

}  // namespace betr::tools
