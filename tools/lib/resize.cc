// SPDX-License-Identifier: Apache-2.0
#include "resize.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/size_text.h"
#include "base/status.h"
#include "betr/store.h"
#include "json_output.h"
#include "layout/grow.h"
#include "layout/open_locked.h"
#include "store/offline/grow_image.h"

namespace betr::tools {
namespace {

Bytes InUnits(Bytes size) { return layout::UnitBytes(size / layout::kUnit); }

std::string ResultText(Bytes before, Bytes after) {
  const std::string short_before = FormatSize(before);
  const std::string short_after = FormatSize(after);
  if (before == after) return fmt::format("has {} already", short_before);
  if (short_before == short_after) return fmt::format("{} bytes instead of {}", after.value, before.value);
  return fmt::format("{} instead of {}", short_after, short_before);
}

void PrintResult(Tool& tool, const ResizeOptions& options, Bytes before, Bytes after) {
  if (tool.json()) {
    Json json = NewDocument("resize");
    json["image"] = JsonText(options.image);
    json["size_before"] = before.value;
    json["size"] = after.value;
    PrintJson(tool.io().out, json);
  } else if (!tool.quiet()) {
    tool.io().out << fmt::format("{}: {}\n", Legible(options.image), ResultText(before, after));
  }
}

// Returns the space on the host that the image's file takes. Nothing for a device.
std::optional<Bytes> SpaceOnHost(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Bytes{512} * static_cast<uint64_t>(found.st_blocks);
}

void PrintTrimmed(Tool& tool, const ResizeOptions& options, Bytes trimmed, std::optional<Bytes> before) {
  const std::optional<Bytes> after = SpaceOnHost(options.image);
  const bool is_file = before && after;
  if (tool.json()) {
    Json json = NewDocument("trim");
    json["image"] = JsonText(options.image);
    json["trimmed"] = trimmed.value;
    if (is_file) json["host_before"] = before->value;
    if (is_file) json["host"] = after->value;
    PrintJson(tool.io().out, json);
  } else if (!tool.quiet()) {
    tool.io().out << fmt::format("{}: {} free", Legible(options.image), FormatSize(trimmed));
    if (is_file) {
      tool.io().out << fmt::format("; the file takes {} instead of {}", FormatSize(*after), FormatSize(*before));
    }
    tool.io().out << '\n';
  }
}

int Trim(Tool& tool, const ResizeOptions& options) {
  if (!options.size.empty()) return tool.UsageError("--trim: takes no size");
  if (options.dry_run) return tool.UsageError("--trim: has no dry run");
  const std::optional<Bytes> before = SpaceOnHost(options.image);
  const absl::StatusOr<Bytes> trimmed = Store::TrimImage(options.image);
  if (!trimmed.ok()) {
    tool.Fail("trim", trimmed.status());
    return ExitCodeOfOpening(trimmed.status());
  }
  PrintTrimmed(tool, options, *trimmed, before);
  return kExitOk;
}

int Resize(Tool& tool, const ResizeOptions& options) {
  const auto image = layout::OpenToChange(options.image);
  if (!image.ok()) {
    tool.Fail("open", image.status());
    return ExitCodeOfOpening(image.status());
  }
  const Bytes before = layout::UnitBytes(image->newest.superblock.device_units);
  const auto after = options.size.empty() ? InUnits(image->device->Size()) : NewSize(options.size, before);
  if (!after.ok()) return tool.UsageError(MessageOf(after.status()));
  if (const absl::Status status = layout::CheckGrowth(image->newest.superblock, *after); !status.ok()) {
    tool.Fail(fmt::format("resize: {}", Legible(options.image)), status);
    return kExitRefused;
  }
  if (options.dry_run) {
    PrintResult(tool, options, before, *after);
    tool.Note("dry run: nothing was changed");
    return kExitOk;
  }
  if (const absl::Status status = store::GrowImage(*image->device, image->newest, *after); !status.ok()) {
    return tool.Fail("resize", status);
  }
  PrintResult(tool, options, before, *after);
  return kExitOk;
}

}  // namespace

ToolDescription ResizeDescription() {
  return {.name = "resize.betr",
          .summary = "Make a betr image larger, and the file that it is in; or give its free space back to the host.",
          .examples =
              "  resize.betr disk.img 8G       # a file becomes larger, too; sparse\n"
              "  resize.betr disk.img +512M    # by so much\n"
              "  resize.betr /dev/vg/data      # as large as the device is by now\n"
              "  resize.betr --trim disk.img   # as large as before, but what is free takes no space on the host\n"};
}

void AddResizeOptions(Tool* tool, ResizeOptions* options) {
  CLI::App& app = tool->app();
  app.add_option("IMAGE", options->image, "The image file or block device; nobody may have it open")->required();
  app.add_option("SIZE", options->size, "Its new size, or +SIZE: so much more (default: that of the file or device)");
  app.add_flag("-n,--dry-run", options->dry_run, "Only say what would be done");
  app.add_flag("--trim", options->trim, "Make holes in the file, or discard of the device, where nothing is stored");
  tool->AddJson();
}

absl::StatusOr<Bytes> NewSize(const std::string& text, Bytes before) {
  const bool is_more = text.starts_with('+');
  if (is_more && text.size() == 1) return absl::InvalidArgumentError("+: how much more?");
  BETR_ASSIGN_OR_RETURN(const Bytes size, ParseSize(is_more ? std::string_view(text).substr(1) : text));
  const Bytes base = is_more ? before : Bytes{0};
  if (size.value > UINT64_MAX - base.value) return absl::InvalidArgumentError(fmt::format("{}: too large", text));
  const Bytes whole = InUnits(base + size);
  if (whole == Bytes{0}) {
    return absl::InvalidArgumentError(fmt::format("{}: less than {}", text, FormatSize(layout::kUnit)));
  }
  return whole;
}

int ResizeMain(Arguments args, ToolIo& io) {
  Tool tool(ResizeDescription(), io);
  ResizeOptions options;
  AddResizeOptions(&tool, &options);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  return tool.Finish(options.trim ? Trim(tool, options) : Resize(tool, options));
}

}  // namespace betr::tools
