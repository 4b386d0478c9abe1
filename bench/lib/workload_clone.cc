// SPDX-License-Identifier: Apache-2.0
// Clones of a prefix among other data, each durable before the next begins.
#include <algorithm>

#include "base/status.h"
#include "lib/dataset.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

constexpr char kSource[] = "s/";

std::string Destination(uint64_t number) { return "t/" + OrderedKey(number) + "/"; }

absl::Status PutSource(Engine& engine, uint64_t keys, const Settings& settings) {
  Values values(settings.value_size);
  for (uint64_t i = 0; i < keys; ++i) BETR_RETURN_IF_ERROR(engine.Put(kSource + OrderedKey(i), values.At(i)));
  // Something on either side of it: "0..." to "f...", and "x".
  BETR_RETURN_IF_ERROR(PutScattered(engine, settings.keys / 10, settings.value_size));
  BETR_RETURN_IF_ERROR(engine.Put("x", "x"));
  return engine.Sync();
}

absl::Status CheckClone(Engine& engine, const std::string& prefix, uint64_t keys) {
  const std::string last = prefix + OrderedKey(keys - 1);
  std::string value;
  BETR_ASSIGN_OR_RETURN(const bool found, engine.Get(last, &value));
  BETR_ASSIGN_OR_RETURN(const ScanResult all, engine.Scan(prefix, keys));
  BETR_ASSIGN_OR_RETURN(const ScanResult tail, engine.Scan(last, 2));
  const uint64_t bytes = keys * (prefix.size() + kKeySize + value.size());
  if (!found || all.entries != keys || all.bytes != bytes || tail.entries != 2) {
    return absl::DataLossError("clone: " + prefix + " does not hold what its source holds");
  }
  return absl::OkStatus();
}

absl::StatusOr<Outcome> Clone(Subject& subject, uint64_t keys) {
  const uint64_t clones = std::clamp<uint64_t>(1'000'000 / keys, 2, 100);
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenEmpty());
  BETR_RETURN_IF_ERROR(PutSource(*engine, keys, subject.settings()));
  BETR_ASSIGN_OR_RETURN(engine, subject.Reopen());
  Probe probe(subject);
  for (uint64_t i = 0; i < clones; ++i) {
    BETR_RETURN_IF_ERROR(engine->ClonePrefix(kSource, Destination(i)));
    BETR_RETURN_IF_ERROR(engine->Sync());
  }
  probe.Stop(clones, 0);
  BETR_RETURN_IF_ERROR(CheckClone(*engine, Destination(clones - 1), keys));
  return probe.Finish();
}

}  // namespace

std::vector<Workload> CloneWorkloads(const Settings& settings) {
  std::vector<Workload> workloads;
  for (uint64_t keys = 1000; keys <= settings.max_clone_keys; keys *= 10) {
    workloads.push_back({"clone_" + std::to_string(keys), [keys](Subject& subject) { return Clone(subject, keys); }});
  }
  return workloads;
}

}  // namespace betr::bench
