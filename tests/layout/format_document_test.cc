// SPDX-License-Identifier: Apache-2.0
// Compares the tables of docs/format.md with what the encoders do: what a table calls a field must hold the field's
// value, every field must be in the table, and bytes of no field must be zero.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <string>

#include "base/coding.h"
#include "layout/catalog_codec.h"
#include "layout/extent_map.h"
#include "layout/node_codec.h"
#include "layout/seal.h"
#include "layout/table_page.h"
#include "support/docs.h"
#include "support/layout/samples.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

struct Place {
  size_t offset = 0;
  size_t size = 0;
};

// The table after the comment "fields: <name>".
std::map<std::string, Place> DocumentedFields(const std::string& name) {
  const std::string document = test::ReadDocument("format.md");
  const size_t begin = document.find("<!-- fields: " + name + " -->");
  REQUIRE(begin != std::string::npos);
  const size_t table = document.find("\n|", begin);
  const std::string text = document.substr(table, document.find("\n\n", table) - table);
  std::map<std::string, Place> fields;
  const std::regex row(R"(\n\| (\d+) \| (\d+) \| ([^|]+) \|)");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), row); match != std::sregex_iterator(); ++match) {
    fields[(*match)[3]] = {std::stoul((*match)[1]), std::stoul((*match)[2])};
  }
  return fields;
}

// What the bytes of a field of some size must be.
class Value {
 public:
  Value(uint64_t number) { PutFixed64(&bytes_, number); }  // NOLINT(google-explicit-constructor)
  Value(const char* text) : bytes_(text) {}                // NOLINT(google-explicit-constructor)
  Value(std::string_view text) : bytes_(text) {}           // NOLINT(google-explicit-constructor)
  Value(const std::string& text) : bytes_(text) {}         // NOLINT(google-explicit-constructor)

  // Padded with zeros; too long if the value does not fit.
  std::string Bytes(size_t size) const {
    std::string bytes = bytes_;
    bytes.resize(std::max(size, bytes.find_last_not_of('\0') + 1));
    return bytes;
  }

 private:
  std::string bytes_;
};

void Compare(const std::string& name, std::string bytes, const std::map<std::string, Value>& values) {
  const std::map<std::string, Place> documented = DocumentedFields(name);
  for (const auto& [field, place] : documented) {
    INFO(name << ": " << field);
    REQUIRE(values.count(field) == 1);
    REQUIRE(place.offset + place.size <= bytes.size());
    CHECK((values.at(field).Bytes(place.size) == bytes.substr(place.offset, place.size)));
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place.offset), place.size, '\0');
  }
  CHECK(documented.size() == values.size());
  CHECK(bytes.find_first_not_of('\0') == std::string::npos);
}

std::map<std::string, Value> ValuesOf(const Superblock& block, uint64_t checksum) {
  return {
      {"magic", "BETRFS01"},
      {"uuid", block.uuid.View()},
      {"label", block.label},
      {"major", kFormatMajor},
      {"minor", block.minor_version},
      {"compatible", block.features.compatible},
      {"read-only-compatible", block.features.read_only_compatible},
      {"incompatible", block.features.incompatible},
      {"generation", block.generation.value},
      {"device units", block.device_units},
      {"log start", block.log.start},
      {"log units", block.log.units},
      {"node size", block.node_size.value},
      {"basement size", block.basement_size.value},
      {"fanout", block.fanout},
      {"compression", static_cast<uint64_t>(block.codec.kind)},
      {"compression level", static_cast<uint64_t>(block.codec.level)},
      {"checkpoint lsn", block.checkpoint_lsn.value},
      {"log head", block.log_head},
      {"next node id", block.next_node_id.value},
      {"next tree id", block.next_tree_id.value},
      {"next version", block.next_version},
      {"made at", static_cast<uint64_t>(block.made_at.count())},
      {"table unit", block.table.root.extent.start},
      {"table units", block.table.root.extent.units},
      {"table level", block.table.level},
      {"table checksum", block.table.root.checksum},
      {"table nodes", block.table.nodes},
      {"catalog unit", block.catalog.copies[0].start},
      {"catalog units", block.catalog.copies[0].units},
      {"catalog checksum", block.catalog.checksum},
      {"made by", block.made_by},
      {"log chain", block.log_chain},
      {"log opening", block.log_opening},
      {"second catalog unit", block.catalog.copies[1].start},
      {"second catalog units", block.catalog.copies[1].units},
      {"session version", block.session_version},
      {"reserve", block.reserve.value},
      {"first version", block.first_version},
      {"checksum", checksum},
  };
}

TEST_CASE("docs/format.md tells the superblock", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 3; ++i) {
    Superblock block = RandomSuperblock(random);
    const uint64_t is_tuned = block.features.read_only_compatible & kTuned;  // says what the fields say
    block.features = {random.Next(), (random.Next() & ~kTuned) | is_tuned, random.Next()};
    const std::string bytes = EncodeSuperblock(block);
    Compare("superblock", bytes, ValuesOf(block, LoadFixed<uint64_t>(bytes.data() + 504)));
  }
}

