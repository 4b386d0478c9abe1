// SPDX-License-Identifier: Apache-2.0
// Nodes that neither the node table nor any other node names, as an image that was cut short leaves them: repair keeps
// what is in them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/coding.h"
#include "dag/view.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "layout/superblock_copy.h"
#include "store/borrowed_device.h"
#include "store/checkpoint.h"
#include "store/offline/repair_image.h"
#include "store/offline/tune_image.h"
#include "support/damage/structures.h"
#include "support/damage/subject.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(4);

void Fill(MemoryDevice& device) {
  FormatOptions format;
  format.node_size = Bytes{512};
  format.basement_size = Bytes{128};
  format.fanout = 4;
  format.log_size = KiB(64);
  Must(Store::Format(device, format));
  const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
  const TreeId tree = Must(store->CreateTree("main"));
  for (int i = 0; i < 600; ++i) {
    WriteBatch batch;
    batch.Put(tree, fmt::format("usr/lib/{:03}", i * 7 % 600), fmt::format("value {}", i));
    Must(store->Write(batch));
  }
  Must(store->Checkpoint());
  Must(store->Close());
}

void ZeroOut(MemoryDevice& device, const Structure& structure) {
  Must(device.Write(structure.offset, std::string(structure.extent.value, '\0')));
}

// Takes the node table, the catalog, and nodes of that height or more; returns the values in the leaves.
std::set<std::string> Damage(MemoryDevice& device, dag::Height height) {
  std::set<std::string> values;
  std::set<uint64_t> high;
  const auto image = Must(store::Inspection::Open(device, kCache));
  image->state()->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.height >= height) high.insert(id.value);
    for (const dag::BlockView& basement : Must(record.slot->Get())->basements) {
      dag::ViewReader reader = Must(dag::ViewReader::Open(basement));
      for (reader.SeekForward(basement.clip.lo); reader.Valid(); reader.Next()) values.emplace(reader.At(0).value);
    }
  });
  REQUIRE(!high.empty());
  for (const Structure& structure : StructuresOf(device)) {
    const bool is_named_by =
        structure.kind == Structure::Kind::kTablePage || structure.kind == Structure::Kind::kCatalog;
    const bool is_high = structure.kind == Structure::Kind::kNodeHeader && high.contains(structure.id);
    if (is_named_by || is_high) ZeroOut(device, structure);
  }
  return values;
}

std::set<std::string> Values(const Store& store) {
  std::set<std::string> values;
  for (const TreeInfo& tree : store.Trees()) {
    const auto cursor = Must(store.NewCursor(tree.id));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) values.emplace(cursor->Value());
    Must(cursor->status());
  }
  return values;
}

store::ImageRepair Repair(MemoryDevice& device) {
  return Must(store::RepairImage(device, kCache, store::RepairDepth::kAll, Must(CheckImage(device, kCache)),
                                 [](std::string_view) {}));
}

// Takes the roots of all trees of which something is known.
void LoseRoots(MemoryDevice& device) {
  std::set<uint64_t> roots;
  const auto inspection = Must(store::Inspection::Open(device, kCache));
  for (const auto& [id, tree] : inspection->state()->trees) roots.insert(tree.root.value);
  for (const Structure& structure : StructuresOf(device)) {
    if (structure.kind == Structure::Kind::kNodeHeader && roots.contains(structure.id)) ZeroOut(device, structure);
  }
}

TEST_CASE("trees that were found once are found again when they lose their roots", "[damage][repair]") {
  MemoryDevice device(MiB(4));
  Fill(device);
  LoseRoots(device);
  CHECK(Repair(device).left.empty());
  const std::set<std::string> kept = Values(*Must(OpenSubject(device, true)));
  REQUIRE(kept.size() > 100);
  for (int again = 0; again < 2; ++again) {
    LoseRoots(device);
    CHECK(Repair(device).left.empty());
    CHECK(Must(CheckImage(device, kCache)).empty());
    CHECK(Values(*Must(OpenSubject(device, true))) == kept);
  }
}

