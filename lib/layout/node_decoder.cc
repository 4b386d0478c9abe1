// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/decoder.h"
#include "base/status.h"
#include "layout/codec_bytes.h"
#include "layout/node_check.h"
#include "layout/node_codec.h"
#include "layout/node_format.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

// Reads a header section behind its seal. The result is well-formed. Whether it is a sound node is for CheckNode to
// say.
class NodeReader {
 public:
  NodeReader(std::string_view header, const MakeBlockSlot& make_slot) : in_(header), make_slot_(make_slot) {
    in_.Raw(kSealSize);
  }

  void ReadFixed(NodeId id, uint64_t version, Bytes header_size, Bytes extent_size) {
    const uint16_t format = in_.Fixed16();
    is_counted_ = format != kUncountedNodeVersion;
    if (is_counted_) Expect("format version", format, kNodeVersion);
    node_.height = in_.Fixed8();
    node_.codec = ReadCodec(in_);
    in_.Zeros(3);
    Expect("node id", in_.Fixed64(), id.value);
    Expect("write version", in_.Fixed64(), version);
    Expect("header units", in_.Fixed32(), UnitsFor(header_size));
    Expect("extent units", in_.Fixed32(), UnitsFor(extent_size));
    body_size_ = in_.Fixed32();
    Expect("header units for the body", UnitsFor({kFixedSize + body_size_}), UnitsFor(header_size));
    implied_left_ = MaxImpliedSize(body_size_);
    node_.known_entries = dag::EntryCount::FromCode(is_counted_ ? in_.Fixed16() : uint16_t{0});
    in_.Zeros(kFixedSize - in_.position());
  }

  void ReadBody(Bytes header_size, Bytes extent_size) {
    const size_t body_begin = in_.position();
    node_.bounds.lo = ReadBound();
    node_.bounds.hi = ReadBound();
    ReadBlockTable(header_size, extent_size);
    if (node_.Leaf()) {
      ReadBasements();
    } else {
      ReadEdges();
    }
    if (slots_.size() != entries_.size()) Fail("a block belongs to no view");
    Expect("size of the body", body_size_, in_.position() - body_begin);
    in_.Zeros(in_.remaining());
  }

  absl::Status Finish() const { return in_.Finish("header"); }
  dag::Node Take() { return std::move(node_); }

 private:
  void Fail(std::string_view why) { in_.Fail(why); }

  void Expect(std::string_view what, uint64_t found, uint64_t expected) {
    if (found != expected) Fail(fmt::format("{} is {}, must be {}", what, found, expected));
  }

  // Reads flags that say which parts follow. Unknown ones are an error.
  uint8_t Flags(uint8_t known) {
    const uint8_t flags = in_.Fixed8();
    if ((flags & ~known) != 0) {
      Fail(fmt::format("unknown flags {:#x}", flags));
      return 0;
    }
    return flags;
  }

  Bound ReadBound() { return layout::ReadBound(in_, kMaxBoundSize.value); }
  std::string ReadString() { return std::string(in_.LengthPrefixed(kMaxBoundSize.value)); }

  std::string ReadTranslation() {
    std::string translation = ReadString();
    if (translation.empty()) Fail("a translation is given that is empty");
    return translation;
  }

  // Reads how many items of one kind follow. All items of a node together are at most kMaxNodeItems.
  size_t ReadCount(uint64_t min_item_size) {
    const size_t count = in_.Count(items_left_, min_item_size);
    items_left_ -= count;
    return count;
  }

  // The same where a flag says that there are some.
  size_t ReadGivenCount(uint64_t min_item_size) {
    const size_t count = ReadCount(min_item_size);
    if (count == 0) Fail("a list is given that is empty");
    return count;
  }

