// SPDX-License-Identifier: Apache-2.0
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "base/status.h"
#include "layout/codec_bytes.h"
#include "layout/node_check.h"
#include "layout/node_codec.h"
#include "layout/node_format.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

// Makes the body of a header section.
class BodyWriter {
 public:
  BodyWriter(const dag::Node& node, const std::vector<StoredBlock>& blocks, const std::vector<BlockUse>& uses)
      : node_(node) {
    PutBound(&out_, node.bounds.lo);
    PutBound(&out_, node.bounds.hi);
    PutVarint64(&out_, blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      index_[uses[i].slot] = i;
      PutBlock(blocks[i]);
    }
  }

  // Errors: kInternal if a decoder would refuse it.
  absl::StatusOr<std::string> Finish() && {
    if (node_.Leaf()) {
      PutBasements();
    } else {
      PutEdges();
    }
    if (implied_ > MaxImpliedSize(out_.size())) {
      return absl::InternalError(fmt::format("bounds that are not stored take {} bytes in memory", implied_));
    }
    return std::move(out_);
  }

 private:
  void PutBlock(const StoredBlock& block) {
    PutVarint64(&out_, block.bytes.size());
    PutVarint64(&out_, block.raw_size.value);
    PutFixed8(&out_, static_cast<uint8_t>(block.compression));
    PutFixed64(&out_, block.checksum);
    PutVarint64(&out_, block.count);
    if (!node_.Leaf()) PutVarint64(&out_, block.erases ? uint64_t{*block.erases} + 1 : 0);
  }

  void PutEdges() {
    PutVarint64(&out_, node_.edges.size());
    for (size_t i = 1; i < node_.edges.size(); ++i) PutBound(&out_, node_.edges[i].link.range.lo);
    for (const dag::Edge& edge : node_.edges) PutEdge(edge);
  }

  void PutEdge(const dag::Edge& edge) {
    const dag::Partition& partition = edge.partition;
    const uint8_t flags = (edge.link.Null() ? 0 : kEdgeTarget) |
                          (edge.link.translation.empty() ? 0 : kEdgeTranslation) |
                          (partition.runs.empty() ? 0 : kEdgeRuns) | (partition.gotos.empty() ? 0 : kEdgeGotos);
    PutFixed8(&out_, flags);
    if ((flags & kEdgeTarget) != 0) PutVarint64(&out_, edge.link.target.value);
    if ((flags & kEdgeTranslation) != 0) PutLengthPrefixed(&out_, edge.link.translation);
    if ((flags & kEdgeRuns) != 0) {
      PutVarint64(&out_, partition.runs.size());
      for (const dag::BlockView& run : partition.runs) PutView(run, edge.link.range);
    }
    if ((flags & kEdgeGotos) != 0) PutGotos(partition.gotos, edge.link.range);
  }

  void PutGotos(const std::vector<dag::Goto>& gotos, const Range& holder) {
    PutVarint64(&out_, gotos.size());
    Range left = holder;
    for (const dag::Goto& message : gotos) {
      PutGoto(message, left);
      left.lo = message.link.range.hi;
    }
  }

  void PutGoto(const dag::Goto& message, const Range& usual) {
    const dag::Link& link = message.link;
    const uint8_t flags = (link.Null() ? 0 : kGotoTarget) | (link.translation.empty() ? 0 : kGotoTranslation) |
                          (link.range.lo == usual.lo ? 0 : kGotoLo) | (link.range.hi == usual.hi ? 0 : kGotoHi);
    PutFixed8(&out_, flags);
    CountImplied((flags & kGotoLo) != 0, (flags & kGotoHi) != 0, usual);
    if ((flags & kGotoLo) != 0) PutBound(&out_, link.range.lo);
    if ((flags & kGotoHi) != 0) PutBound(&out_, link.range.hi);
    if ((flags & kGotoTarget) != 0) {
      PutVarint64(&out_, link.target.value);
      PutFixed8(&out_, message.target_height);
    }
    if ((flags & kGotoTranslation) != 0) PutLengthPrefixed(&out_, link.translation);
    PutVarint64(&out_, message.over);
  }

  void PutBasements() {
    PutVarint64(&out_, node_.basements.size());
    Range left = node_.bounds;
    for (const dag::BlockView& basement : node_.basements) {
      PutView(basement, left);
      left.lo = basement.clip.hi;
    }
  }

  void PutView(const dag::BlockView& view, const Range& usual) {
    const uint8_t flags = (view.clip.lo == usual.lo ? 0 : kViewLo) | (view.clip.hi == usual.hi ? 0 : kViewHi) |
                          (view.affix.Identity() ? 0 : kViewAffix);
    PutFixed8(&out_, flags);
    CountImplied((flags & kViewLo) != 0, (flags & kViewHi) != 0, usual);
    PutVarint64(&out_, index_.at(view.slot.get()));
    if ((flags & kViewLo) != 0) PutBound(&out_, view.clip.lo);
    if ((flags & kViewHi) != 0) PutBound(&out_, view.clip.hi);
    if ((flags & kViewAffix) != 0) {
      PutLengthPrefixed(&out_, view.affix.strip);
      PutLengthPrefixed(&out_, view.affix.prepend);
    }
  }