// Nodes that hold changes and are not roots say that they are as high as nodes can be, under good checksums.
void MakeTall(MemoryDevice& device) {
  const auto image = Must(store::Inspection::Open(device, kCache));
  auto state = std::make_shared<store::State>(*image->state());
  state->table.StartChanging();
  std::vector<NodeId> tall;
  state->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    const dag::NodePtr node = Must(record.slot->Get());
    if (!node->Leaf() && !node->bounds.Covers(Range::All()) && node->Size().value > 0) tall.push_back(id);
  });
  REQUIRE(!tall.empty());
  for (const NodeId id : tall) {
    dag::NodeRecord record = *state->table.Find(id);
    dag::Node node = *Must(record.slot->Get());
    record.height = node.height = dag::kMaxHeight;
    record.slot = image->core().io->Adopt(id, std::move(node));
    state->table.Set(id, std::move(record));
  }
  store::Checkpointer checkpointer(image->core(), image->state(), image->catalog());
  const store::Log::Checkpoint log = image->log_start();
  Must(checkpointer.Write({.state = state, .lsn = log.lsn, .log = log.position, .order = 1}).status());
}

TEST_CASE("nodes that are as high as nodes can be, and nobody names, get no root that is higher", "[damage][repair]") {
  MemoryDevice device(MiB(4));
  Fill(device);
  MakeTall(device);
  CHECK(Repair(device).left.empty());
  CHECK(Must(CheckImage(device, kCache)).empty());
}

// Begins like the header section of a node of so many units.
std::string Lie(uint64_t units) {
  std::string bytes(layout::kNodeMagic);
  PutFixed64(&bytes, 0);
  PutFixed16(&bytes, layout::kNodeVersion);
  bytes.append(6, '\0');
  PutFixed64(&bytes, 1);
  PutFixed64(&bytes, 1);
  PutFixed32(&bytes, static_cast<uint32_t>(units));
  PutFixed32(&bytes, static_cast<uint32_t>(units));
  PutFixed32(&bytes, static_cast<uint32_t>(layout::UnitBytes(units).value - layout::kFixedSize));
  bytes.resize(layout::kUnit.value, '\0');
  return bytes;
}

TEST_CASE("it is said that a search has not looked at all that may be a node", "[damage][repair]") {
  const uint64_t lies = GENERATE(0, 40);
  MemoryDevice device(MiB(4));
  Fill(device);
  for (const Structure& structure : StructuresOf(device)) {
    if (structure.kind == Structure::Kind::kTablePage) ZeroOut(device, structure);
  }
  for (uint64_t i = 0; i < lies; ++i) Must(device.Write(layout::UnitBytes(500 + i), Lie(400)));
  const auto repair = Repair(device);
  CHECK(repair.left.empty());
  const auto is_of_search = [](const store::LostRange& lost) {
    return lost.IsDoubt() && lost.why.starts_with("search for nodes: ");
  };
  CHECK(std::any_of(repair.salvaged.lost.begin(), repair.salvaged.lost.end(), is_of_search) == (lies > 0));
}

TEST_CASE("nodes that nobody names and no table lists are kept", "[damage][repair]") {
  MemoryDevice device(MiB(4));
  Fill(device);
  // Under another uuid they are the same nodes.
  if (GENERATE(false, true)) {
    TuneOptions another;
    another.uuid = "";
    Must(store::TuneImage(device, Must(layout::ReadToOpen(device)), another));
  }
  const auto height = static_cast<dag::Height>(GENERATE(1, 2, 3));
  const std::set<std::string> in_leaves = Damage(device, height);
  REQUIRE(in_leaves.size() > 100);
  const auto repair = Must(store::RepairImage(device, kCache, store::RepairDepth::kAll,
                                              Must(CheckImage(device, kCache)), [](std::string_view) {}));
  CHECK(repair.left.empty());
  CHECK(Must(CheckImage(device, kCache)).empty());
  const std::set<std::string> kept = Values(*Must(OpenSubject(device, true)));
  for (const std::string& value : in_leaves) {
    INFO(value);
    CHECK(kept.contains(value));
  }
}

}  // namespace
}  // namespace betr::test
