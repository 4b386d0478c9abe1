// SPDX-License-Identifier: Apache-2.0
// The workloads: what is done to an engine, and which part of it is timed.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/subject.h"

namespace betr::bench {

struct Outcome {
  uint64_t operations = 0;
  double seconds = 0;
  double processor_seconds = 0;              // of all threads, over the timed part
  uint64_t bytes_put = 0;                    // keys and values; 0: does not put
  Bytes written{0};                          // from the start of the timing until the engine was closed
  Bytes on_disk{0};                          // then
  std::map<std::string, uint64_t> counters;  // of the engine, at the end of the timing
};

struct Workload {
  std::string name;
  std::function<absl::StatusOr<Outcome>(Subject&)> run;
};

// Returns all of them, in an order in which the large data set is made as seldom as possible.
std::vector<Workload> Workloads(const Settings& settings);

// Returns those of one kind, for Workloads.
std::vector<Workload> PutWorkloads(const Settings& settings);
std::vector<Workload> ReadWorkloads(const Settings& settings);
std::vector<Workload> ChangeWorkloads(const Settings& settings);
std::vector<Workload> CloneWorkloads(const Settings& settings);

// Measures the time and what is written, from its construction on.
class Probe {
 public:
  explicit Probe(Subject& subject);
  // Ends the timed part.
  void Stop(uint64_t operations, uint64_t bytes_put);
  // Closes the subject and returns the results.
  absl::StatusOr<Outcome> Finish();

 private:
  Subject& subject_;
  Outcome outcome_;
  Bytes written_before_;
  double processor_before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace betr::bench
