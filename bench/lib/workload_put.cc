// SPDX-License-Identifier: Apache-2.0
// Puts: in order, scattered, and scattered with a sync after each.
#include "base/status.h"
#include "lib/dataset.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

enum class Order { kSequential, kScattered };

absl::StatusOr<Outcome> PutAll(Subject& subject, Order order) {
  const Settings& settings = subject.settings();
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenEmpty());
  Values values(settings.value_size);
  Probe probe(subject);
  for (uint64_t i = 0; i < settings.keys; ++i) {
    const std::string key = order == Order::kSequential ? OrderedKey(i) : ScatteredKey(i);
    BETR_RETURN_IF_ERROR(engine->Put(key, values.At(i)));
  }
  BETR_RETURN_IF_ERROR(engine->Sync());
  probe.Stop(settings.keys, settings.keys * (kKeySize + settings.value_size));
  BETR_ASSIGN_OR_RETURN(const Outcome outcome, probe.Finish());
  subject.SetFilled(order == Order::kScattered);
  return outcome;
}

// On a store that has grown already, so that a sync meets the normal state.
absl::StatusOr<Outcome> PutDurably(Subject& subject) {
  const Settings& settings = subject.settings();
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenEmpty());
  const uint64_t before = settings.keys / 10;
  BETR_RETURN_IF_ERROR(PutScattered(*engine, before, settings.value_size));
  BETR_RETURN_IF_ERROR(engine->Sync());
  BETR_ASSIGN_OR_RETURN(engine, subject.Reopen());
  Values values(settings.value_size);
  Probe probe(subject);
  for (uint64_t i = 0; i < settings.durable_puts; ++i) {
    BETR_RETURN_IF_ERROR(engine->Put(ScatteredKey(before + i), values.At(i)));
    BETR_RETURN_IF_ERROR(engine->Sync());
  }
  probe.Stop(settings.durable_puts, settings.durable_puts * (kKeySize + settings.value_size));
  return probe.Finish();
}

}  // namespace

std::vector<Workload> PutWorkloads(const Settings& /*settings*/) {
  return {
      {"put_durable", PutDurably},
      {"put_sequential", [](Subject& subject) { return PutAll(subject, Order::kSequential); }},
      {"put_random", [](Subject& subject) { return PutAll(subject, Order::kScattered); }},
  };
}

}  // namespace betr::bench
