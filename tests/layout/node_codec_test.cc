// SPDX-License-Identifier: Apache-2.0
// Nodes to bytes and back; every byte of a header damaged in turn, with the checksum left as it is and made good.
#include "layout/node_codec.h"

#include <absl/container/flat_hash_map.h>

#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "base/coding.h"
#include "base/status.h"
#include "layout/node_check.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "support/dag/memory_source.h"
#include "support/layout/entry_slot.h"
#include "support/layout/random_node.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr NodeId kId{17};
constexpr uint64_t kVersion = 99;

absl::StatusOr<StoredBlock> FetchResident(const BlockUse& use) {
  return MakeStoredBlock(DefaultCodec(Compression::kLz4), *use.slot->Peek());
}

std::string_view HeaderOf(const NodeImage& image) {
  return std::string_view(image.bytes).substr(0, UnitBytes(image.header_units).value);
}

// The node with all its blocks in memory again.
absl::StatusOr<dag::Node> DecodeAll(const NodeImage& image) {
  const auto make_slot = [&](const BlockEntry& entry) -> std::shared_ptr<const dag::BlockSlot> {
    const auto block = DecodeBlock(entry, image.bytes.substr(entry.offset.value, entry.stored_size.value));
    REQUIRE(block.ok());
    return std::make_shared<dag::ResidentBlock>(*block);
  };
  return DecodeNode(kId, kVersion, HeaderOf(image), {image.bytes.size()}, make_slot);
}

size_t DistinctSlots(const dag::Node& node) {
  std::set<const dag::BlockSlot*> slots;
  for (const BlockUse& use : BlocksOf(node)) slots.insert(use.slot);
  return slots.size();
}

TEST_CASE("a node is read as it was written", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 2000 * TestScale(); ++i) {
    const auto height = static_cast<dag::Height>(random.Uniform(4));
    const dag::Node node = RandomNode(random, height);
    REQUIRE(CheckNode(node) == absl::OkStatus());
    const auto image = EncodeNode(kId, kVersion, node, FetchResident);
    REQUIRE(image.ok());
    REQUIRE(image->bytes.size() % kUnit.value == 0);
    const auto again = DecodeAll(*image);
    REQUIRE(again.status() == absl::OkStatus());
    REQUIRE((Describe(*again) == Describe(node)));
    REQUIRE(DistinctSlots(*again) == DistinctSlots(node));
  }
}

TEST_CASE("a block that claims more than can be stored is damage", "[layout]") {
  dag::Node leaf;
  leaf.bounds = Range::All();
  dag::BlockBuilder builder;
  builder.Add("key", {dag::MessageKind::kPut, 0, "value"});
  const auto slot = std::make_shared<dag::ResidentBlock>(builder.Finish());
  leaf.basements.push_back(dag::BlockView::Whole(slot, Range::All()));
  const auto status = [&](Bytes claimed) {
    const auto fetch = [&](const BlockUse&) -> absl::StatusOr<StoredBlock> {
      return StoredBlock{Compression::kLz4, claimed, 0, 1, 0, "compressed"};
    };
    const auto image = EncodeNode(kId, kVersion, leaf, fetch);
    REQUIRE(image.ok());
    return DecodeNode(kId, kVersion, HeaderOf(*image), {image->bytes.size()}, MakeEntrySlot).status();
  };
  CHECK(status(kMaxRawSize) == absl::OkStatus());
  for (const Bytes claimed : {kMaxRawSize + Bytes{1}, TiB(1), Bytes{UINT64_MAX}}) {
    CHECK(status(claimed).code() == absl::StatusCode::kDataLoss);
  }
}

