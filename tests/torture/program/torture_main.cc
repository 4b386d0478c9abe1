// SPDX-License-Identifier: Apache-2.0
// betr-torture: crashes stores in all the ways that storage allows and looks at what is left.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <thread>

#include "betr/experiments.h"
#include "betr/version.h"
#include "support/torture/fault_run.h"
#include "support/torture/torture.h"

namespace betr::test {
namespace {

TortureOptions options;  // also read when the program is aborted

// A broken invariant aborts: say which case it was.
void OnAbort(int) {
  std::fputs(fmt::format("aborted; replay: {}\n", ReplayCommand(CurrentCase(), options)).c_str(), stderr);
}

std::string Describe(const TortureTally& tally, double seconds) {
  std::string depths;
  for (size_t i = 0; i < tally.states.size() && tally.states[i] > 0; ++i) {
    depths += fmt::format("{}{}", i == 0 ? "" : " + ", tally.states[i]);
  }
  return fmt::format("{} crash states ({} by depth) of {} cases, {} batches, {} device events, in {:.1f} s: {:.0f}/s",
                     tally.States(), depths, tally.cases, tally.batches, tally.device_events, seconds,
                     static_cast<double>(tally.States()) / std::max(seconds, 0.001));
}

int Run(bool quiet, bool coverage) {
  std::signal(SIGABRT, OnAbort);
  if (options.jobs == 0) options.jobs = std::max(1U, std::thread::hardware_concurrency());
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point shown = start;
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  const TortureResult result = RunTorture(options, [&](const TortureTally& tally) {
    if (!quiet && since(shown) >= 10) {
      shown = Clock::now();
      fmt::print(stderr, "{}\n", Describe(tally, since(start)));
    }
  });
  fmt::print("{}\n", Describe(result.tally, since(start)));
  if (coverage) {
    for (const auto& [name, count] : result.tally.coverage) fmt::print("{} {}\n", name, count);
  }
  if (!result.failure) return EXIT_SUCCESS;
  fmt::print("failed: {}\nreplay: {}\n", result.failure->what, ReplayCommand(result.failure->seed, options));
  return EXIT_FAILURE;
}

// What to do about failing devices.
struct FaultArguments {
  std::string fault;  // one run
  uint64_t workloads = 0;
  uint64_t every = 1;
};

std::string Describe(const FaultTally& tally) {
  return fmt::format(
      "{} runs, {} faults; {} errors of stores, {} became read-only, {} did not open; {} images opened afterwards",
      tally.runs, tally.hits, tally.errors, tally.read_only, tally.not_opened, tally.images);
}

int RunFaults(const FaultArguments& arguments, bool quiet) {
  FaultTally tally;
  std::optional<FaultFailure> failure;
  if (!arguments.fault.empty()) {
    const std::optional<Fault> fault = ParseFault(arguments.fault);
    if (!fault) {
      fmt::print(stderr, "betr-torture: {}: not a fault\n", arguments.fault);
      return 2;
    }
    const FaultRun run{options.seed, *fault, options.background};
    if (const auto fired = RunFault(run, tally); !fired.ok()) {
      failure = {run, fired.status().ToString()};
    }
  } else {
    auto shown = std::chrono::steady_clock::now();
    const FaultSweep sweep{options.seed, arguments.workloads, arguments.every, options.background,
                           options.jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : options.jobs};
    failure = SweepFaults(sweep, tally, [&](const FaultTally& now) {
      if (!quiet && std::chrono::steady_clock::now() - shown >= std::chrono::seconds(10)) {
        shown = std::chrono::steady_clock::now();
        fmt::print(stderr, "{}\n", Describe(now));
      }
    });
  }
  fmt::print("{}\n", Describe(tally));
  if (failure) fmt::print("failed: {}\nreplay: {}\n", failure->what, ReplayCommand(failure->run));
  return failure ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace betr::test

int main(int argc, char** argv) {
  using betr::test::options;
  CLI::App app(
      "Run seeded workloads on a recorded device, make the images that crashes could have left, open each, "
      "compare it with what was acknowledged, check it, work on, and crash again.",
      "betr-torture");
  app.set_version_flag("--version", "betr-torture " + std::string(betr::LibraryVersion()));
  bool quiet = false;
  bool coverage = false;
  long seconds = 0;
  app.add_option("--seed", options.seed, "Seed of the first case (default: 1)");
  app.add_option("--states", options.states, "Stop after so many crash states");
  app.add_option("--seconds", seconds, "Stop after so long");
  app.add_option("--jobs", options.jobs, "Threads, a case each; 0: as many as processors (default: 1)");
  app.add_option("--depth", options.depth, "Crashes after one another (default: 3)")
      ->check(CLI::Range(1, betr::test::kMaxDepth));
  app.add_flag("--background", options.background, "Stores with threads of their own: not repeatable");
  app.add_option("--experiment", options.experiments, "Stores do as earlier versions did: docs/ablations.md")
      ->check([](const std::string& list) { return std::string(betr::ParseExperiments(list).status().message()); });
  app.add_flag("--tight", options.tight, "Devices too small for what is written");
  app.add_flag("--trim", options.trims, "Free space is discarded whenever something was made durable");
  app.add_flag("--tune", options.tunes, "The image gets another name and reserve before each time it is opened");
  app.add_flag("--lying-device", options.lying_device, "Lose all flushes: must fail, if the tests are any good");
  betr::test::FaultArguments faults;
  app.add_option("--faults", faults.workloads,
                 "Instead: so many workloads on devices that fail, each with every fault at every operation");
  app.add_option("--every", faults.every, "With --faults: only at every so many-th operation (default: 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--fault", faults.fault,
                 "Instead: one such run: read, write or flush, n, once or on, eio, enospc, half "
                 "or short; as in write,17,once,eio");
  app.add_flag("--coverage", coverage, "Print what the stores counted");
  app.add_flag("--quiet", quiet, "No progress");
  app.footer("Without --states and --seconds, one case. Exits with 1 if anything was found.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.seconds = std::chrono::seconds(seconds);
  if (faults.workloads > 0 || !faults.fault.empty()) return betr::test::RunFaults(faults, quiet);
  return betr::test::Run(quiet, coverage);
}
