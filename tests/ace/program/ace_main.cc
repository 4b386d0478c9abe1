// SPDX-License-Identifier: Apache-2.0
// betr-ace: every short sequence of file-system operations, crashed everywhere, compared with an oracle.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "betr/experiments.h"
#include "betr/version.h"
#include "support/ace/plan.h"
#include "support/ace/sweep.h"

namespace betr::ace {
namespace {

SweepOptions options;  // also read when the program is aborted

// A broken invariant aborts: say which workload it was.
void OnAbort(int) {
  std::fputs(fmt::format("aborted; replay: {}\n", ReplayCommand(options, CurrentWorkload())).c_str(), stderr);
}

std::string Describe(const SweepProgress& progress, double seconds) {
  const Tally& tally = progress.tally;
  return fmt::format(
      "{} of {} {}: {} workloads, {} persistence points, {} device events, {} runs on failing devices, {} crash states "
      "and {} in recovery, in {:.1f} s: {:.0f}/s",
      progress.sequences, progress.of, options.sample > 0 ? "drawn" : "sequences", tally.workloads, tally.points,
      tally.device_events, tally.faulted, tally.states, tally.again, seconds,
      static_cast<double>(tally.states + tally.again) / std::max(seconds, 0.001));
}

int PrintTotals() {
  for (const Set set : {Set::kAce, Set::kBeyond}) {
    for (const size_t length : {1U, 2U}) {
      const Totals totals = CountSpace(set, length);
      fmt::print("{} seq-{}: {} sequences of operations, {} with choices, {} distinct, {} persistence points\n",
                 set == Set::kAce ? "ace" : "beyond", length, totals.sequences, totals.documented, totals.distinct,
                 totals.points);
    }
  }
  return EXIT_SUCCESS;
}

int PrintList() {
  for (const Sequence& sequence : Sequences(options.set, options.length)) {
    ForEachWorkload(sequence, [](const Workload& workload) {
      fmt::print("{}\n", FormatWorkload(workload));
      return true;
    });
  }
  return EXIT_SUCCESS;
}

int Sweep(bool quiet, bool coverage) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point shown = start;
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  size_t told = 0;
  const auto show = [&](const SweepProgress& progress) {
    for (; told < progress.failures.size(); ++told) {
      const SweepFailure& failure = progress.failures[told];
      fmt::print("failed: {}: {}\nreplay: {}\n", failure.workload, failure.what,
                 ReplayCommand(options, failure.workload));
    }
    if (!quiet && since(shown) >= 10) {
      shown = Clock::now();
      fmt::print(stderr, "{}\n", Describe(progress, since(start)));
    }
  };
  const SweepProgress result = RunSweep(options, show);
  show(result);
  fmt::print("{}\n", Describe(result, since(start)));
  if (coverage) {
    for (const auto& [name, count] : result.tally.coverage) fmt::print("{} {}\n", name, count);
  }
  return result.failures.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int RunOne(const std::string& text) {
  const absl::StatusOr<Workload> workload = ParseWorkload(text);
  if (!workload.ok()) {
    fmt::print(stderr, "betr-ace: {}\n", std::string(workload.status().message()));
    return 2;
  }
  for (const Call& call : PlanCalls(*workload)) fmt::print("  {}\n", FormatCall(call));
  const absl::StatusOr<Ground> ground = Ground::Make(options.constants, *ParseExperiments(options.experiments));
  Tally tally;
  const absl::Status status = ground.ok() ? RunWorkload(*ground, *workload, options.run, tally) : ground.status();
  fmt::print("{} device events, {} runs on failing devices, {} crash states and {} in recovery\n", tally.device_events,
             tally.faulted, tally.states, tally.again);
  if (!status.ok()) fmt::print("failed: {}\n", std::string(status.message()));
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

// What the options are before they have their types.
struct Arguments {
  std::string run;
  bool count = false;
  bool list = false;
  bool beyond = false;
  bool quiet = false;
  bool coverage = false;
};

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_flag("--count", arguments.count, "Print the size of the space");
  app.add_flag("--list", arguments.list, "Print the ids of all workloads of --length");
  app.add_option("--run", arguments.run, "Run the workload with this id, and print its calls");
  app.add_option("--length", options.length, "Operations of a workload (default: 1)")->check(CLI::Range(1, 8));
  app.add_flag("--beyond", arguments.beyond, "Workloads with operations that ACE does not have");
  app.add_option("--sample", options.sample, "So many drawn workloads instead of all; needed for lengths above 2");
  app.add_option_function<std::string>(
         "--constants", [](const std::string& name) { options.constants = *ConstantsOf(name); },
         "Sizes of nodes and log: production (default) or tiny")
      ->check(CLI::IsMember({"production", "tiny"}));
  app.add_option("--experiment", options.experiments, "Stores do as earlier versions did: docs/ablations.md")
      ->check([](const std::string& list) { return std::string(ParseExperiments(list).status().message()); });
  app.add_option_function<std::string>(
         "--crashes",
         [](const std::string& name) {
           options.run.crashes = name == "points"    ? Crashes::kPoints
                                 : name == "writes"  ? Crashes::kWrites
                                 : name == "sampled" ? Crashes::kSampled
                                                     : Crashes::kAll;
         },
         "points: right after each persistence point; writes: and after each device write before; "
         "sampled: points and a few others; all (default)")
      ->check(CLI::IsMember({"points", "writes", "sampled", "all"}));
  app.add_option("--faults", options.run.fault_every,
                 "Instead: on devices that fail, in all ways, at every so many-th operation; 1 is every one")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.run.seed, "Decides all that is drawn (default: 1)");
  app.add_option("--first", options.first, "Begin with this sequence of operations, counted from 0");
  app.add_option("--sequences", options.sequences, "Stop after so many sequences of operations");
  app.add_option("--jobs", options.jobs, "Threads, 0: as many as processors (default: 1)");
  app.add_option("--failures", options.max_failures, "Stop after so many failures (default: 1)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--lying-device", options.run.lying_device, "Lose all flushes: must fail, if the tests are any good");
  app.add_flag("--coverage", arguments.coverage, "Print what the stores counted");
  app.add_flag("--quiet", arguments.quiet, "No progress");
}

int Main(const Arguments& arguments) {
  std::signal(SIGABRT, OnAbort);
  options.set = arguments.beyond ? Set::kBeyond : Set::kAce;
  if (options.jobs == 0) options.jobs = std::max(1U, std::thread::hardware_concurrency());
  if (!arguments.run.empty()) return RunOne(arguments.run);
  if (arguments.count) return PrintTotals();
  if (options.length > 2 && options.sample == 0) {
    fmt::print(stderr, "betr-ace: workloads of more than 2 operations are drawn: --sample\n");
    return 2;
  }
  return arguments.list ? PrintList() : Sweep(arguments.quiet, arguments.coverage);
}

}  // namespace
}  // namespace betr::ace

int main(int argc, char** argv) {
  CLI::App app(
      "Run every short sequence of file-system operations on a recorded device, make the images that crashes could "
      "have left, open each, and compare it with an oracle.",
      "betr-ace");
  app.set_version_flag("--version", "betr-ace " + std::string(betr::LibraryVersion()));
  app.footer("Exits with 1 if anything was found, with 2 if the arguments make no sense.");
  betr::ace::Arguments arguments;
  betr::ace::Declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return betr::ace::Main(arguments);
}
