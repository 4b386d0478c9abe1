// SPDX-License-Identifier: Apache-2.0
// Images whose node table and catalog contradict the nodes, under good checksums: opened, read and written to. Contents
// may be wrong then, and errors come; nothing ends the program.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "layout/superblock_slots.h"
#include "store/borrowed_device.h"
#include "store/checkpoint.h"
#include "store/offline/inspect.h"
#include "store/offline/repair_image.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

absl::StatusOr<std::unique_ptr<Store>> Open(MemoryDevice& device) {
  StoreOptions options;
  options.background = false;
  options.cache_size = KiB(256);
  options.checkpoint_period = std::chrono::seconds(0);
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), options);
}

std::string Key(Random& random) {
  return fmt::format("{}/{:04}", static_cast<char>('a' + random.Uniform(6)), random.Uniform(3000));
}

// Two trees that share, and a snapshot.
void Fill(MemoryDevice& device) {
  FormatOptions format;
  format.node_size = Bytes{512};
  format.basement_size = Bytes{128};
  format.fanout = 8;
  format.log_size = KiB(256);
  format.compression = "none";
  REQUIRE(Store::Format(device, format).ok());
  const auto store = Open(device).value();
  const TreeId a = store->CreateTree("a").value();
  const TreeId b = store->CreateTree("b").value();
  Random random(5);
  const auto put = [&](int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(store->Put(i % 3 == 0 ? b : a, Key(random), std::string(random.Uniform(60), 'v')).ok());
    }
  };
  put(3000);
  REQUIRE(store->Snapshot(a, "snapshot").ok());
  REQUIRE(store->ClonePrefix(a, "b/", b, "clone/").ok());
  REQUIRE(store->ClonePrefix(a, "", b, "whole/").ok());
  REQUIRE(store->RenamePrefix(a, "c/", a, "moved/").ok());
  put(500);
  REQUIRE(store->Close().ok());
}

// Of a state: a count, a height, a root, a node that is not there.
class Forger {
 public:
  Forger(store::State* state, uint64_t seed) : state_(*state), random_(seed) {
    state_.table.StartChanging();
    state_.table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      ids_.push_back(id);
      if (record.height > 0 && !record.Dead()) interior_.push_back(id);
    });
    for (const auto& [id, tree] : state_.trees) trees_.push_back(id);
  }

  std::string Forge() {
    const NodeId id = random_.OneIn(2) ? AnyOf(interior_) : AnyOf(ids_);
    const TreeId tree = AnyOf(trees_);
    const dag::NodeRecord* const found = state_.table.Find(id);
    if (found == nullptr) return "";
    dag::NodeRecord record = *found;
    switch (random_.Uniform(5)) {
      case 0:
        record.references = static_cast<uint32_t>(random_.Uniform(4));
        state_.table.Set(id, record);
        return fmt::format("node {} has {} references; ", id.value, record.references);
      case 1:
        record.height = static_cast<dag::Height>(random_.Uniform(6));
        state_.table.Set(id, record);
        return fmt::format("node {} has height {}; ", id.value, record.height);
      case 2: {
        const NodeId root = AnyOf(interior_);
        state_.trees.SetRoot(tree, root);
        return fmt::format("tree {} has root {}; ", tree.value, root.value);
      }
      case 3:
        state_.trees.SetRoot(tree, state_.trees.Find(AnyOf(trees_))->root);
        return fmt::format("tree {} has the root of a tree; ", tree.value);
      default:
        state_.table.Remove(id);
        return fmt::format("node {} is not in the table; ", id.value);
    }
  }

 private:
  template <class T>
  T AnyOf(const std::vector<T>& all) {
    return all[random_.Uniform(all.size())];
  }

  store::State& state_;
  Random random_;
  std::vector<NodeId> ids_;
  std::vector<NodeId> interior_;
  std::vector<TreeId> trees_;
};

// Writes a checkpoint of a state that is changed by `forge`.
template <class Change>
void Rewrite(MemoryDevice& device, const Change& forge) {
  const auto image = store::Inspection::Open(device, MiB(4)).value();
  const auto state = std::make_shared<store::State>(*image->state());
  forge(state.get());
  store::Checkpointer checkpointer(image->core(), image->state(), image->catalog());
  const store::Log::Checkpoint log = image->log_start();
  const absl::Status written =
      checkpointer.Write({.state = state, .lsn = log.lsn, .log = log.position, .order = 1}).status();
  INFO(written);
  REQUIRE(written.ok());
}

