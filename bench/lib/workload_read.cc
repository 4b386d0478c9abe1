// SPDX-License-Identifier: Apache-2.0
// Reads of the large data set: points and ranges, warm and cold. Cold is after a reopen with an empty page cache.
#include <algorithm>

#include "base/random.h"
#include "base/status.h"
#include "lib/dataset.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

constexpr uint64_t kShortScan = 100;

absl::Status GetMany(Engine& engine, uint64_t keys, uint64_t count, uint64_t seed) {
  Random random(seed);
  std::string value;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = ScatteredKey(random.Uniform(keys));
    BETR_ASSIGN_OR_RETURN(const bool found, engine.Get(key, &value));
    if (!found) return absl::DataLossError("get: the key " + key + " was put and is not there");
  }
  return absl::OkStatus();
}

absl::StatusOr<Outcome> GetWarm(Subject& subject) {
  const uint64_t keys = subject.settings().keys;
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  BETR_RETURN_IF_ERROR(GetMany(*engine, keys, keys / 10, 1));
  Probe probe(subject);
  const uint64_t count = keys / 10;
  BETR_RETURN_IF_ERROR(GetMany(*engine, keys, count, 2));
  probe.Stop(count, 0);
  return probe.Finish();
}

absl::StatusOr<Outcome> GetCold(Subject& subject) {
  const uint64_t keys = subject.settings().keys;
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  Probe probe(subject);
  const uint64_t count = std::max<uint64_t>(1, keys / 50);
  BETR_RETURN_IF_ERROR(GetMany(*engine, keys, count, 3));
  probe.Stop(count, 0);
  return probe.Finish();
}

absl::StatusOr<Outcome> ScanCold(Subject& subject) {
  const uint64_t keys = subject.settings().keys;
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  Probe probe(subject);
  BETR_ASSIGN_OR_RETURN(const ScanResult result, engine->Scan("", UINT64_MAX));
  probe.Stop(result.entries, 0);
  if (result.entries != keys) {
    return absl::DataLossError("scan: " + std::to_string(result.entries) + " of " + std::to_string(keys) + " entries");
  }
  return probe.Finish();
}

absl::StatusOr<Outcome> ScanShort(Subject& subject) {
  const uint64_t keys = subject.settings().keys;
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  BETR_RETURN_IF_ERROR(engine->Scan("", UINT64_MAX).status());
  Random random(4);
  uint64_t entries = 0;
  Probe probe(subject);
  for (uint64_t i = 0; i < std::max<uint64_t>(1, keys / 500); ++i) {
    BETR_ASSIGN_OR_RETURN(const ScanResult result, engine->Scan(OrderedKey(random.Next()), kShortScan));
    entries += result.entries;
  }
  probe.Stop(entries, 0);
  return probe.Finish();
}

}  // namespace

std::vector<Workload> ReadWorkloads(const Settings& /*settings*/) {
  return {{"get_warm", GetWarm}, {"get_cold", GetCold}, {"scan_100_warm", ScanShort}, {"scan_all_cold", ScanCold}};
}

}  // namespace betr::bench
