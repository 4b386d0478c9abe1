// SPDX-License-Identifier: Apache-2.0
// The node table to a device and back, against a map; what a changed table costs; damaged and forged pages.
#include "layout/table_codec.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "device/fault_device.h"
#include "device/memory_device.h"
#include "layout/seal.h"
#include "layout/table_page.h"
#include "support/layout/forge.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr Bytes kDeviceSize = MiB(64);
constexpr UnitRange kArea{32, (64 << 8) - 32};

// A slot that knows where its node is, and has none.
class PlaceSlot final : public dag::NodeSlot {
 public:
  PlaceSlot(NodeId node, NodeAddress place, dag::Height node_height)
      : id(node), address(std::move(place)), height(node_height) {}
  absl::StatusOr<dag::NodePtr> Get() const override { return absl::UnimplementedError(""); }
  dag::NodePtr Peek() const override { return nullptr; }
  const NodeId id;
  const NodeAddress address;
  const dag::Height height;
};

std::shared_ptr<const dag::NodeSlot> MakeSlot(NodeId id, NodeAddress address, dag::Height height) {
  return std::make_shared<PlaceSlot>(id, std::move(address), height);
}

absl::StatusOr<NodeAddress> AddressOf(NodeId id, const dag::NodeRecord& record) {
  const auto& slot = static_cast<const PlaceSlot&>(*record.slot);
  REQUIRE(slot.id == id);
  return slot.address;
}

// id -> all that a record says.
using Model = std::map<uint64_t, NodeEntry>;

Model ModelOf(const dag::NodeTable& table) {
  Model model;
  table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    const auto& slot = static_cast<const PlaceSlot&>(*record.slot);
    CHECK(slot.id == id);
    CHECK(slot.height == record.height);
    model[id.value] = {0,
                       record.height,
                       record.references,
                       slot.address.extent->address(),
                       slot.address.header_units,
                       slot.address.version,
                       record.entries};
  });
  return model;
}

void SetRandom(Random& random, SpaceMap& space, dag::NodeTable& table, NodeId id) {
  const auto units = static_cast<uint32_t>(1 + random.Uniform(3));
  const auto header = static_cast<uint32_t>(random.Between(1, units));
  const auto height = static_cast<dag::Height>(random.Uniform(dag::kMaxHeight + 1));
  const auto entries = dag::EntryCount::FromCode(static_cast<uint16_t>(random.Uniform(UINT16_MAX + 1)));
  auto slot = MakeSlot(id, {*space.Allocate(units, random.Uniform(kArea.end())), header, random.Next()}, height);
  table.Set(id, {static_cast<uint32_t>(random.Skewed(10)), height, entries, std::move(slot)});
}

NodeId RandomId(Random& random) { return NodeId{1 + (random.OneIn(10) ? random.Next() >> 1 : random.Skewed(14))}; }

TEST_CASE("a node table is read as it was written, and a change costs its path", "[layout]") {
  Random random(TestSeed());
  MemoryDevice device(kDeviceSize);
  auto space = SpaceMap::Create(kArea);
  dag::NodeTable table;
  for (int round = 0; round < 30; ++round) {
    table.StartChanging();
    const size_t changes = random.Skewed(7);
    for (size_t i = 0; i < changes; ++i) {
      const NodeId id = RandomId(random);
      if (table.Find(id) != nullptr && random.OneIn(2)) {
        table.Remove(id);
      } else {
        SetRandom(random, *space, table, id);
      }
    }
    const auto written = WriteTable(device, *space, Generation{1}, table, AddressOf);
    REQUIRE(written.ok());
    CHECK(written->pages <= 11 * changes + 10);
    CHECK(WriteTable(device, *space, Generation{2}, table, AddressOf)->pages == 0);

    const auto other_space = SpaceMap::Create(kArea);
    const auto again = ReadTable(device, *other_space, written->address, MakeSlot);
    REQUIRE(again.status() == absl::OkStatus());
    REQUIRE((ModelOf(*again) == ModelOf(table)));
    CHECK(again->Count() == table.Count());
    CHECK((other_space->FreeRanges() == space->FreeRanges()));
    CHECK(WriteTable(device, *other_space, Generation{2}, *again, AddressOf)->pages == 0);
  }
}

