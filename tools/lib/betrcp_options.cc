// SPDX-License-Identifier: Apache-2.0
#include "betrcp_options.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/status.h"
#include "location.h"

namespace betr::tools {
namespace {

struct CommandForm {
  CopyCommand command;
  bool BetrcpOptions::*flag;
  std::string_view name;
  size_t min_operands;
  size_t max_operands;
  std::string_view operands;  // for the message
};

constexpr size_t kAny = std::numeric_limits<size_t>::max();

constexpr std::array<CommandForm, 9> kCommands{{
    {CopyCommand::kTar, &BetrcpOptions::tar, "--tar", 2, 2, "an archive and a place in the image"},
    {CopyCommand::kClone, &BetrcpOptions::clone, "--clone", 2, 2, "A and B"},
    {CopyCommand::kRename, &BetrcpOptions::rename, "--rename", 2, 2, "A and B"},
    {CopyCommand::kRemove, &BetrcpOptions::remove, "--remove", 1, kAny, "A"},
    {CopyCommand::kMkdir, &BetrcpOptions::mkdir, "--mkdir", 1, kAny, "A"},
    {CopyCommand::kList, &BetrcpOptions::list, "--list", 0, kAny, "A"},
    {CopyCommand::kCat, &BetrcpOptions::cat, "--cat", 1, kAny, "A"},
    {CopyCommand::kDiff, &BetrcpOptions::diff, "--diff", 2, 2, "A and B"},
    {CopyCommand::kDu, &BetrcpOptions::du, "--du", 1, kAny, "A"},
}};

constexpr CommandForm kCopyForm{CopyCommand::kCopy, nullptr, "copy", 2, kAny, "SRC and DST"};

using Commands = uint16_t;

constexpr Commands Bit(CopyCommand command) { return static_cast<Commands>(1U << static_cast<unsigned>(command)); }

constexpr Commands kCopies = Bit(CopyCommand::kCopy);
constexpr Commands kExcludes = kCopies | Bit(CopyCommand::kTar);
constexpr Commands kMakesName = kCopies | Bit(CopyCommand::kClone) | Bit(CopyCommand::kRename);
constexpr Commands kLists = Bit(CopyCommand::kList);
constexpr Commands kTellsMore = kLists | Bit(CopyCommand::kDiff) | Bit(CopyCommand::kDu);
constexpr Commands kMakesDirectories = Bit(CopyCommand::kMkdir);

// The commands that an option is for. With any other command it is refused: somebody expects of it what it does not do,
// such as what -p does in cp.
struct OptionForm {
  bool BetrcpOptions::*flag;
  Commands commands;
  std::string_view message;
};

constexpr std::array<OptionForm, 11> kOptions{{
    {&BetrcpOptions::recursive, kCopies, "-r: only for copies"},
    {&BetrcpOptions::archive, kCopies, "-a: only for copies"},
    {&BetrcpOptions::update, kCopies, "-u: only for copies"},
    {&BetrcpOptions::remove_others, kCopies, "--delete: only for copies; --remove removes A"},
    {&BetrcpOptions::one_file_system, kCopies, "-x: only for copies"},
    {&BetrcpOptions::dry_run, kCopies, "-n: only for copies"},
    {&BetrcpOptions::layer, Bit(CopyCommand::kTar), "--layer: only with --tar"},
    {&BetrcpOptions::no_target_directory, kMakesName, "-T: only for copies, --clone and --rename"},
    {&BetrcpOptions::long_listing, kTellsMore, "-l: only with --list, --diff and --du"},
    {&BetrcpOptions::recursive_listing, kLists, "-R: only with --list; -r copies directories"},
    {&BetrcpOptions::parents, kMakesDirectories, "-p: only with --mkdir; -a keeps owners and times"},
}};

absl::Status CheckOptions(const BetrcpOptions& options, CopyCommand command) {
  for (const OptionForm& form : kOptions) {
    const bool applies = (form.commands & Bit(command)) != 0;
    if (options.*form.flag && !applies) return absl::InvalidArgumentError(std::string(form.message));
  }
  if (!options.exclude.Empty() && (kExcludes & Bit(command)) == 0) {
    return absl::InvalidArgumentError("--exclude: only for copies and --tar");
  }
  if (!options.since.empty() && command != CopyCommand::kTar) {
    return absl::InvalidArgumentError("--since: only with --tar; --diff lists what differs");
  }
  return absl::OkStatus();
}

void AddCommands(CLI::App& app, BetrcpOptions* options) {
  constexpr const char* kGroup = "Commands (without any: copy SRC... to DST)";
  app.add_flag("--tar", options->tar, "Copy from a tar archive into the image, or out; - is stdin or stdout")
      ->group(kGroup);
  app.add_flag("--clone", options->clone, "Clone A to B inside the image, or on a mount; never file by file")
      ->group(kGroup);
  app.add_flag("--rename", options->rename, "Rename A to B inside the image")->group(kGroup);
  app.add_flag("--remove", options->remove, "Remove A... with everything below, inside the image, or on a mount")
      ->group(kGroup);
  app.add_flag("--mkdir", options->mkdir, "Make directories A...")->group(kGroup);
  app.add_flag("--list", options->list, "List A... (default: the root)")->group(kGroup);
  app.add_flag("--cat", options->cat, "Write the content of A... to stdout")->group(kGroup);
  app.add_flag("--diff", options->diff,
               "List in what B differs from A, inside the image or on a mount; what clones share is not read")
      ->group(kGroup);
  app.add_flag("--du", options->du,
               "Tell the space that A... take, inside the image or on a mount, and what no clone shares")
      ->group(kGroup);
}

}  // namespace

ToolDescription BetrcpDescription() {
  return {.name = "betrcp",
          .summary =
              "Copy into, out of and inside a betr image. An operand :/path, or IMAGE:/path, is inside the "
              "image, anything else is on the host.",
          .examples =
              "  export BETR_IMAGE=disk.img\n"
              "  betrcp -a ~/project :/project        # into the image\n"
              "  betrcp --clone project copy          # inside the image, at once\n"
              "  betrcp -auT --delete ~/project :/project  # what was changed since\n"
              "  betrcp -a :/copy /tmp/copy           # out of the image\n"
              "  betrcp --list -l copy\n"
              "  betrcp --diff project copy           # what was changed\n"
              "  betrcp --du project copy             # what each of them takes alone\n"
              "  betrcp --tar :/copy - | zstd >copy.tar.zst\n"
              "  betrcp --tar --since :/project :/copy layer.tar  # what was changed, as a container layer\n"
              "  betrcp -r a b other.img:/\n"
              "  betrcp --remove copy                 # at once, too\n"};
}

void AddBetrcpOptions(Tool* tool, BetrcpOptions* options) {
  CLI::App& app = tool->app();
  app.add_option("OPERANDS", options->operands, "SRC... DST, or what the command takes");
  tool->AddImage();
  app.add_flag("-r,--recursive", options->recursive, "Copy directories with everything below");
  app.add_flag("-a,--archive", options->archive, "-r, with owners, times, links, devices and extended attributes");
  app.add_flag("-u,--update", options->update,
               "With -a: leave what has the same size and time at DST; change only what differs");
  app.add_flag("--delete", options->remove_others, "With -r or -a: remove what directories have at DST and not in SRC");
  app.add_flag("-x,--one-file-system", options->one_file_system,
               "Into the image: leave out what is mounted in a SRC, but for the empty directory");
  app.add_flag("-n,--dry-run", options->dry_run,
               "Change nothing: list what a copy would add (A), write (M), remove (D)");
  app.add_flag("--layer", options->layer,
               "With --tar, into the image: the archive is a layer of a container image, which says what is gone");
  app.add_option("--since", options->since,
                 "With --tar, out: only how the directory differs from this one in the image, as such a layer")
      ->type_name(":/BASE");
  AddExcludeOptions(tool, &options->exclude);
  app.add_flag("-T,--no-target-directory", options->no_target_directory,
               "DST or B is the name of the result, even if it is a directory");
  app.add_flag("-l,--long", options->long_listing,
               "With --list: attributes too; with --diff: what differs; with --du: each entry");
  app.add_flag("-R,--list-recursive", options->recursive_listing, "With --list: everything below too");
  app.add_flag("-p,--parents", options->parents, "With --mkdir: parents too; what exists is no error");
  tool->AddSize("--cache", &options->cache_size, "Memory for the image's nodes (default: an eighth of all)");
  AddStaleOk(*tool, &options->stale_ok);
  AddExperiments(*tool, &options->experiments);
  AddCommands(app, options);
  tool->AddJson();
}

absl::StatusOr<CopyCommand> CommandOf(const BetrcpOptions& options) {
  const CommandForm* chosen = nullptr;
  for (const CommandForm& form : kCommands) {
    if (!(options.*form.flag)) continue;
    if (chosen != nullptr) {
      return absl::InvalidArgumentError(fmt::format("{} and {} are two commands", chosen->name, form.name));
    }
    chosen = &form;
  }
  if (chosen == nullptr) chosen = &kCopyForm;
  const size_t count = options.operands.size();
  if (count < chosen->min_operands || count > chosen->max_operands) {
    return absl::InvalidArgumentError(fmt::format("{}: {} operands: wants {}", chosen->name, count, chosen->operands));
  }
  BETR_RETURN_IF_ERROR(CheckOptions(options, chosen->command));
  return chosen->command;
}

bool HasDocument(CopyCommand command) {
  return command == CopyCommand::kCopy || command == CopyCommand::kTar || command == CopyCommand::kClone ||
         command == CopyCommand::kList || command == CopyCommand::kDiff || command == CopyCommand::kDu;
}

bool ChangesImage(const BetrcpOptions& options, CopyCommand command) {
  if (command == CopyCommand::kCopy || command == CopyCommand::kTar) {
    return ParseLocation(options.operands.back()).is_inside;
  }
  return command != CopyCommand::kList && command != CopyCommand::kCat && command != CopyCommand::kDiff &&
         command != CopyCommand::kDu;
}

ImageAccess ReadAccess(const BetrcpOptions& options) {
  return options.stale_ok ? ImageAccess::kStale : ImageAccess::kReadOnly;
}

}  // namespace betr::tools
