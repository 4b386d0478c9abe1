// SPDX-License-Identifier: Apache-2.0
#include "lib/settings.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/size_text.h"
#include "lib/engine.h"

namespace betr::bench {

namespace {

constexpr uint64_t kMostEntries = 1'000'000'000'000;
constexpr int kUsageExit = 2;
constexpr const char* kUsualCache = "64M";

void AddOptions(CLI::App& app, Settings& settings, std::string& cache) {
  app.add_option("--dir", settings.directory, "Where the data goes, in a new folder that is removed at the end");
  app.add_option("--keys", settings.keys, "Entries of the large data set")
      ->check(CLI::Range(uint64_t{1}, kMostEntries));
  app.add_option("--value-size", settings.value_size, "Bytes of a value");
  app.add_option("--clone-keys", settings.max_clone_keys, "Entries of the largest prefix that is cloned");
  app.add_option("--durable-puts", settings.durable_puts, "Puts with a sync each")
      ->check(CLI::Range(uint64_t{1}, kMostEntries));
  app.add_option("--cache", cache, "Bytes of each engine's cache")->check([](const std::string& text) {
    return std::string(ParseSize(text).status().message());
  });
  app.add_option("--experiment", settings.experiment_names,
                 "Let betr do something as an earlier version did: docs/ablations.md")
      ->check([](const std::string& list) { return std::string(ParseExperiments(list).status().message()); });
  app.add_option("--compression", settings.compression)->check(CLI::IsMember({"none", "lz4"}));
  app.add_option("--engines", settings.engines, "Which engines, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(EngineNames()));
  app.add_flag("--counters", settings.with_counters, "Print after each benchmark what the engine has counted");
  app.add_option("--json", settings.json_file, "File for the table of ratios as JSON");
  app.add_option("--markdown", settings.markdown_file, "File for the table of ratios as Markdown");
}

constexpr const char* kSummary = "Benchmarks of betr's store beside other stores.";

}  // namespace

std::string SettingsHelp() {
  Settings settings;
  std::string cache = kUsualCache;
  CLI::App app(kSummary, "store_bench");
  AddOptions(app, settings, cache);
  return app.help();
}

Settings ParseSettings(int argc, char** argv) {
  Settings settings;
  std::string cache = kUsualCache;
  CLI::App app(kSummary);
  AddOptions(app, settings, cache);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : kUsageExit);
  }
  settings.cache_size = *ParseSize(cache);
  settings.experiments = *ParseExperiments(settings.experiment_names);
  if (settings.engines.empty()) settings.engines = EngineNames();
  if (settings.directory.empty()) settings.directory = std::filesystem::temp_directory_path();
  return settings;
}

}  // namespace betr::bench