TEST_CASE("an older table keeps its space until it goes", "[layout]") {
  Random random(TestSeed() + 1);
  MemoryDevice device(kDeviceSize);
  const auto space = SpaceMap::Create(kArea);
  dag::NodeTable table;
  table.StartChanging();
  for (uint64_t id = 1; id < 300; ++id) SetRandom(random, *space, table, NodeId{id});
  const auto first = WriteTable(device, *space, Generation{1}, table, AddressOf);
  dag::NodeTable stable = table;
  const Model model = ModelOf(stable);
  for (int round = 0; round < 5; ++round) {
    table.StartChanging();
    for (uint64_t id = 1; id < 300; ++id) SetRandom(random, *space, table, NodeId{id});
    REQUIRE(WriteTable(device, *space, Generation{2}, table, AddressOf).ok());
    const auto other_space = SpaceMap::Create(kArea);
    REQUIRE((ModelOf(*ReadTable(device, *other_space, first->address, MakeSlot)) == model));
  }
  table = {};
  stable = {};
  CHECK((space->FreeRanges() == std::vector<UnitRange>{kArea}));
}

TEST_CASE("a full device leaves the table unmarked", "[layout]") {
  Random random(TestSeed() + 2);
  MemoryDevice device(kDeviceSize);
  const auto space = SpaceMap::Create(kArea);
  dag::NodeTable table;
  table.StartChanging();
  for (uint64_t id = 1; id < 300; ++id) SetRandom(random, *space, table, NodeId{id});
  std::vector<ExtentRef> rest;
  while (space->Figures().free > UnitBytes(3)) rest.push_back(*space->Allocate(1));
  CHECK(WriteTable(device, *space, Generation{1}, table, AddressOf).status().code() ==
        absl::StatusCode::kResourceExhausted);
  CHECK(space->Figures().free == UnitBytes(3));
  CHECK(StoredAddress(*table.Root()).extent.Nowhere());
  rest.clear();
  CHECK(WriteTable(device, *space, Generation{1}, table, AddressOf)->pages == 6);
}

TEST_CASE("a failed device leaves the table unmarked", "[layout]") {
  Random random(TestSeed() + 6);
  MemoryDevice memory(kDeviceSize);
  FaultDevice device(memory);
  const auto space = SpaceMap::Create(kArea);
  dag::NodeTable table;
  table.StartChanging();
  for (uint64_t id = 1; id < 300; ++id) SetRandom(random, *space, table, NodeId{id});
  const Bytes free = space->Figures().free;
  for (uint64_t nth = 1;; ++nth) {
    device.Arm({Fault::On::kWrite, nth});
    const auto written = WriteTable(device, *space, Generation{1}, table, AddressOf);
    if (written.ok()) {
      CHECK(nth > 1);
      CHECK(written->pages == 6);
      break;
    }
    CHECK(written.status().code() == absl::StatusCode::kUnavailable);
    CHECK(space->Figures().free == free);
    CHECK(StoredAddress(*table.Root()).extent.Nowhere());
  }
}

// A table of two levels on a device.
struct Written {
  MemoryDevice device{kDeviceSize};
  TableAddress address;
};

std::unique_ptr<Written> WriteSample(Random& random) {
  auto written = std::make_unique<Written>();
  const auto space = SpaceMap::Create(kArea);
  dag::NodeTable table;
  table.StartChanging();
  for (uint64_t id = 1; id < 150; ++id) SetRandom(random, *space, table, NodeId{id});
  written->address = WriteTable(written->device, *space, Generation{1}, table, AddressOf)->address;
  return written;
}

absl::Status Read(BlockDevice& device, const TableAddress& address) {
  return ReadTable(device, *SpaceMap::Create(kArea), address, MakeSlot).status();
}

std::string ReadUnit(BlockDevice& device, uint64_t unit) {
  std::string bytes(kUnit.value, '\0');
  REQUIRE(device.Read(UnitBytes(unit), bytes).ok());
  return bytes;
}

