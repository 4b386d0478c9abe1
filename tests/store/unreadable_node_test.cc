// SPDX-License-Identifier: Apache-2.0
// A node that cannot be read, because the device fails there or because it is damaged, is in nobody's way but of those
// who need what is in it: the store takes writes, syncs, makes checkpoints and closes, and nothing else is lost.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "support/store/check_image.h"
#include "support/store/patient.h"

namespace betr::test {
namespace {

// Clones what begins with `source` to "clone/", and then moves the clone and the source.
void CloneAndMove(Patient& patient, const std::string& source) {
  Store& store = patient.store();
  const TreeId tree = patient.tree();
  Must(store.ClonePrefix(tree, source, tree, "clone/"));
  Must(store.RenamePrefix(tree, "clone/", tree, "moved clone/"));
  Must(store.RenamePrefix(tree, source, tree, "moved/"));
  Must(store.Sync());
}

// Where the keys of the source are then.
std::vector<std::string> PlacesOf(const std::string& key, const std::string& source) {
  if (!key.starts_with(source)) return {key};
  const std::string rest = key.substr(source.size());
  return {"moved/" + rest, "moved clone/" + rest};
}

// Checks that every key is where CloneAndMove leaves it, or cannot be read because of the bad node. Returns how often
// the latter.
int CountUnreadable(Patient& patient, const std::string& source, NodeId bad) {
  int errors = 0;
  for (const auto& [key, value] : patient.expected()) {
    for (const std::string& place : PlacesOf(key, source)) {
      INFO(place);
      const auto found = patient.store().Get(patient.tree(), place);
      INFO(found.status());
      REQUIRE((found.ok() ? *found == value : Names(found.status(), bad)));
      errors += found.ok() ? 0 : 1;
    }
    if (key.starts_with(source)) CHECK(!patient.store().Get(patient.tree(), key).value_or(std::nullopt));
  }
  return errors;
}

// Changes every other key, some of them below the bad node, and makes it durable in every way. Returns for which
// letters changes were refused because of the node.
std::set<char> WorkOn(Patient& patient, NodeId bad) {
  std::set<char> refused;
  for (int round = 0; round < 6; ++round) {
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      for (int i = 0; i < 50; i += 2) {
        const absl::Status put = patient.TryPut(Patient::Key(letter, i));
        INFO(put);
        REQUIRE((put.ok() || Names(put, bad)));
        if (!put.ok()) refused.insert(letter);
      }
    }
    Must(patient.store().Sync());
    Must(patient.store().Checkpoint());
    REQUIRE_FALSE(patient.store().ReadOnly());
  }
  return refused;
}

}  // namespace

TEST_CASE("a node that cannot be read is in nobody's way", "[store][damage]") {
  const Mode mode = GENERATE(Mode{Logging::kFull, false}, Mode{Logging::kBulk, false}, Mode{Logging::kFull, true},
                             Mode{Logging::kBulk, true});
  const int height = GENERATE(0, 1);
  for (const Harm harm : kHarms) {
    if (height == 1 && (harm == Harm::kFailingBlocks || harm == Harm::kDamagedBlocks)) {
      continue;  // nothing waits there
    }
    INFO("harm " << static_cast<int>(harm) << " at height " << height);
    Patient patient(mode);
    const NodeId bad = patient.NodeOf(Patient::Key('m', 20), height);
    patient.Spoil(bad, harm);
    patient.Open();
    const std::set<char> refused = WorkOn(patient, bad);
    CHECK((height > 0 || refused.empty()));
    CHECK(refused.size() < 10);
    const int failures = patient.device().failures();
    CHECK(failures < 40);
    CHECK(patient.CheckAll(bad) > 0);
    const std::vector<std::string> told = patient.told();
    CHECK_FALSE(told.empty());
    CHECK(patient.store().Stats().unreadable == told.size());
    for (const std::string& text : told) {
      CHECK(text.find(fmt::format("node {}", bad.value)) != std::string::npos);
      CHECK(std::ranges::count(told, text) == 1);
    }
    patient.Close();
    patient.Open();
    CHECK(patient.CheckAll(bad) > 0);
    CHECK(patient.store().Get(patient.tree(), Patient::Key('m', 8)).ok());  // waits in the node above
    patient.Close();
  }
}