TEST_CASE("a node of another id, version or extent is not taken", "[layout]") {
  Random random(TestSeed() + 1);
  const auto image = EncodeNode(kId, kVersion, RandomNode(random, 2), FetchResident);
  REQUIRE(image.ok());
  const Bytes size{image->bytes.size()};
  const auto decode = [&](NodeId id, uint64_t version, std::string_view header, Bytes extent_size) {
    return DecodeNode(id, version, header, extent_size, MakeEntrySlot).status().code();
  };
  CHECK(decode(kId, kVersion, HeaderOf(*image), size) == absl::StatusCode::kOk);
  CHECK(decode(NodeId{18}, kVersion, HeaderOf(*image), size) == absl::StatusCode::kDataLoss);
  CHECK(decode(kId, kVersion + 1, HeaderOf(*image), size) == absl::StatusCode::kDataLoss);
  CHECK(decode(kId, kVersion, HeaderOf(*image), size + kUnit) == absl::StatusCode::kDataLoss);
  CHECK(decode(kId, kVersion, HeaderOf(*image).substr(0, 100), size) == absl::StatusCode::kDataLoss);
  CHECK(decode(kId, kVersion, "", size) == absl::StatusCode::kDataLoss);
}

TEST_CASE("a damaged byte of a node header is found", "[layout]") {
  Random random(TestSeed() + 2);
  for (dag::Height height = 0; height < 3; ++height) {
    const auto image = EncodeNode(kId, kVersion, RandomNode(random, height), FetchResident);
    REQUIRE(image.ok());
    std::string header(HeaderOf(*image));
    for (char& byte : header) {
      const char before = byte;
      byte = static_cast<char>(byte ^ (1 << random.Uniform(8)));
      const auto node = DecodeNode(kId, kVersion, header, {image->bytes.size()}, MakeEntrySlot);
      REQUIRE(node.status().code() == absl::StatusCode::kDataLoss);
      byte = before;
    }
  }
}

bool IsUncounted(std::string_view header) {
  constexpr size_t kFormatAt = 16;
  return LoadFixed<uint16_t>(header.data() + kFormatAt) == kUncountedNodeVersion;
}

// With a good checksum a change may make another node; but then it is sound, and this is its one stored form.
void CheckForged(std::string header, Bytes extent_size) {
  Seal(&header);
  const auto node = DecodeNode(kId, kVersion, header, extent_size, MakeEntrySlot);
  if (!node.ok()) {
    REQUIRE(node.status().code() == absl::StatusCode::kDataLoss);
    return;
  }
  REQUIRE(CheckNode(*node) == absl::OkStatus());
  const auto again = EncodeNode(kId, kVersion, *node, FetchEntry);
  REQUIRE(again.ok());
  REQUIRE((IsUncounted(header) || HeaderOf(*again) == header));
}

TEST_CASE("a forged node header is found, or is another sound node", "[layout]") {
  Random random(TestSeed() + 3);
  for (int round = 0; round < 30 * TestScale(); ++round) {
    const auto height = static_cast<dag::Height>(random.Uniform(4));
    const auto image = EncodeNode(kId, kVersion, RandomNode(random, height), FetchResident);
    REQUIRE(image.ok());
    std::string header(HeaderOf(*image));
    const size_t used = header.find_last_not_of('\0') + 10;
    for (size_t i = kSealSize; i < std::min(used, header.size()); ++i) {
      const char before = header[i];
      header[i] = static_cast<char>(random.OneIn(2) ? before ^ (1 << random.Uniform(8)) : random.Uniform(256));
      CheckForged(header, {image->bytes.size()});
      header[i] = before;
    }
  }
}