TEST_CASE("a damaged byte of a table page is found", "[layout]") {
  Random random(TestSeed() + 3);
  const auto written = WriteSample(random);
  const uint64_t root = written->address.root.extent.start;
  const std::string bytes = ReadUnit(written->device, root);
  const auto page = DecodePage({written->address.root, 1, 0}, bytes);
  REQUIRE(page.ok());
  for (const uint64_t unit : {root, page->pages[1].page.extent.start}) {
    const std::string whole = ReadUnit(written->device, unit);
    ForEachDamage(random, whole, 0, whole.size(), [&](const std::string& damaged) {
      REQUIRE(written->device.Patch(UnitBytes(unit), damaged).ok());
      REQUIRE(Read(written->device, written->address).code() == absl::StatusCode::kDataLoss);
    });
    REQUIRE(written->device.Patch(UnitBytes(unit), whole).ok());
  }
  CHECK(Read(written->device, written->address).ok());
}

TEST_CASE("a forged table page is found, or is another sound one", "[layout]") {
  Random random(TestSeed() + 4);
  const auto written = WriteSample(random);
  const std::string root = ReadUnit(written->device, written->address.root.extent.start);
  const auto page = DecodePage({written->address.root, 1, 0}, root);
  const StructureAddress leaf = page->pages[2].page;
  const auto check = [](ExpectedPage expected, std::string damaged) {
    Seal(&damaged);
    expected.address.checksum = SealOf(damaged);
    const auto other = DecodePage(expected, damaged);
    if (other.ok()) {
      REQUIRE((EncodePage(*other) == damaged));
    } else {
      REQUIRE(other.status().code() == absl::StatusCode::kDataLoss);
    }
  };
  ForEachDamage(random, root, kSealSize, root.size(), [&](const std::string& damaged) {
    check({written->address.root, 1, 0}, damaged);
  });
  const std::string bytes = ReadUnit(written->device, leaf.extent.start);
  ForEachDamage(random, bytes, kSealSize, bytes.size(), [&](const std::string& damaged) {
    check({leaf, 0, 128}, damaged);
  });
}

TEST_CASE("a forged root of the node table never misleads", "[layout]") {
  Random random(TestSeed() + 5);
  const auto written = WriteSample(random);
  const uint64_t unit = written->address.root.extent.start;
  ForEachDamage(random, ReadUnit(written->device, unit), kSealSize, 256, [&](std::string damaged) {
    Seal(&damaged);
    REQUIRE(written->device.Patch(UnitBytes(unit), damaged).ok());
    TableAddress address = written->address;
    address.root.checksum = SealOf(damaged);
    const absl::Status status = Read(written->device, address);  // the generation alone may differ
    REQUIRE((status.ok() || status.code() == absl::StatusCode::kDataLoss));
  });
}

PageImage LeafPage(std::vector<NodeEntry> nodes) { return {0, 0, Generation{1}, std::move(nodes), {}}; }

// Writes a page to a unit; returns its address.
StructureAddress Put(BlockDevice& device, uint64_t unit, const PageImage& page) {
  const std::string bytes = EncodePage(page);
  REQUIRE(device.Write(UnitBytes(unit), bytes).ok());
  return {{unit, 1}, SealOf(bytes)};
}

