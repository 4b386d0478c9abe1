// SPDX-License-Identifier: Apache-2.0
// The store beside other stores, one workload after the other, each on all engines in turn so that what else the
// machine does hits all of them alike. Ends with a table of ratios. docs/benchmarks.md explains the workloads.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "lib/ratio_table.h"
#include "lib/settings.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

void PrintCounters(const std::string& name, const Outcome& outcome) {
  for (const auto& [counter, value] : outcome.counters) {
    if (value != 0) {
      fmt::print("{}: {} {}\n", name, counter, value);
    }
  }
}

void RunOnce(benchmark::State& state, const Workload& workload, Subject& subject, RatioTable& table) {
  for ([[maybe_unused]] auto iteration : state) {
    const absl::StatusOr<Outcome> outcome = workload.run(subject);
    if (!outcome.ok()) {
      static_cast<void>(subject.Remove());
      state.SkipWithError(std::string(outcome.status().message()).c_str());
      return;
    }
    if (subject.settings().with_counters) {
      PrintCounters(workload.name + "/" + subject.name(), *outcome);
    }
    table.Add(workload.name, subject.name(), *outcome);
    const auto operations = static_cast<double>(outcome->operations);
    const auto written = static_cast<double>(outcome->written.value);
    state.SetIterationTime(outcome->seconds);
    state.SetItemsProcessed(static_cast<int64_t>(outcome->operations));
    state.counters["cpu_us/op"] = outcome->processor_seconds * 1e6 / operations;
    state.counters["written/op"] = written / operations;
    state.counters["disk"] = static_cast<double>(outcome->on_disk.value);
    if (outcome->bytes_put > 0) {
      state.counters["write_amp"] = written / static_cast<double>(outcome->bytes_put);
    }
  }
}

bool WriteFile(const std::string& path, const std::string& text) {
  if (path.empty()) {
    return true;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    fmt::print(stderr, "store_bench: {}: cannot be written\n", path);
  }
  return static_cast<bool>(file);
}

std::vector<std::unique_ptr<Subject>> MakeSubjects(const Settings& settings, const std::string& directory) {
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.reserve(settings.engines.size());
  for (const std::string& engine : settings.engines) {
    subjects.push_back(std::make_unique<Subject>(engine, fmt::format("{}/{}", directory, engine), settings));
  }
  return subjects;
}

void PrintHelp() {
  fmt::print("{}\nOf Google Benchmark:\n", SettingsHelp());
  std::fflush(stdout);
  benchmark::PrintDefaultHelp();
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv, PrintHelp);
  const Settings settings = ParseSettings(argc, argv);
  const std::string directory = fmt::format("{}/store_bench.{}", settings.directory, getpid());
  const std::vector<std::unique_ptr<Subject>> subjects = MakeSubjects(settings, directory);
  RatioTable table;
  for (const Workload& workload : Workloads(settings)) {
    for (const std::unique_ptr<Subject>& subject : subjects) {
      benchmark::RegisterBenchmark(
          (workload.name + "/" + subject->name()).c_str(),
          [&table, workload, &of = *subject](benchmark::State& state) { RunOnce(state, workload, of, table); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(directory);
  if (table.Empty()) {
    return 1;
  }
  fmt::print("\n{}", table.Markdown());
  return WriteFile(settings.markdown_file, table.Markdown()) && WriteFile(settings.json_file, table.Json(settings)) ? 0
                                                                                                                    : 1;
}

}  // namespace
}  // namespace betr::bench

int main(int argc, char** argv) { return betr::bench::Main(argc, argv); }