TEST_CASE("a node that breaks an invariant is not written", "[layout]") {
  const auto refused = [&](dag::Node node) {
    return EncodeNode(kId, kVersion, node, FetchResident).status().code() == absl::StatusCode::kInternal;
  };
  dag::Node node;
  node.height = 2;
  node.bounds = Range::All();
  node.edges.push_back({{{Bound::At(""), Bound::At("m")}, NodeId{1}, ""}, {}});
  node.edges.push_back({{{Bound::At("m"), Bound::Past("")}, NodeId{2}, "t"}, {}});
  CHECK_FALSE(refused(node));
  dag::Node gap = node;
  gap.edges[1].link.range.lo = Bound::At("n");
  CHECK(refused(gap));
  dag::Node open = node;
  open.edges[1].link.range.hi = Bound::At("z");
  CHECK(refused(open));
  dag::Node null_edge = node;
  null_edge.edges[1].link.target = kNoNode;
  CHECK(refused(null_edge));
  dag::Node high_goto = node;
  high_goto.edges[0].partition.gotos.push_back({{Range::Prefix("a"), NodeId{3}, ""}, 1, 0});
  CHECK(refused(high_goto));
  high_goto.edges[0].partition.gotos[0].target_height = 0;
  CHECK_FALSE(refused(high_goto));
  high_goto.edges[0].partition.gotos[0].over = 1;
  CHECK(refused(high_goto));
  dag::Node outside = node;
  outside.edges[0].partition.gotos.push_back({{Range::Prefix("m"), kNoNode, ""}, 0, 0});
  CHECK(refused(outside));
  dag::Node long_translation = node;
  long_translation.edges[1].link.translation = std::string(kMaxBoundSize.value, 't');
  CHECK_FALSE(refused(long_translation));
  long_translation.edges[1].link.translation += 't';
  CHECK(refused(long_translation));
  dag::Node affix = dag::EmptyNode(0, Range::All(), {});
  const auto block = std::make_shared<dag::ResidentBlock>(dag::BlockBuilder().Finish());
  affix.basements.push_back({block, {"s", "p"}, Range::Prefix("p")});
  CHECK_FALSE(refused(affix));
  affix.basements[0].clip = {Bound::At("o"), Bound::Past("p")};
  CHECK(refused(affix));
  dag::Node leaf = node;
  leaf.height = 0;
  CHECK(refused(leaf));
}

TEST_CASE("what shows little of a block takes only that along", "[layout]") {
  dag::BlockBuilder builder;
  for (int i = 0; i < 100; ++i) builder.Add(std::string(1, static_cast<char>(i)), {dag::MessageKind::kPut, 0, "value"});
  dag::Node leaf = dag::EmptyNode(0, Range::All(), {});
  const auto slot = std::make_shared<dag::ResidentBlock>(builder.Finish());
  const auto key = [](int i) { return Bound::At(std::string(1, static_cast<char>(i))); };
  leaf.basements.push_back(dag::BlockView::Whole(slot, {key(10), key(20)}));
  leaf.basements.push_back({slot, {"", "p"}, {key(30).Prepend("p"), key(40).Prepend("p")}});
  const auto fetch = [](const BlockUse& use) -> absl::StatusOr<StoredBlock> {
    const auto trimmed = Trim(*use.slot->Peek(), use.shown);
    REQUIRE(trimmed != nullptr);
    return MakeStoredBlock({}, *trimmed);
  };
  const auto image = EncodeNode(kId, kVersion, leaf, fetch);
  REQUIRE(image.ok());
  REQUIRE(image->blocks.size() == 1);
  CHECK(image->blocks[0].trimmed);
  CHECK(image->blocks[0].entry.count == 20);
  const auto again = DecodeAll(*image);
  REQUIRE(again.ok());
  for (size_t i = 0; i < 2; ++i) {
    const auto reader = dag::ViewReader::Open(again->basements[i]);
    REQUIRE(reader.ok());
    CHECK(reader->Count() == 10);
  }
  CHECK(Trim(*slot->Peek(), {{key(0), key(50)}}) == nullptr);
  CHECK(Trim(*slot->Peek(), {{key(0), key(40)}, {key(30), key(49)}})->Count() == 49);
  CHECK(Trim(*slot->Peek(), {{key(0), key(40)}, {key(10), key(20)}})->Count() == 40);
  CHECK(Trim(*slot->Peek(), {})->Count() == 0);
}

}  // namespace
}  // namespace betr::layout