TEST_CASE("what lies below a node that cannot be read can be cloned and renamed", "[store][damage]") {
  const int height = GENERATE(0, 1);
  const bool is_replayed = GENERATE(false, true);
  const bool waits = GENERATE(false, true);  // messages for the source, above the node
  const std::string source = GENERATE("m/0020", "m/002", "m/");
  for (const Harm harm : {Harm::kFailingHeader, Harm::kDamagedHeader}) {
    CAPTURE(height, is_replayed, waits, source, static_cast<int>(harm));
    Patient patient;
    patient.Open();
    if (waits) patient.Fill('m', 18, 23);
    patient.Close();
    const NodeId bad = patient.NodeOf(Patient::Key('m', 20), height);
    if (is_replayed) {
      patient.Open();
      CloneAndMove(patient, source);
      patient.Crash();
    }
    patient.Spoil(bad, harm);
    patient.Open();
    if (!is_replayed) CloneAndMove(patient, source);
    CHECK((CountUnreadable(patient, source, bad) > 0 || waits));
    Must(patient.store().Checkpoint());
    patient.Close();
  }
}

TEST_CASE("what waiting messages that cannot be read are for can be cloned and renamed", "[store][damage]") {
  const bool is_replayed = GENERATE(false, true);
  const std::string source = GENERATE("m/0020", "m/002", "m/");
  for (const Harm harm : {Harm::kFailingBlocks, Harm::kDamagedBlocks}) {
    CAPTURE(is_replayed, source, static_cast<int>(harm));
    Patient patient;
    patient.Open();
    patient.Fill('m', 0, 30);
    Must(patient.store().Checkpoint());
    const NodeId root = patient.NodeOf(Patient::Key('m', 20), 200);
    patient.Close();
    if (is_replayed) {
      patient.Open();
      CloneAndMove(patient, source);
      patient.Crash();
    }
    patient.Spoil(root, harm);
    patient.Open();
    if (!is_replayed) CloneAndMove(patient, source);
    CHECK(CountUnreadable(patient, source, root) > 0);
    Must(patient.store().Checkpoint());
    patient.Close();
  }
}

TEST_CASE("what waits above a node that could not be read gets there when it can be", "[store][damage]") {
  Patient patient;
  const NodeId bad = patient.NodeOf(Patient::Key('m', 20), 0);
  const PageMap sound = patient.memory().Pages();
  patient.Spoil(bad, Harm::kDamagedHeader);
  const auto image = Must(store::Inspection::Open(patient.memory(), MiB(4)));
  const auto address = *dynamic_cast<const store::NodeVersion&>(*image->state()->table.Find(bad)->slot).Address();
  std::string header(layout::kUnit.value, '\0');
  MemoryDevice before(MiB(16), sound);
  Must(before.Read(address.extent->address().Offset(), header));
  patient.Open();
  WorkOn(patient, bad);
  patient.Close();
  Must(patient.memory().Write(address.extent->address().Offset(), header));
  patient.Open();
  CHECK(patient.CheckAll(bad) == 0);
  Must(patient.store().Compact(patient.tree()));
  CHECK(patient.CheckAll(bad) == 0);
  patient.Close();
  CHECK(Must(CheckImage(patient.memory())).empty());
}