  // Reads a range. A bound that is not given is that of `usual`. In this way few bytes can stand for many long bounds,
  // so the memory that these take together is limited.
  Range ReadRange(bool has_lo, bool has_hi, const Range& usual) {
    const uint64_t implied = (has_lo ? 0 : usual.lo.bytes.size()) + (has_hi ? 0 : usual.hi.bytes.size());
    if (implied > implied_left_) {
      Fail("the bounds that are not given take too much memory");
      return {};
    }
    implied_left_ -= implied;
    Range range;
    range.lo = has_lo ? ReadBound() : usual.lo;
    range.hi = has_hi ? ReadBound() : usual.hi;
    if ((has_lo && range.lo == usual.lo) || (has_hi && range.hi == usual.hi)) {
      Fail("a bound is given that is the usual one");
    }
    return range;
  }

  NodeId ReadTarget() {
    const NodeId target{in_.Varint64()};
    if (target == kNoNode) Fail("a target is node 0");
    return target;
  }

  void ReadBlockTable(Bytes header_size, Bytes extent_size) {
    const size_t count = in_.Count(kMaxNodeItems, kMinBlockEntrySize);
    entries_.reserve(count);
    Bytes offset = header_size;
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      ReadBlockEntry(offset, extent_size);
      offset += entries_.back().stored_size;
    }
    if (UnitsFor(offset) != UnitsFor(extent_size)) {
      Fail(fmt::format("the blocks end at byte {}, which is not in the last unit of the extent", offset.value));
    }
  }

  void ReadBlockEntry(Bytes offset, Bytes extent_size) {
    BlockEntry entry;
    entry.offset = offset;
    entry.stored_size.value = in_.Varint64AtMost((extent_size - offset).value);
    entry.raw_size.value = in_.Varint64AtMost(kMaxRawSize.value);
    const uint8_t compression = in_.Fixed8();
    entry.checksum = in_.Fixed64();
    entry.count = static_cast<uint32_t>(in_.Varint64AtMost(entry.raw_size.value / sizeof(uint32_t)));
    if (is_counted_ && !node_.Leaf()) {
      const uint64_t erases = in_.Varint64AtMost(uint64_t{entry.count} + 1);
      entry.erases = erases == 0 ? std::nullopt : std::optional(static_cast<uint32_t>(erases - 1));
    }
    if (!CompressionFromByte(compression).ok()) Fail(fmt::format("unknown compression {}", compression));
    entry.compression = static_cast<Compression>(compression);
    const bool is_compressed = entry.compression != Compression::kNone;
    if (entry.stored_size.value == 0 || entry.stored_size > entry.raw_size ||
        is_compressed != (entry.stored_size < entry.raw_size)) {
      Fail(fmt::format("a block of {} bytes cannot be stored as {}", entry.raw_size.value, entry.stored_size.value));
    }
    entries_.push_back(entry);
  }

  void ReadEdges() {
    const size_t count = ReadCount(kMinEdgeSize);
    if (count == 0) {
      Fail("an interior node has no edges");
      return;
    }
    node_.edges.reserve(count);
    node_.edges.emplace_back().link.range.lo = node_.bounds.lo;
    for (size_t i = 1; i < count && in_.ok(); ++i) {
      const Bound separator = ReadBound();
      node_.edges.back().link.range.hi = separator;
      node_.edges.emplace_back().link.range.lo = separator;
    }
    node_.edges.back().link.range.hi = node_.bounds.hi;
    for (dag::Edge& edge : node_.edges) ReadEdge(edge);
  }

  void ReadEdge(dag::Edge& edge) {
    const uint8_t flags = Flags(kEdgeTarget | kEdgeTranslation | kEdgeRuns | kEdgeGotos);
    if ((flags & kEdgeTarget) != 0) edge.link.target = ReadTarget();
    if ((flags & kEdgeTranslation) != 0) edge.link.translation = ReadTranslation();
    if ((flags & kEdgeRuns) != 0) {
      const size_t count = ReadGivenCount(kMinViewSize);
      edge.partition.runs.reserve(count);
      for (size_t i = 0; i < count && in_.ok(); ++i) edge.partition.runs.push_back(ReadView(edge.link.range));
    }
    if ((flags & kEdgeGotos) != 0) ReadGotos(edge.partition.gotos, edge.link.range);
  }

  void ReadGotos(std::vector<dag::Goto>& gotos, Range left) {
    const size_t count = ReadGivenCount(kMinGotoSize);
    gotos.reserve(count);
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      gotos.push_back(ReadGoto(left));
      left.lo = gotos.back().link.range.hi;
    }
  }

  dag::Goto ReadGoto(const Range& usual) {
    const uint8_t flags = Flags(kGotoTarget | kGotoTranslation | kGotoLo | kGotoHi);
    dag::Goto message;
    message.link.range = ReadRange((flags & kGotoLo) != 0, (flags & kGotoHi) != 0, usual);
    if ((flags & kGotoTarget) != 0) {
      message.link.target = ReadTarget();
      message.target_height = in_.Fixed8();
    }
    if ((flags & kGotoTranslation) != 0) message.link.translation = ReadTranslation();
    message.over = static_cast<uint32_t>(in_.Varint64AtMost(std::numeric_limits<uint32_t>::max()));
    return message;
  }

  void ReadBasements() {
    const size_t count = ReadCount(kMinViewSize);
    node_.basements.reserve(count);
    Range left = node_.bounds;
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      node_.basements.push_back(ReadView(left));
      left.lo = node_.basements.back().clip.hi;
    }
  }

  dag::BlockView ReadView(const Range& usual) {
    const uint8_t flags = Flags(kViewLo | kViewHi | kViewAffix);
    dag::BlockView view;
    view.slot = ReadSlot();
    view.clip = ReadRange((flags & kViewLo) != 0, (flags & kViewHi) != 0, usual);
    if ((flags & kViewAffix) != 0) {
      view.affix.strip = ReadString();
      view.affix.prepend = ReadString();
      if (view.affix.Identity()) Fail("an affix is given that changes nothing");
    }
    return view;
  }

  // Reads which block a view shows: one that was named before, or the next one of the table. Returns its slot.
  std::shared_ptr<const dag::BlockSlot> ReadSlot() {
    const uint64_t index = in_.Varint64AtMost(slots_.size());
    if (!in_.ok() || index >= entries_.size()) {
      Fail(fmt::format("block {} of {}", index, entries_.size()));
      return nullptr;
    }
    if (index == slots_.size()) slots_.push_back(make_slot_(entries_[index]));
    return slots_[index];
  }

  Decoder in_;
  const MakeBlockSlot& make_slot_;
  uint64_t items_left_ = kMaxNodeItems;
  uint64_t implied_left_ = 0;
  uint64_t body_size_ = 0;
  bool is_counted_ = false;  // the node says how many entries and erases there are
  std::vector<BlockEntry> entries_;
  std::vector<std::shared_ptr<const dag::BlockSlot>> slots_;  // of the entries that were named so far
  dag::Node node_;
};