std::string EntryOf(const std::string& page) { return page.substr(kFixedSize, 32); }

TEST_CASE("docs/format.md tells the pages of the node table", "[layout]") {
  const NodeEntry node{
      7, 3, 0x11223344, {0x1122334455, 0x1234}, 0x123, 0x1122334455667788, dag::EntryCount::FromCode(0x5566)};
  const PageImage leaf{0, uint64_t{99} << 6, Generation{0x1122334455667788}, {node}, {}};
  const std::string leaf_page = EncodePage(leaf);
  Compare("page", leaf_page.substr(0, kFixedSize),
          {{"magic", "betrPAGE"},
           {"checksum", SealOf(leaf_page)},
           {"version", uint64_t{1}},
           {"level", uint64_t{0}},
           {"entries", uint64_t{1}},
           {"first id", leaf.first_id},
           {"generation", leaf.generation.value}});
  Compare("node entry", EntryOf(leaf_page),
          {{"index", node.index},
           {"height", node.height},
           {"entries", node.entries.Code()},
           {"references", node.references},
           {"unit", node.extent.start},
           {"units", node.extent.units},
           {"header units", node.header_units},
           {"version", node.version}});
  const PageEntry child{9, {{0x1122334455, 1}, 0x1122334455667788}};
  const std::string inner_page = EncodePage({2, 0, Generation{1}, {}, {child, child}});
  CHECK(inner_page[18] == 2);
  CHECK(inner_page[19] == 2);
  Compare("page entry", EntryOf(inner_page),
          {{"index", child.index}, {"unit", child.page.extent.start}, {"checksum", child.page.checksum}});
}

TEST_CASE("docs/format.md tells the map of a scattered extent", "[layout]") {
  const MapPage page{{0x1122334455667788, 0x99aabbccddeeff}, 0x1122334455, {{0x9988776655, 0x1234}}};
  const std::string bytes = EncodeMapPage(page);
  Compare("extent map", bytes.substr(0, kFixedSize),
          {{"magic", "betrSCAT"},
           {"checksum", SealOf(bytes)},
           {"version", uint64_t{1}},
           {"pieces", uint64_t{1}},
           {"owner", page.owner.node},
           {"owner version", page.owner.version},
           {"next", page.next}});
  Compare("extent piece", bytes.substr(kFixedSize, 12),
          {{"unit", page.pieces[0].start}, {"units", page.pieces[0].units}});
}

TEST_CASE("docs/format.md tells the header section of a node", "[layout]") {
  dag::Node node = dag::EmptyNode(5, Range::All(), {Compression::kZstd, 9});
  node.known_entries = dag::EntryCount::FromCode(0x3344);
  const auto image = EncodeNode(NodeId{0x1122334455667788}, 0x99aabbccddeeff, node, nullptr);
  REQUIRE(image.ok());
  // bounds, no blocks, an edge without anything
  const std::string body("\x00\x01\x00\x01\x00", 5);
  CHECK((image->bytes.substr(kFixedSize, body.size() + 3) == body + std::string(3, '\0')));
  Compare("node", image->bytes.substr(0, kFixedSize),
          {{"magic", "betrNODE"},
           {"checksum", SealOf(image->bytes)},
           {"version", uint64_t{2}},
           {"height", uint64_t{5}},
           {"compression", uint64_t{2}},
           {"compression level", uint64_t{9}},
           {"node id", uint64_t{0x1122334455667788}},
           {"write version", uint64_t{0x99aabbccddeeff}},
           {"header units", uint64_t{1}},
           {"extent units", uint64_t{1}},
           {"body size", body.size()},
           {"entries", node.known_entries.Code()}});
}

TEST_CASE("docs/format.md tells the catalog", "[layout]") {
  const Catalog catalog{{{TreeId{5}, "home", NodeId{300}, {Compression::kLz4, 1}, true}}, {{2, "add"}}};
  const std::string bytes = EncodeCatalog(catalog, Generation{0x1122334455667788});
  const std::string body(
      "\x01\x05\x04home\xac\x02\x01\x01\x01\x01\x02\x03"
      "add",
      18);
  CHECK((bytes.substr(kFixedSize, body.size()) == body));
  CHECK(bytes.find_first_not_of('\0', kFixedSize + body.size()) == std::string::npos);
  Compare("catalog", bytes.substr(0, kFixedSize),
          {{"magic", "betrCATA"},
           {"checksum", SealOf(bytes)},
           {"version", uint64_t{1}},
           {"units", uint64_t{1}},
           {"body size", body.size()},
           {"generation", uint64_t{0x1122334455667788}}});
}

}  // namespace
}  // namespace betr::layout
