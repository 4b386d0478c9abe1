// SPDX-License-Identifier: Apache-2.0
#include "dump_options.h"

#include <algorithm>

#include "open_image.h"

namespace betr::tools {

ToolDescription DumpDescription() {
  return {.name = "betrdump",
          .summary = "Shows the structures of a betr image: superblock, trees, nodes, table, log and space.",
          .examples =
              "  betrdump -i disk.img super\n"
              "  betrdump -i disk.img tree meta --depth 2\n"
              "  betrdump -i disk.img path meta /usr/lib/libc.so\n"
              "  betrdump -i disk.img --json stat | jq .heights\n"
              "  betrdump --mounted /mnt stat\n"
              "  betrdump -i disk.img dot | dot -Tsvg > dag.svg\n",
          .may_be_empty = "KEY"};
}

std::vector<std::unique_ptr<DumpCommand>> AllDumpCommands() {
  std::vector<std::unique_ptr<DumpCommand>> commands;
  commands.push_back(MakeDumpSuper());
  commands.push_back(MakeDumpStat());
  commands.push_back(MakeDumpTree());
  commands.push_back(MakeDumpNode());
  commands.push_back(MakeDumpPath());
  commands.push_back(MakeDumpTable());
  commands.push_back(MakeDumpSpace());
  commands.push_back(MakeDumpLog());
  commands.push_back(MakeDumpDot());
  return commands;
}

bool DumpOptions::Is(std::string_view name) const {
  return std::any_of(commands.begin(), commands.end(),
                     [&](const auto& one) { return one.first->parsed() && one.first->get_name() == name; });
}

DumpCommand* DumpOptions::Chosen() const {
  for (const auto& [app, command] : commands) {
    if (app->parsed()) return command.get();
  }
  return nullptr;
}

void AddDumpOptions(Tool& tool, DumpOptions* options) {
  tool.AddImage({"--mounted"});
  tool.AddJson();
  tool.app().add_flag("--replay", options->replay, "Show what the log makes of the image (in memory only)");
  AddStaleOk(tool, &options->stale_ok);
  tool.app()
      .add_option("--mounted", options->mounted, "With stat: live figures of the image mounted at DIR")
      ->type_name("DIR");
  tool.AddSize("--cache", &options->cache_size, "Memory for nodes [256M]");
  tool.app().require_subcommand(1);
  for (std::unique_ptr<DumpCommand>& command : AllDumpCommands()) {
    CLI::App* app = command->AddTo(tool.app());
    app->fallthrough();  // common options may follow the subcommand
    app->footer("");
    options->commands.emplace_back(app, std::move(command));
  }
}

}  // namespace betr::tools
