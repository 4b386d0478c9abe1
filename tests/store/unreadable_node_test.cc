// SPDX-License-Identifier: Apache-2.0
// A node that cannot be read, because the device fails there or because it is damaged, is in nobody's way but of those
// who need what is in it: the store takes writes, syncs, makes checkpoints and closes, and nothing else is lost.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/check_store.h"
#include "support/device/bad_sectors.h"
#include "support/must.h"
#include "support/store/node_place.h"

namespace betr::test {
namespace {

using Entries = std::map<std::string, std::string>;

enum class Harm : uint8_t { kFailingHeader, kDamagedHeader, kFailingBlocks, kDamagedBlocks };
constexpr Harm kHarms[] = {Harm::kFailingHeader, Harm::kDamagedHeader, Harm::kFailingBlocks, Harm::kDamagedBlocks};

struct Mode {
  Logging logging = Logging::kFull;
  bool background = false;
};

bool Names(const absl::Status& status, NodeId node) {
  return status.message().find(fmt::format("node {}", node.value)) != std::string::npos;
}

// A store with a tree of some levels, in which nodes can be spoiled.
class Patient {
 public:
  explicit Patient(Mode mode = {}) : mode_(mode), memory_(MiB(16)), device_(memory_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = KiB(1);
    format.fanout = 6;
    format.log_size = MiB(1);
    Must(Store::Format(memory_, format));
    Open();
    tree_ = Must(store_->CreateTree("main"));
    for (char letter = 'a'; letter <= 'z'; ++letter) Fill(letter, 0, 50);
    Must(store_->Compact(tree_));
    Close();
  }

  static std::string Key(char letter, int i) { return fmt::format("{}/{:04}", letter, i); }

  void Open() {
    StoreOptions options;
    options.logging = mode_.logging;
    options.background = mode_.background;
    options.cache_size = MiB(1);
    options.checkpoint_period = std::chrono::seconds(0);
    options.on_unreadable = [this](const absl::Status& status) {
      const std::lock_guard lock(mutex_);
      told_.emplace_back(status.message());
    };
    store_ = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
  }
  void Close() {
    Must(store_->Close());
    store_.reset();
  }

  // Puts keys of a letter, with values of their own; changes what is there already.
  void Fill(char letter, int from, int to) {
    for (int i = from; i < to; ++i) Must(TryPut(Key(letter, i)));
  }
  absl::Status TryPut(const std::string& key) {
    const std::string value = random_.String(60);
    absl::Status put = store_->Put(tree_, key, value);
    if (put.ok()) expected_[key] = value;
    return put;
  }

  // The node of that height on the way to a key.
  NodeId NodeOf(const std::string& key, int height) { return NodeOnTheWay(memory_, tree_, key, height); }

  // Requires: the store is closed.
  void Spoil(NodeId node, Harm harm) {
    const NodePlace place = PlaceOf(memory_, node);
    const bool is_header = harm == Harm::kFailingHeader || harm == Harm::kDamagedHeader;
    const Bytes from = is_header ? place.begin : place.header_end;
    const Bytes length = (is_header ? place.header_end : place.end) - from;
    REQUIRE(length > Bytes{0});
    if (harm == Harm::kFailingHeader || harm == Harm::kFailingBlocks) {
      device_.Spoil(from, length);
    } else {
      Must(memory_.Patch(from + Bytes{70}, "damage"));
    }
  }

  // Whether every key is there, but for those that only `bad` has: to read them is an error that names it. Returns how
  // many these are.
  int CheckAll(NodeId bad) {
    int errors = 0;
    for (const auto& [key, value] : expected_) {
      INFO(key);
      const auto found = store_->Get(tree_, key);
      if (found.ok()) {
        REQUIRE(*found == value);
      } else {
        INFO(found.status());
        REQUIRE(Names(found.status(), bad));
        ++errors;
      }
    }
    return errors;
  }

  std::vector<std::string> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }
  BadSectors& device() { return device_; }
  MemoryDevice& memory() { return memory_; }
  Entries& expected() { return expected_; }

 private:
  const Mode mode_;
  MemoryDevice memory_;
  BadSectors device_;
  Random random_{1};
  TreeId tree_;
  Entries expected_;
  std::unique_ptr<Store> store_;
  mutable std::mutex mutex_;
  std::vector<std::string> told_;
};

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

TEST_CASE("what waits above a node that could not be read gets there when it can be", "[store][damage]") {
  Patient patient;
  const NodeId bad = patient.NodeOf(Patient::Key('m', 20), 0);
  const PageMap sound = patient.memory().Pages();
  patient.Spoil(bad, Harm::kDamagedHeader);
  const Bytes place = PlaceOf(patient.memory(), bad).begin;
  std::string header(layout::kUnit.value, '\0');
  MemoryDevice before(MiB(16), sound);
  Must(before.Read(place, header));
  patient.Open();
  WorkOn(patient, bad);
  patient.Close();
  Must(patient.memory().Write(place, header));
  patient.Open();
  CHECK(patient.CheckAll(bad) == 0);
  Must(patient.store().Compact(patient.tree()));
  CHECK(patient.CheckAll(bad) == 0);
  patient.Close();
  CHECK(Must(store::CheckImage(patient.memory())).empty());
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
    CHECK(dag::IsUnreadable(put));
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