void Scan(const Store& store, TreeId tree) {
  const auto cursor = store.NewCursor(tree, Range::All());
  if (!cursor.ok()) return;
  constexpr int kEnough = 100'000;
  int count = 0;
  for ((*cursor)->SeekToFirst(); (*cursor)->Valid() && count < kEnough; (*cursor)->Next()) ++count;
}

std::map<std::string, std::string> ContentOf(const Store& store, TreeId tree) {
  std::map<std::string, std::string> content;
  const auto cursor = Must(store.NewCursor(tree, Range::All()));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) content[std::string(cursor->Key())] = cursor->Value();
  REQUIRE(cursor->status().ok());
  return content;
}

// An interior node that the root names: it holds only some of the keys.
NodeId BelowRoot(const store::State& state, NodeId root) {
  const dag::NodePtr node = Must(dag::LoadNode(state.table, root));
  for (const dag::Edge& edge : node->edges) {
    if (edge.link.Null()) continue;
    if (Must(dag::LoadNode(state.table, edge.link.target))->bounds != Range::All()) return edge.link.target;
  }
  FAIL("nothing below the root is bounded");
  return kNoNode;
}

// All that a store can do. Whatever it says, it says.
void Use(Store& store, Random& random) {
  const std::vector<TreeInfo> trees = store.Trees();
  for (const TreeInfo& tree : trees) Scan(store, tree.id);
  for (int i = 0; i < 200; ++i) {
    const TreeId tree = trees[random.Uniform(2)].id;
    const TreeId other = trees[random.Uniform(2)].id;
    const std::string key = Key(random);
    switch (random.Uniform(8)) {
      case 0:
        store.Erase(tree, key).IgnoreError();
        break;
      case 1:
        store.EraseRange(tree, Range::Prefix(key.substr(0, 4))).IgnoreError();
        break;
      case 2:
        store.ClonePrefix(tree, key.substr(0, 2), other, "x" + key).IgnoreError();
        break;
      case 3:
        store.RenamePrefix(tree, key.substr(0, 4), other, "y" + key).IgnoreError();
        break;
      default:
        store.Put(tree, key, std::string(random.Uniform(90), 'w')).IgnoreError();
    }
    if (i % 50 == 49) store.Checkpoint().IgnoreError();
    if (i == 100) store.DropTree(trees.back().id).IgnoreError();
    if (i == 150) store.Compact(tree).IgnoreError();
  }
  store.Close().IgnoreError();
}

}  // namespace

TEST_CASE("forged counts, heights and roots give errors", "[store]") {
  MemoryDevice base(MiB(16));
  Fill(base);
  const auto cases = static_cast<uint64_t>(150 * TestScale());
  int opened = 0;
  for (uint64_t seed = TestSeed(); seed < TestSeed() + cases; ++seed) {
    MemoryDevice device(base.Size(), base.Pages());
    std::string what;
    Rewrite(device, [&](store::State* state) {
      Forger forger(state, seed);
      what = forger.Forge();
      if (seed % 2 == 0) what += forger.Forge();
    });
    INFO("seed " << seed << ": " << what);
    auto store = Open(device);
    if (!store.ok()) continue;
    ++opened;
    Random random(seed);
    Use(**store, random);
    store->reset();
    Open(device).status().IgnoreError();
  }
  CHECK(opened > 0);
}

TEST_CASE("two trees with one root that is counted once are refused", "[store]") {
  MemoryDevice device(MiB(16));
  Fill(device);
  Rewrite(device, [](store::State* state) {
    state->table.StartChanging();
    std::vector<TreeId> trees;
    for (const auto& [id, tree] : state->trees) trees.push_back(id);
    state->trees.SetRoot(trees[1], state->trees.Find(trees[0])->root);
    dag::NodeRecord root = *state->table.Find(state->trees.Find(trees[0])->root);
    root.references = 1;
    state->table.Set(state->trees.Find(trees[0])->root, root);
  });
  const absl::Status opened = Open(device).status();
  INFO(opened);
  REQUIRE(absl::IsDataLoss(opened));
  REQUIRE(std::string(opened.message()).find("is named more often than counted") != std::string::npos);
}