TEST_CASE("a block that cannot be read moves with its node, and stays what it is", "[store][damage]") {
  for (const Harm harm : {Harm::kFailingBlocks, Harm::kDamagedBlocks}) {
    Patient patient;
    // An interior node with messages: it is written anew, as others come, and its blocks with it.
    patient.Open();
    for (int i = 0; i < 30; ++i) Must(patient.TryPut(Patient::Key('m', i)));
    Must(patient.store().Checkpoint());
    const NodeId root = patient.NodeOf(Patient::Key('m', 20), 200);
    patient.Close();
    patient.Spoil(root, harm);
    patient.Open();
    const std::set<char> refused = WorkOn(patient, root);
    CHECK(refused.contains('m'));
    CHECK(refused.size() < 10);
    CHECK(patient.store().Stats().unreadable > 0);
    patient.CheckAll(root);
    patient.Close();
    patient.Open();
    patient.CheckAll(root);
    patient.Close();
  }
}

TEST_CASE("what waits for a node that cannot be read has a limit, which its writers are told", "[store][damage]") {
  const Mode mode = GENERATE(Mode{Logging::kFull, false}, Mode{Logging::kBulk, true});
  Patient patient(mode);
  const NodeId bad = patient.NodeOf(Patient::Key('m', 20), 0);
  patient.Spoil(bad, Harm::kDamagedHeader);
  patient.Open();
  std::optional<absl::Status> refused;
  for (int i = 0; i < 20'000 && !refused; ++i) {
    const absl::Status put = patient.TryPut(Patient::Key('m', 20) + std::to_string(i));
    if (!put.ok()) refused = put;
  }
  REQUIRE(refused.has_value());
  INFO(*refused);
  CHECK(absl::IsDataLoss(*refused));
  CHECK(Names(*refused, bad));
  CHECK_FALSE(patient.store().ReadOnly());
  patient.Fill('c', 0, 50);
  Must(patient.store().Sync());
  Must(patient.store().Checkpoint());
  CHECK(patient.CheckAll(bad) > 0);
  // Who gives up what is there may write there again.
  const Range around{Bound::At("k"), Bound::At("o")};
  Must(patient.store().EraseRange(patient.tree(), around));
  std::erase_if(patient.expected(), [&](const auto& entry) { return around.Contains(entry.first); });
  Must(patient.store().Checkpoint());
  patient.Fill('m', 0, 50);
  patient.Close();
  patient.Open();
  CHECK(patient.CheckAll(bad) == 0);
  patient.Close();
}

TEST_CASE("nothing is taken in for a tree whose root cannot be read", "[store][damage]") {
  for (const Harm harm : {Harm::kFailingHeader, Harm::kDamagedHeader}) {
    Patient patient;
    const NodeId root = patient.NodeOf(Patient::Key('m', 20), 200);
    patient.Spoil(root, harm);
    patient.Open();
    const absl::Status put = patient.TryPut(Patient::Key('m', 20));
    INFO(put);
    CHECK(IsUnreadable(put));
    CHECK(Names(put, root));
    const TreeId other = Must(patient.store().CreateTree("other"));
    for (int i = 0; i < 200; ++i) Must(patient.store().Put(other, std::to_string(i), "value"));
    Must(patient.store().Sync());
    Must(patient.store().Checkpoint());
    CHECK_FALSE(patient.store().ReadOnly());
    patient.Close();
    patient.Open();
    CHECK(Must(patient.store().Get(Must(patient.store().FindTree("other")), "17")) == "value");
    patient.Close();
  }
}

TEST_CASE("a dead node that cannot be read keeps its space, and nothing else", "[store][damage]") {
  Patient patient;
  const NodeId bad = patient.NodeOf(Patient::Key('m', 20), 1);
  patient.Spoil(bad, Harm::kDamagedHeader);
  patient.Open();
  const TreeId other = Must(patient.store().CreateTree("other"));
  Must(patient.store().DropTree(patient.tree()));
  Must(patient.store().Put(other, "key", "value"));
  Must(patient.store().Checkpoint());
  CHECK_FALSE(patient.store().ReadOnly());
  CHECK(patient.store().Stats().unreadable == 1);
  patient.Close();
}

}  // namespace betr::test