  void CountImplied(bool has_lo, bool has_hi, const Range& usual) {
    implied_ += (has_lo ? 0 : usual.lo.bytes.size()) + (has_hi ? 0 : usual.hi.bytes.size());
  }

  const dag::Node& node_;
  uint64_t implied_ = 0;
  absl::flat_hash_map<const dag::BlockSlot*, size_t> index_;
  std::string out_;
};

absl::StatusOr<std::vector<StoredBlock>> FetchAll(const std::vector<BlockUse>& uses, const FetchBlock& fetch,
                                                  Helpers* helpers) {
  std::vector<absl::StatusOr<StoredBlock>> fetched(uses.size());
  const auto fetch_one = [&](size_t i) { fetched[i] = fetch(uses[i]); };
  if (helpers != nullptr) {
    helpers->ForEach(uses.size(), fetch_one);
  } else {
    for (size_t i = 0; i < uses.size(); ++i) fetch_one(i);
  }
  std::vector<StoredBlock> blocks;
  blocks.reserve(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    BETR_ASSIGN_OR_RETURN(blocks.emplace_back(), std::move(fetched[i]));
    Check(blocks.back().count <= uses[i].slot->Count(), "a stored block has no more entries than its slot");
  }
  return blocks;
}

// Makes the fixed part of the header section. The seal still lacks its checksum.
std::string FixedPart(NodeId id, uint64_t version, const dag::Node& node, uint64_t header_units, uint64_t units,
                      size_t body_size) {
  std::string out(kNodeMagic);
  PutFixed64(&out, 0);
  PutFixed16(&out, kNodeVersion);
  PutFixed8(&out, node.height);
  PutCodec(&out, node.codec);
  out.append(3, '\0');
  PutFixed64(&out, id.value);
  PutFixed64(&out, version);
  PutFixed32(&out, static_cast<uint32_t>(header_units));
  PutFixed32(&out, static_cast<uint32_t>(units));
  PutFixed32(&out, static_cast<uint32_t>(body_size));
  PutFixed16(&out, node.known_entries.Code());
  out.resize(kFixedSize, '\0');
  return out;
}

// Says where each block will lie, in the order of the table. The first one begins at `offset`.
std::vector<NodeImage::StoredSlot> Place(const std::vector<BlockUse>& uses, const std::vector<StoredBlock>& blocks,
                                         Bytes offset) {
  std::vector<NodeImage::StoredSlot> placed;
  placed.reserve(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const StoredBlock& block = blocks[i];
    const Bytes size{block.bytes.size()};
    placed.push_back({uses[i].slot,
                      {offset, size, block.raw_size, block.compression, block.checksum, block.count, block.erases},
                      block.count < uses[i].slot->Count()});
    offset += size;
  }
  return placed;
}

}  // namespace

absl::StatusOr<NodeImage> EncodeNode(NodeId id, uint64_t version, const dag::Node& node, const FetchBlock& fetch,
                                     Helpers* helpers) {
  Check(id != kNoNode, "a stored node has an id");
  if (const absl::Status sound = CheckNode(node); !sound.ok()) {
    return absl::InternalError(fmt::format("node {}: cannot be written: {}", id.value, std::string(sound.message())));
  }
  const std::vector<BlockUse> uses = BlocksOf(node);
  BETR_ASSIGN_OR_RETURN(const std::vector<StoredBlock> blocks, FetchAll(uses, fetch, helpers));
  const absl::StatusOr<std::string> finished = BodyWriter(node, blocks, uses).Finish();
  if (!finished.ok()) return Annotate(finished.status(), fmt::format("node {}: cannot be written", id.value));
  const std::string& body = *finished;

  NodeImage image;
  const uint64_t header_units = UnitsFor({kFixedSize + body.size()});
  image.blocks = Place(uses, blocks, UnitBytes(header_units));
  const Bytes size = blocks.empty() ? UnitBytes(header_units)
                                    : image.blocks.back().entry.offset + image.blocks.back().entry.stored_size;
  const uint64_t units = UnitsFor(size);
  if (header_units > kMaxHeaderUnits || units > kMaxExtentUnits) {
    return absl::InternalError(
        fmt::format("node {}: too large to be stored: {} units, of them {} header", id.value, units, header_units));
  }
  image.header_units = static_cast<uint32_t>(header_units);
  image.bytes = FixedPart(id, version, node, header_units, units, body.size()) + body;
  image.bytes.reserve(UnitBytes(units).value);
  image.bytes.resize(UnitBytes(header_units).value, '\0');
  Seal(&image.bytes);
  for (const StoredBlock& block : blocks) image.bytes += block.bytes;
  image.bytes.resize(UnitBytes(units).value, '\0');
  return image;
}

}  // namespace betr::layout
