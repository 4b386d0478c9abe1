// SPDX-License-Identifier: Apache-2.0
// Looking for nodes and catalogs everywhere: what is intact is found, and what lies about its size costs little.
#include "layout/scan.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "device/counting_device.h"
#include "device/memory_device.h"
#include "layout/catalog_codec.h"
#include "layout/extent_map.h"
#include "layout/node_codec.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "support/layout/entry_slot.h"

namespace betr::layout {
namespace {

constexpr UnitRange kArea{16, 2048};
constexpr Bytes kAreaSize = UnitBytes(kArea.units);

constexpr uint64_t kWriteVersion = 7;

// A sound node whose header section has two units.
std::string NodeBytes(NodeId id) {
  const Range bounds{Bound::At(""), Bound::Past(std::string(6000, 'k'))};
  const auto image = EncodeNode(id, kWriteVersion, dag::EmptyNode(1, bounds, {}), FetchEntry);
  REQUIRE(image.ok());
  REQUIRE(image->header_units == 2);
  return image->bytes;
}

class Image {
 public:
  // A first unit of a header section of so many units, which lies.
  static std::string LyingNode(NodeId id, uint64_t units) {
    std::string bytes(kNodeMagic);
    bytes.resize(kUnit.value, '\0');
    StoreFixed<uint16_t>(&bytes[16], kNodeVersion);
    StoreFixed<uint64_t>(&bytes[24], id.value);
    StoreFixed<uint64_t>(&bytes[32], kWriteVersion);
    StoreFixed<uint32_t>(&bytes[40], static_cast<uint32_t>(units));
    StoreFixed<uint32_t>(&bytes[44], static_cast<uint32_t>(units));
    StoreFixed<uint32_t>(&bytes[48], static_cast<uint32_t>(UnitBytes(units).value - kFixedSize));
    return bytes;
  }

  static std::string LyingCatalog(uint64_t units) {
    std::string bytes(kCatalogMagic);
    bytes.resize(kUnit.value, '\0');
    StoreFixed<uint32_t>(&bytes[24], static_cast<uint32_t>(units));
    StoreFixed<uint32_t>(&bytes[28], static_cast<uint32_t>(UnitBytes(units).value - kFixedSize));
    return bytes;
  }

  void Put(uint64_t unit, std::string_view bytes) { REQUIRE(device_.Write(UnitBytes(unit), bytes).ok()); }

  // Puts a sound node there.
  void PutNode(uint64_t unit, NodeId id) { Put(unit, NodeBytes(id)); }

  // Puts a sound scattered node there, and its pieces behind its map, the last one first.
  void PutScattered(uint64_t unit, NodeId id) {
    const std::string bytes = NodeBytes(id);
    const uint64_t units = UnitsFor({bytes.size()});
    MapPage page{{id.value, kWriteVersion}, 0, {}};
    for (uint64_t i = 0; i < units; ++i) {
      page.pieces.push_back({unit + 2 * (units - i), 1});
      Put(page.pieces.back().start, std::string_view(bytes).substr(UnitBytes(i).value, kUnit.value));
    }
    Put(unit, EncodeMapPage(page));
  }

  // How much was read.
  Bytes Scan() {
    CountingDevice counting(device_);
    const auto node = [&](const ScannedNode& scanned) { nodes_.push_back(scanned); };
    const auto catalog = [&](const ScannedCatalog&) { ++catalogs_; };
    const auto unreadable = [&](const ExtentAddress&, const absl::Status& status) {
      CHECK(absl::IsResourceExhausted(status));
      ++left_out_;
    };
    REQUIRE(ScanArea(counting, kArea, {node, catalog, unreadable}).ok());
    return counting.Stats().read_bytes;
  }

  const std::vector<ScannedNode>& nodes() const { return nodes_; }
  int catalogs() const { return catalogs_; }
  int left_out() const { return left_out_; }

 private:
  MemoryDevice device_{UnitBytes(kArea.end())};
  std::vector<ScannedNode> nodes_;
  int catalogs_ = 0;
  int left_out_ = 0;
};

TEST_CASE("a scan finds nodes and catalogs wherever they lie", "[layout]") {
  Image image;
  image.PutNode(kArea.start, NodeId{1});
  image.PutNode(kArea.start + 255, NodeId{2});  // across the border of what is read at once
  image.PutScattered(kArea.start + 700, NodeId{3});
  image.Put(kArea.end() - 1, EncodeCatalog({{{TreeId{1}, "a", NodeId{1}, {}, false}}, {}}, Generation{4}));
  CHECK(image.Scan() < kAreaSize * 5 / 4);
  REQUIRE(image.nodes().size() == 3);
  for (uint64_t i = 0; i < 3; ++i) {
    CHECK(image.nodes()[i].id == NodeId{i + 1});
    CHECK(image.nodes()[i].version == kWriteVersion);
    CHECK(image.nodes()[i].extent.scattered == (i == 2));
  }
  CHECK(image.catalogs() == 1);
  CHECK(image.left_out() == 0);
}

TEST_CASE("header sections that say that they are huge do not make a scan long", "[layout]") {
  Image image;
  for (uint64_t unit = kArea.start; unit < kArea.end(); ++unit) {
    image.Put(unit, Image::LyingNode(NodeId{unit}, kArea.end() - unit));
  }
  const uint64_t small = kArea.start + 1500;
  image.PutNode(small, NodeId{5000});
  CHECK(image.Scan() < kAreaSize * 6);
  REQUIRE(image.nodes().size() == 1);
  CHECK(image.nodes()[0].id == NodeId{5000});
  CHECK(image.left_out() > 1000);
}

TEST_CASE("catalogs that say that they are huge do not make a scan long", "[layout]") {
  Image image;
  for (uint64_t unit = kArea.start; unit < kArea.end(); ++unit) {
    image.Put(unit, Image::LyingCatalog(kArea.end() - unit));
  }
  CHECK(image.Scan() < kAreaSize * 6);
  CHECK(image.left_out() > 1000);
}

TEST_CASE("what no node or catalog says of itself is not read further", "[layout]") {
  Image image;
  for (uint64_t unit = kArea.start; unit < kArea.end(); ++unit) {
    std::string bytes = Image::LyingNode(NodeId{unit}, unit % 2 == 0 ? kArea.units : kMaxHeaderUnits + 1);
    if (unit % 3 == 0) {
      bytes = Image::LyingNode(NodeId{unit}, 100);
      StoreFixed<uint32_t>(&bytes[48], 7);  // 7 bytes need no 100 units
    }
    image.Put(unit, bytes);
  }
  image.Put(kArea.start, Image::LyingCatalog(kArea.units + 1));
  CHECK(image.Scan() == kAreaSize);
  CHECK(image.left_out() == 0);
}

// Their checksums are good: somebody has made them for that.
TEST_CASE("maps of scattered extents that go in circles do not make a scan long", "[layout]") {
  Image image;
  const uint64_t header = kArea.end() - 1;
  image.Put(header, Image::LyingNode(NodeId{5}, kMaxHeaderUnits));
  for (uint64_t unit = kArea.start; unit < header; ++unit) {
    image.Put(unit, EncodeMapPage({{5, kWriteVersion}, unit, {{header, 1}}}));
  }
  CHECK(image.Scan() < kAreaSize * 15);
  CHECK(image.nodes().empty());
  CHECK(image.left_out() > 1000);
}

}  // namespace
}  // namespace betr::layout