TEST_CASE("ids that would be given once more are refused", "[store]") {
  MemoryDevice device(MiB(16));
  Fill(device);
  const bool of_trees = GENERATE(true, false);
  Rewrite(device, [&](store::State* state) {
    if (of_trees) {
      state->next_tree = TreeId{2};
    } else {
      state->next_node = NodeId{state->table.Count() + 1};
    }
  });
  const absl::Status opened = Open(device).status();
  INFO(opened);
  REQUIRE(absl::IsDataLoss(opened));
  REQUIRE(std::string(opened.message()).find("but the next new one is") != std::string::npos);
}

TEST_CASE("what is dead in an image is reclaimed by who opens it", "[store]") {
  MemoryDevice device(MiB(16));
  Fill(device);
  // As a crash leaves it, or a closing that has no time.
  Rewrite(device, [&](store::State* state) {
    const store::Tree dropped = *state->trees.FindName("b");
    state->trees.Remove(dropped.id);
    state->table.StartChanging();
    dag::NodeRecord root = *state->table.Find(dropped.root);
    REQUIRE(root.references == 1);
    root.references = 0;
    state->table.Set(dropped.root, root);
  });
  const auto dead = [&] {
    CHECK(Must(CheckImage(device)).empty());
    size_t count = 0;
    Must(store::Inspection::Open(device, MiB(4)))->state()->table.ForEach([&](NodeId, const dag::NodeRecord& record) {
      count += record.Dead() ? 1 : 0;
    });
    return count;
  };
  REQUIRE(dead() == 1);
  const auto store = Must(Open(device));
  Must(store->Close());
  CHECK(dead() == 0);
}

TEST_CASE("a damaged copy of the catalog is whole again after the next checkpoint", "[store]") {
  MemoryDevice device(MiB(16));
  Fill(device);
  const size_t copy = GENERATE(0U, 1U);
  const layout::CatalogAddress address = Must(layout::ReadNewest(device)).superblock.catalog;
  REQUIRE_FALSE(address.copies[copy].scattered);
  REQUIRE(device.Patch(address.copies[copy].Offset() + Bytes{100}, "damaged").ok());
  CHECK_FALSE(Must(CheckImage(device)).empty());
  const auto store = Must(Open(device));
  Must(store->Put(Must(store->FindTree("a")), "key", "value"));
  Must(store->Checkpoint());
  Must(store->Close());
  CHECK(Must(CheckImage(device)).empty());
}

TEST_CASE("a root that does not hold all keys is damage, and the real tree is kept", "[store]") {
  MemoryDevice device(MiB(16));
  Fill(device);
  std::map<std::string, std::string> before;
  TreeId tree;
  {
    const auto store = Open(device).value();
    tree = store->FindTree("b").value();
    before = ContentOf(*store, tree);
  }
  Rewrite(device,
          [&](store::State* state) { state->trees.SetRoot(tree, BelowRoot(*state, state->trees.Find(tree)->root)); });

  std::vector<store::Finding> findings = Must(CheckImage(device));
  REQUIRE(findings.size() == 1);  // what nobody seems to name is the real tree
  CHECK(findings[0].kind == "catalog");
  CHECK(findings[0].what.find("tree \"b\": node") != std::string::npos);
  {
    const auto store = Open(device).value();
    const auto is_told = [](const absl::Status& status) {
      return absl::IsDataLoss(status) && status.message().find("is a tree's root, but") != std::string::npos;
    };
    for (const auto& [key, value] : before) REQUIRE(is_told(store->Get(tree, key).status()));
    const auto cursor = Must(store->NewCursor(tree, Range::All()));
    cursor->SeekToFirst();
    CHECK(is_told(cursor->status()));
  }
  const auto repair = [&](store::RepairDepth depth) {
    const auto ignore = [](std::string_view) {};
    return Must(store::RepairImage(device, MiB(4), depth, Must(CheckImage(device)), ignore));
  };
  const store::ImageRepair safe = repair(store::RepairDepth::kSafe);
  CHECK(safe.actions == 0);
  CHECK(safe.left.size() == 1);

  const store::ImageRepair salvage = repair(store::RepairDepth::kAll);
  CHECK(salvage.left.empty());
  REQUIRE(salvage.salvaged.lost_trees.size() == 1);
  CHECK(Must(CheckImage(device)).empty());
  const auto store = Open(device).value();
  CHECK(ContentOf(*store, tree).empty());
  CHECK(ContentOf(*store, store->FindTree(salvage.salvaged.lost_trees[0]).value()) == before);
}

}  // namespace betr::test
