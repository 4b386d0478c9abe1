// SPDX-License-Identifier: Apache-2.0
#include "dump.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "dump_mounted.h"
#include "dump_options.h"
#include "open_image.h"

namespace betr::tools {
namespace {

// Reports what could not be read, since it may be missing in what was shown.
int ReportProblems(Tool& tool, store::Inspection& image) {
  constexpr size_t kShown = 10;
  const std::vector<store::Problem>& problems = image.problems();
  for (size_t i = 0; i < problems.size() && i < kShown; ++i) {
    tool.PrintError(fmt::format("{}: {}", tool.image(), std::string(problems[i].status.message())));
  }
  if (problems.size() > kShown) {
    tool.PrintError(fmt::format("{}: and {} more: see fsck.betr", tool.image(), problems.size() - kShown));
  }
  return problems.empty() ? kExitOk : kExitDamaged;
}

// Returns what is wrong with options that the parser took. Nothing if they make sense together.
std::optional<std::string> FindMistake(Tool& tool, const DumpOptions& options) {
  if (!options.mounted.empty()) {
    if (!options.Is("stat")) return "--mounted: only with stat";
    const bool is_vain = !tool.image().empty() || options.replay || options.stale_ok || tool.app().count("--cache") > 0;
    return is_vain ? std::optional<std::string>("--mounted: without an image, --replay, --stale-ok and --cache")
                   : std::nullopt;
  }
  if (options.stale_ok && options.replay) return "--stale-ok shows the last checkpoint: not --replay";
  if (tool.image().empty()) return "no image: give -i IMAGE or set BETR_IMAGE";
  return options.Chosen()->FindMistake();
}

int Dump(Tool& tool, const DumpOptions& options) {
  const ImageAccess access = options.stale_ok ? ImageAccess::kStale : ImageAccess::kReadOnly;
  absl::StatusOr<StoreOptions> store_options = ImageOptions(tool, access);
  if (!store_options.ok()) return tool.Fail("open", store_options.status());
  store_options->cache_size = options.cache_size;
  const LogUse log = options.replay ? LogUse::kReplay : LogUse::kIgnore;
  const absl::StatusOr<std::unique_ptr<DumpImage>> image = DumpImage::Open(tool.image(), *store_options, log);
  if (!image.ok()) return FailToOpen(tool, image.status());
  DumpContext context{tool, **image, tool.io().out, tool.json()};
  const absl::Status status = options.Chosen()->Run(context);
  tool.io().out.flush();
  if (!status.ok()) return tool.Fail(tool.image(), options.stale_ok ? ExplainStale(status) : status);
  return ReportProblems(tool, (*image)->inspection());
}

}  // namespace

int DumpMain(Arguments args, ToolIo& io) {
  Tool tool(DumpDescription(), io);
  DumpOptions options;
  AddDumpOptions(tool, &options);
  if (const auto exit = tool.Parse(args)) return *exit;
  if (const auto mistake = FindMistake(tool, options)) return tool.UsageError(*mistake);
  if (!options.mounted.empty()) return DumpMounted(tool, options.mounted);
  return tool.Finish(Dump(tool, options));
}

}  // namespace betr::tools
