// SPDX-License-Identifier: Apache-2.0
// Changes that need not know what they change: ranges erased, counters counted up.
#include <algorithm>

#include "base/random.h"
#include "base/status.h"
#include "lib/counter.h"
#include "lib/dataset.h"
#include "lib/workload.h"

namespace betr::bench {
namespace {

// Ranges of about 100 keys each at even distances, a tenth of all keys together.
absl::StatusOr<Outcome> EraseSmallRanges(Subject& subject) {
  const uint64_t ranges = std::max<uint64_t>(1, subject.settings().keys / 1000);
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  subject.SetFilled(false);
  const uint64_t step = UINT64_MAX / ranges;
  Probe probe(subject);
  for (uint64_t i = 0; i < ranges; ++i) {
    BETR_RETURN_IF_ERROR(engine->EraseRange(OrderedKey(i * step), OrderedKey(i * step + step / 10)));
  }
  BETR_RETURN_IF_ERROR(engine->Sync());
  probe.Stop(ranges, 0);
  return probe.Finish();
}

// The middle half of all keys, at once.
absl::StatusOr<Outcome> EraseHalf(Subject& subject) {
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenFilled());
  subject.SetFilled(false);
  Probe probe(subject);
  BETR_RETURN_IF_ERROR(engine->EraseRange(OrderedKey(UINT64_MAX / 4), OrderedKey(UINT64_MAX / 4 * 3)));
  BETR_RETURN_IF_ERROR(engine->Sync());
  probe.Stop(1, 0);
  BETR_ASSIGN_OR_RETURN(const ScanResult inside, engine->Scan(OrderedKey(UINT64_MAX / 2), 1));
  if (inside.entries != 1) return absl::DataLossError("erase_half: nothing is left");
  return probe.Finish();
}

// Counters that exist, in random order.
absl::StatusOr<Outcome> Upsert(Subject& subject) {
  const uint64_t count = subject.settings().keys / 2;
  BETR_ASSIGN_OR_RETURN(Engine * engine, subject.OpenEmpty());
  for (uint64_t i = 0; i < count; ++i) BETR_RETURN_IF_ERROR(engine->Put(ScatteredKey(i), EncodeCounter(i)));
  BETR_RETURN_IF_ERROR(engine->Sync());
  Random random(5);
  Probe probe(subject);
  for (uint64_t i = 0; i < count; ++i) BETR_RETURN_IF_ERROR(engine->Add(ScatteredKey(random.Uniform(count)), 1));
  BETR_RETURN_IF_ERROR(engine->Sync());
  probe.Stop(count, count * (kKeySize + sizeof(uint64_t)));
  return probe.Finish();
}

}  // namespace

std::vector<Workload> ChangeWorkloads(const Settings& /*settings*/) {
  return {{"erase_range_100", EraseSmallRanges}, {"erase_half", EraseHalf}, {"upsert", Upsert}};
}

}  // namespace betr::bench
