// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"
#include "base/percent_text.h"
#include "base/size_text.h"
#include "base/status.h"
#include "base/uuid.h"
#include "json_output.h"
#include "layout/format_options.h"
#include "layout/open_locked.h"
#include "layout/superblock_copy.h"
#include "reserve_option.h"
#include "shown_text.h"
#include "store/headroom.h"
#include "store/offline/tune_image.h"

namespace betr::tools {
namespace {

bool ChangesNothing(const TuneOptions& change) { return !change.label && !change.uuid && !change.reserve; }

// Opens the image even while others have it open. Tries again, since a writer may make a checkpoint between the reads.
absl::StatusOr<layout::OpenedImage> OpenToLook(const std::string& path) {
  constexpr int kAttempts = 5;
  layout::OpenedImage image;
  BETR_ASSIGN_OR_RETURN(image.device, FileDevice::Open(path, FileDevice::Access::kReadOnly));
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<layout::NewestSuperblock> newest = layout::ReadToOpen(*image.device);
    if (absl::IsDataLoss(newest.status()) && attempt < kAttempts) continue;
    BETR_ASSIGN_OR_RETURN(image.newest, std::move(newest));
    return image;
  }
}

std::string ShareText(const layout::Superblock& block, Bytes reserve) {
  if (block.reserve.value == 0) return "default";
  layout::Superblock least = block;
  least.reserve = BasisPoints{1};
  const bool is_more = reserve == store::ReserveOf(least) && block.reserve > least.reserve;
  return FormatPercent(block.reserve) + (is_more ? " would be less than is needed" : "");
}

void Print(Tool& tool, const TuneCommand& command, const layout::Superblock& block) {
  // Nobody knows yet what a random UUID will be.
  const bool is_unknown = command.dry_run && command.change.uuid && command.change.uuid->empty();
  const std::string uuid = is_unknown ? "random" : FormatUuid(block.uuid);
  const Bytes reserve = store::ReserveOf(block);
  const bool is_default = block.reserve.value == 0;
  if (tool.json()) {
    Json json = NewDocument("tune");
    json["image"] = JsonText(command.image);
    json["label"] = JsonText(block.label);
    json["uuid"] = is_unknown ? Json() : Json(uuid);
    json["reserve"] = reserve.value;
    json["reserve_percent"] = is_default ? Json() : Json(block.reserve.value / 100.0);
    PrintJson(tool.io().out, json);
  } else if (!tool.quiet()) {
    std::ostream& out = tool.io().out;
    out << LegibleName(command.image) << '\n';
    out << fmt::format("  label    {}\n", block.label.empty() ? "none" : LegibleName(block.label));
    out << fmt::format("  uuid     {}\n", uuid);
    out << fmt::format("  reserve  {} ({})\n", FormatSize(reserve), ShareText(block, reserve));
  }
}

int Tune(Tool& tool, const TuneCommand& command) {
  const bool only_looks = ChangesNothing(command.change);
  const auto image = only_looks ? OpenToLook(command.image) : layout::OpenToChange(command.image);
  if (!image.ok()) {
    tool.Fail("open", image.status());
    return ExitCodeOfOpening(image.status());
  }
  if (only_looks) {
    Print(tool, command, image->newest.superblock);
    return kExitOk;
  }
  const auto tuned = layout::Tuned(image->newest.superblock, command.change);
  if (!tuned.ok()) {
    tool.Fail(fmt::format("tune: {}", Legible(command.image)), tuned.status());
    return kExitRefused;
  }
  if (command.dry_run) {
    Print(tool, command, *tuned);
    tool.Note("dry run: nothing was changed");
    return kExitOk;
  }
  const absl::Status changed = store::TuneImage(*image->device, image->newest, command.change);
  const auto after = changed.ok() ? layout::ReadToOpen(*image->device) : changed;
  if (!after.ok()) return tool.Fail("tune", after.status());
  Print(tool, command, after->superblock);
  return kExitOk;
}

}  // namespace

ToolDescription TuneDescription() {
  return {.name = "tune.betr",
          .summary = "Say what a betr image is called and keeps in reserve, or change it.",
          .examples =
              "  tune.betr disk.img                 # what it is called\n"
              "  tune.betr -L photos disk.img\n"
              "  tune.betr -U random copy.img       # of an image that was copied as a file\n"
              "  tune.betr --reserve 5% disk.img    # for more deletes while it is full\n"};
}

void AddTuneOptions(Tool* tool, TuneCommand* command) {
  CLI::App& app = tool->app();
  TuneOptions& change = command->change;
  app.add_option("IMAGE", command->image, "The image file or block device; to change it, nobody may have it open")
      ->required();
  CLI::Option* label = app.add_option("-L,--label", change.label, "Its new name, at most 64 bytes")->type_name("LABEL");
  app.add_flag("--no-label", command->without_label, "It has no name any more")->excludes(label);
  const auto read_uuid = [&change](const std::string& text) -> absl::Status {
    change.uuid = text == "random" ? "" : text;
    return change.uuid->empty() ? absl::OkStatus() : ParseUuid(text).status();
  };
  tool->AddParsed("-U,--uuid", read_uuid, "Its new UUID")->type_name("UUID|random");
  AddReserve(
      tool, [&change](BasisPoints share) { change.reserve = share; },
      "Share of the space that is kept so that a full image takes deletes");
  app.add_flag("-n,--dry-run", command->dry_run, "Only say what would be");
  tool->AddJson();
}

int TuneMain(Arguments args, ToolIo& io) {
  Tool tool(TuneDescription(), io);
  TuneCommand command;
  AddTuneOptions(&tool, &command);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  if (command.without_label) command.change.label = "";
  return tool.Finish(Tune(tool, command));
}

}  // namespace betr::tools
