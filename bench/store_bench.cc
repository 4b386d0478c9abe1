// SPDX-License-Identifier: Apache-2.0
// The store beside other stores, one workload after the other, each on all engines in turn so that what else the
// machine does hits all of them alike. Ends with a table of ratios. docs/benchmarks.md explains the workloads.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "lib/ratio_table.h"
#include "lib/settings.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

void PrintCounters(const std::string& name, const Outcome& outcome) {
  for (const auto& [counter, value] : outcome.counters) {
    if (value != 0) fmt::print("{}: {} {}\n", name, counter, value);
  }
}

struct Found {
  RatioTable table;
  bool has_failed = false;
};

void RunOnce(benchmark::State& state, const Workload& workload, Subject& subject, Found& found) {
  for ([[maybe_unused]] auto iteration : state) {
    const absl::StatusOr<Outcome> outcome = workload.run(subject);
    if (!outcome.ok()) {
      found.has_failed = true;
      static_cast<void>(subject.Remove());
      state.SkipWithError(std::string(outcome.status().message()).c_str());
      return;
    }
    if (subject.settings().with_counters) PrintCounters(workload.name + "/" + subject.name(), *outcome);
    found.table.Add(workload.name, subject.name(), *outcome);
    const auto operations = static_cast<double>(outcome->operations);
    const auto written = static_cast<double>(outcome->written.value);
    state.SetIterationTime(outcome->seconds);
    state.SetItemsProcessed(static_cast<int64_t>(outcome->operations));
    state.counters["cpu_us/op"] = outcome->processor_seconds * 1e6 / operations;
    state.counters["written/op"] = written / operations;
    state.counters["disk"] = static_cast<double>(outcome->on_disk.value);
    if (outcome->bytes_put > 0) state.counters["write_amp"] = written / static_cast<double>(outcome->bytes_put);
  }
}

bool WriteFile(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "store_bench: {}: cannot be written\n", path);
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

// From now on a signal to end does so with the data removed. Before there are other threads, which have to block it,
// too.
void RemoveWhenInterrupted(const std::string& directory) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, directory] {
    constexpr int kTries = 10;  // an engine may go on making files meanwhile
    int signal = 0;
    sigwait(&signals, &signal);
    std::error_code error;
    for (int i = 0; i < kTries && std::filesystem::exists(directory, error); ++i) {
      std::filesystem::remove_all(directory, error);
    }
    std::_Exit(128 + signal);
  }).detach();
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
  RemoveWhenInterrupted(directory);
  Found found;
  for (const Workload& workload : Workloads(settings)) {
    for (const std::unique_ptr<Subject>& subject : subjects) {
      benchmark::RegisterBenchmark(
          (workload.name + "/" + subject->name()).c_str(),
          [&found, workload, &of = *subject](benchmark::State& state) { RunOnce(state, workload, of, found); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(directory);
  if (found.table.Empty()) return EXIT_FAILURE;
  const std::string tables = found.table.Markdown();
  fmt::print("\n{}", tables);
  const bool is_kept =
      WriteFile(settings.markdown_file, tables) && WriteFile(settings.json_file, found.table.Json(settings));
  return is_kept && !found.has_failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace betr::bench

int main(int argc, char** argv) { return betr::bench::Main(argc, argv); }
