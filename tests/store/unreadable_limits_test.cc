// SPDX-License-Identifier: Apache-2.0
// How much waits for what cannot be read, of every kind of change; and how long a checkpoint waits for it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "support/store/patient.h"

namespace betr::test {
namespace {

// A change for the range of what cannot be read; numbered.
using Change = std::function<absl::Status(Patient&, int)>;

std::string In(int i) { return Patient::Key('m', 20) + fmt::format("/{:06}", i); }

// Does it until it is refused, which must come soon.
absl::Status DoUntilRefused(Patient& patient, const Change& change) {
  for (int i = 0; i < 60'000; ++i) {
    const absl::Status done = change(patient, i);
    if (!done.ok()) {
      INFO(i << " times: " << done);
      REQUIRE(IsUnreadable(done));
      return done;
    }
  }
  FAIL("never refused");
  return absl::OkStatus();
}

// In sizes of a node.
uint64_t SizeOfLargest(Patient& patient) {
  Bytes largest{0};
  const auto image = Must(store::Inspection::Open(patient.memory(), MiB(64)));
  image->state()->table.ForEach([&](NodeId id, const dag::NodeRecord& /*record*/) {
    const auto node = dag::LoadNode(image->state()->table, id);
    largest = std::max(largest, node.ok() ? (*node)->Size() : Bytes{0});
  });
  return largest / KiB(4);
}

absl::Status Put(Patient& patient, int i) { return patient.store().Put(patient.tree(), In(i), std::string(60, 'v')); }

}  // namespace

TEST_CASE("every kind of change for what cannot be read has a limit", "[store][damage]") {
  struct Kind {
    std::string name;
    Change change;
  };
  const auto in = [](int i) { return In(i); };
  const Kind kind = GENERATE_COPY(
      Kind{"erase", [=](Patient& p, int i) { return p.store().Erase(p.tree(), in(i)); }},
      Kind{"range erase",
           [=](Patient& p, int i) {
             return p.store().EraseRange(p.tree(), {Bound::At(in(i)), Bound::At(in(i) + "1")});
           }},
      Kind{"small clone",
           [=](Patient& p, int i) { return p.store().ClonePrefix(p.tree(), Patient::Key('a', 1), p.tree(), in(i)); }},
      Kind{"clone", [=](Patient& p, int i) { return p.store().ClonePrefix(p.tree(), "b", p.tree(), in(i)); }},
      Kind{"rename from elsewhere",
           [=](Patient& p, int i) {
             const absl::Status put = p.store().ClonePrefix(p.tree(), "b", p.tree(), "0");
             return put.ok() ? p.store().RenamePrefix(p.tree(), "0", p.tree(), in(i)) : put;
           }},
      Kind{"rename to elsewhere",
           [=](Patient& p, int i) { return p.store().RenamePrefix(p.tree(), in(i), p.tree(), "1"); }});
  INFO(kind.name);
  Patient patient;
  const NodeId bad = patient.NodeOf(Patient::Key('m', 20), 0);
  patient.Spoil(bad, Harm::kDamagedHeader);
  patient.Open();
  // After puts, for which there is the smaller limit.
  INFO(DoUntilRefused(patient, Put));
  CHECK(Names(DoUntilRefused(patient, kind.change), bad));
  CHECK_FALSE(patient.store().ReadOnly());
  patient.Fill('c', 0, 50);
  Must(patient.store().Sync());
  Must(patient.store().Checkpoint());
  CHECK(SizeOfLargest(patient) < 40);
  // What supersedes all of it comes in always.
  Must(patient.store().EraseRange(patient.tree(), {Bound::At("k"), Bound::At("o")}));
  std::erase_if(patient.expected(), [](const auto& entry) { return entry.first >= "k" && entry.first < "o"; });
  Must(patient.store().Checkpoint());
  patient.Fill('m', 0, 50);
  CHECK(patient.CheckAll(bad) == 0);
  patient.Close();
}

TEST_CASE("a device that cannot read a block for a while loses nothing", "[store][damage]") {
  const auto patience = GENERATE(std::chrono::milliseconds(30'000), std::chrono::milliseconds::max());
  Patient patient({Logging::kFull, false, patience});
  patient.Open();
  for (int i = 0; i < 30; ++i) Must(patient.TryPut(Patient::Key('m', i)));
  Must(patient.store().Checkpoint());
  const NodeId root = patient.NodeOf(Patient::Key('m', 20), 200);
  patient.Close();
  patient.Spoil(root, Harm::kFailingBlocks);
  patient.device().HealAfter(6);
  patient.Open();
  patient.Fill('c', 0, 10);
  Must(patient.store().Checkpoint());
  CHECK(patient.device().failures() == 6);
  CHECK(patient.CheckAll(root) == 0);
  patient.Close();
}

}  // namespace betr::test