TEST_CASE("tables that contradict themselves are found", "[layout]") {
  MemoryDevice device(kDeviceSize);
  const auto fails = [&](const PageImage& page, uint64_t nodes) {
    const TableAddress address{Put(device, 100, page), page.level, nodes};
    return Read(device, address).code() == absl::StatusCode::kDataLoss;
  };
  const NodeEntry sound{1, 0, 1, {200, 2}, 1, 9};
  CHECK_FALSE(fails(LeafPage({sound}), 1));
  CHECK(fails(LeafPage({sound}), 2));
  CHECK(fails(LeafPage({sound, {2, 0, 1, {201, 1}, 1, 9}}), 2));   // nodes overlap
  CHECK(fails(LeafPage({{1, 0, 1, {100, 1}, 1, 9}}), 1));          // a node on the page
  CHECK(fails(LeafPage({{1, 0, 1, {31, 1}, 1, 9}}), 1));           // in the log
  CHECK(fails(LeafPage({{1, 0, 1, {kArea.end(), 1}, 1, 9}}), 1));  // behind the end
  CHECK(fails(LeafPage({{1, 0, 1, {UINT64_MAX, 1}, 1, 9}}), 1));
  CHECK(fails(LeafPage({{0, 0, 1, {200, 1}, 1, 9}}), 1));                             // node 0
  CHECK(fails(LeafPage({{64, 0, 1, {200, 1}, 1, 9}}), 1));                            // index
  CHECK(fails(LeafPage({{1, 201, 1, {200, 1}, 1, 9}}), 1));                           // height
  CHECK(fails(LeafPage({{1, 0, 1, {200, 0}, 0, 9}}), 1));                             // nowhere
  CHECK(fails(LeafPage({{1, 0, 1, {200, 1}, 2, 9}}), 1));                             // header larger than extent
  CHECK(fails(LeafPage({{1, 0, 1, {200, 1}, 0, 9}}), 1));                             // no header
  CHECK(fails(LeafPage({{2, 0, 1, {200, 1}, 1, 9}, {1, 0, 1, {201, 1}, 1, 9}}), 2));  // order
  CHECK(fails(LeafPage({{1, 0, 1, {200, 1}, 1, 9}, {1, 0, 1, {201, 1}, 1, 9}}), 2));  // twice
  CHECK_FALSE(fails(LeafPage({{1, 0, UINT32_MAX - 1, {200, 1}, 1, 9}}), 1));
  CHECK(fails(LeafPage({{1, 0, UINT32_MAX, {200, 1}, 1, 9}}), 1));  // one more could not be counted
  const StructureAddress child = Put(device, 101, LeafPage({sound}));
  const auto inner = [&](std::vector<PageEntry> pages) { return PageImage{1, 0, Generation{1}, {}, std::move(pages)}; };
  CHECK_FALSE(fails(inner({{0, child}}), 1));
  CHECK(fails(inner({{1, child}}), 1));              // other ids
  CHECK(fails(inner({{0, child}, {1, child}}), 2));  // twice
  CHECK(fails(inner({{0, {{100, 1}, 0}}}), 1));      // itself
  CHECK(fails(inner({{0, {{UINT64_MAX, 1}, 0}}}), 1));
  const TableAddress wrong_level{Put(device, 100, inner({{0, child}})), 0, 1};
  CHECK(Read(device, wrong_level).code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("an older page in the place of a newer one is found", "[layout]") {
  MemoryDevice device(kDeviceSize);
  PageImage page = LeafPage({{1, 0, 1, {200, 2}, 1, 9}});
  const TableAddress older{Put(device, 100, page), 0, 1};
  page.generation = Generation{2};
  const TableAddress newer{Put(device, 100, page), 0, 1};
  CHECK(Read(device, newer).ok());
  CHECK(Read(device, older).code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("a table whose ids would need more than 64 bits is found", "[layout]") {
  MemoryDevice device(kDeviceSize);
  StructureAddress at = Put(device, 100, LeafPage({{1, 0, 1, {200, 1}, 1, 9}}));
  uint8_t level = 0;
  const auto above = [&](uint8_t index) {
    ++level;
    return Put(device, 100 + level, PageImage{level, 0, Generation{1}, {}, {{index, at}}});
  };
  const auto read = [&](const StructureAddress& root) { return Read(device, {root, level, 1}).code(); };
  while (level < dag::TablePage::kMaxLevel) {
    at = above(0);
    CHECK(read(at) == absl::StatusCode::kOk);
  }
  CHECK(read(above(0)) == absl::StatusCode::kDataLoss);
  at = {{100 + dag::TablePage::kMaxLevel - 1, 1}, SealOf(ReadUnit(device, 100 + dag::TablePage::kMaxLevel - 1))};
  level = dag::TablePage::kMaxLevel - 1;
  CHECK(read(above(16)) == absl::StatusCode::kDataLoss);  // the child's ids would begin at 2^64, which wraps to 0
}

}  // namespace
}  // namespace betr::layout