absl::StatusOr<dag::Node> Decode(NodeId id, uint64_t version, std::string_view header, Bytes extent_size,
                                 const MakeBlockSlot& make_slot) {
  const Bytes header_size{header.size()};
  if (header_size.value == 0 || header_size.value % kUnit.value != 0 || extent_size.value % kUnit.value != 0 ||
      header_size > extent_size || header_size > UnitBytes(kMaxHeaderUnits)) {
    return absl::DataLossError(
        fmt::format("a header of {} bytes in an extent of {}", header_size.value, extent_size.value));
  }
  BETR_RETURN_IF_ERROR(CheckSeal("header", kNodeMagic, header));
  NodeReader reader(header, make_slot);
  reader.ReadFixed(id, version, header_size, extent_size);
  reader.ReadBody(header_size, extent_size);
  BETR_RETURN_IF_ERROR(reader.Finish());
  dag::Node node = reader.Take();
  BETR_RETURN_IF_ERROR(CheckNode(node));
  return node;
}

}  // namespace

absl::StatusOr<dag::Node> DecodeNode(NodeId id, uint64_t version, std::string_view header, Bytes extent_size,
                                     const MakeBlockSlot& make_slot) {
  absl::StatusOr<dag::Node> node = Decode(id, version, header, extent_size, make_slot);
  if (!node.ok()) return Annotate(node.status(), fmt::format("node {} (write version {})", id.value, version));
  return node;
}

}  // namespace betr::layout
