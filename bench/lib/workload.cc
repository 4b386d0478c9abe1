// SPDX-License-Identifier: Apache-2.0
#include "lib/workload.h"

#include "base/status.h"
#include "lib/disk.h"

namespace betr::bench {

Probe::Probe(Subject& subject)
    : subject_(subject),
      written_before_(BytesWritten()),
      processor_before_(ProcessorTime()),
      start_(std::chrono::steady_clock::now()) {}

void Probe::Stop(uint64_t operations, uint64_t bytes_put) {
  outcome_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  outcome_.processor_seconds = ProcessorTime() - processor_before_;
  outcome_.operations = operations;
  outcome_.bytes_put = bytes_put;
  outcome_.counters = subject_.engine()->Counters();
}

absl::StatusOr<Outcome> Probe::Finish() {
  BETR_RETURN_IF_ERROR(subject_.Close());
  outcome_.written = BytesWritten() - written_before_;
  outcome_.on_disk = BytesOnDisk(subject_.directory());
  return outcome_;
}

std::vector<Workload> Workloads(const Settings& settings) {
  std::vector<Workload> all;
  for (auto&& part :
       {PutWorkloads(settings), ReadWorkloads(settings), ChangeWorkloads(settings), CloneWorkloads(settings)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace betr::bench
