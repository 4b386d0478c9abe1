// SPDX-License-Identifier: Apache-2.0
#include "support/layout/random_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/escape.h"
#include "support/dag/memory_source.h"

namespace betr::layout {
namespace {

Bound RandomBound(Random& random, size_t max_size) { return {RandomKey(random, max_size), random.OneIn(3)}; }

Range RandomRange(Random& random) {
  for (;;) {
    Range range{RandomBound(random, 4), RandomBound(random, 4)};
    if (range.hi < range.lo) std::swap(range.lo, range.hi);
    if (random.OneIn(4)) range = Range::All();
    if (!range.Empty()) return range;
  }
}

// Up to `max` bounds strictly inside the range, ascending.
std::vector<Bound> RandomBounds(Random& random, const Range& range, size_t max) {
  std::set<Bound> bounds;
  for (size_t i = 0; i < 4 * max && bounds.size() < max; ++i) {
    Bound bound = RandomBound(random, 5);
    if (random.OneIn(2)) bound = bound.Prepend(range.Lcp());
    if (range.lo < bound && bound < range.hi) bounds.insert(std::move(bound));
  }
  return {bounds.begin(), bounds.end()};
}

// The range in up to max + 1 pieces without gaps.
std::vector<Range> RandomPieces(Random& random, const Range& range, size_t max) {
  std::vector<Range> pieces;
  Bound lo = range.lo;
  for (const Bound& bound : RandomBounds(random, range, random.Uniform(max + 1))) {
    pieces.push_back({std::exchange(lo, bound), bound});
  }
  pieces.push_back({lo, range.hi});
  return pieces;
}

// A part of the range; mostly all of it.
Range RandomPart(Random& random, const Range& range) {
  const std::vector<Range> pieces = RandomPieces(random, range, 2);
  return random.OneIn(2) ? range : pieces[random.Uniform(pieces.size())];
}

// Makes nodes whose views share blocks now and then.
class NodeMaker {
 public:
  NodeMaker(Random& random, const NodeSizes& sizes) : random_(random), sizes_(sizes) {}

  dag::Node Make(dag::Height height) {
    const std::vector<Codec> kCodecs{{}, {Compression::kLz4, 1}, {Compression::kLz4, 9}, {Compression::kZstd, 3}};
    dag::Node node;
    node.height = height;
    node.bounds = RandomRange(random_);
    node.codec = random_.Pick(kCodecs);
    for (const Range& piece : RandomPieces(random_, node.bounds, sizes_.edges)) {
      if (height > 0) {
        node.edges.push_back({MakeLink(piece), MakePartition(piece, height)});
      } else if (!random_.OneIn(5)) {
        node.basements.push_back(MakeView(piece, Points::kPuts));
      }
    }
    return node;
  }

 private:
  dag::Link MakeLink(const Range& range) {
    if (random_.OneIn(4)) return {range, kNoNode, {}};
    return {range, NodeId{1 + random_.Skewed(60)}, random_.OneIn(3) ? RandomKey(random_, 6) : std::string()};
  }

  dag::Partition MakePartition(const Range& range, dag::Height height) {
    dag::Partition partition;
    if (random_.OneIn(3)) return partition;
    for (size_t i = random_.Uniform(sizes_.items + 1); i > 0; --i) {
      partition.runs.push_back(MakeView(range, Points::kAny));
    }
    if (random_.OneIn(2)) {
      for (const Range& piece : RandomPieces(random_, range, sizes_.items)) {
        partition.gotos.push_back(MakeGoto(RandomPart(random_, piece), height, partition.runs.size()));
      }
    }
    return partition;
  }

  dag::Goto MakeGoto(const Range& range, dag::Height height, size_t runs) {
    dag::Goto message;
    message.link = MakeLink(range);
    if (height < 2) message.link = {range, kNoNode, {}};
    if (!message.Erases()) message.target_height = static_cast<dag::Height>(random_.Uniform(height - 1));
    message.over = static_cast<uint32_t>(random_.Uniform(runs + 1));
    return message;
  }

  dag::BlockView MakeView(const Range& holder, Points points) {
    dag::BlockView view = dag::BlockView::Whole(MakeSlot(points), RandomPart(random_, holder));
    if (random_.OneIn(3)) {
      const std::string_view lcp = view.clip.Lcp();
      view.affix = {RandomKey(random_, 3), std::string(lcp.substr(0, random_.Uniform(lcp.size() + 1)))};
      if (!Range::Prefix(view.affix.prepend).Covers(view.clip)) view.affix.prepend.clear();
    }
    return view;
  }

  std::shared_ptr<const dag::BlockSlot> MakeSlot(Points points) {
    if (slots_.empty() || !random_.OneIn(4)) {
      slots_.push_back(std::make_shared<dag::ResidentBlock>(RandomBlock(random_, sizes_.entries, points)));
    }
    return random_.Pick(slots_);
  }

  Random& random_;
  const NodeSizes sizes_;
  std::vector<std::shared_ptr<const dag::BlockSlot>> slots_;
};

std::string DescribeView(const dag::BlockView& view) {
  const auto block = view.slot->Get();
  Check(block.ok(), "a block of a described node can be loaded");
  return fmt::format("view {} strip {} prepend {} count {} size {} block {}\n", ToString(view.clip),
                     Escape(view.affix.strip), Escape(view.affix.prepend), view.slot->Count(), view.slot->Size().value,
                     FormatHex((*block)->Payload()));
}

std::string DescribeLink(const dag::Link& link) {
  return fmt::format("{} to {} translation {}", ToString(link.range), link.target.value, Escape(link.translation));
}

}  // namespace

std::string RandomKey(Random& random, size_t max_size) {
  constexpr std::string_view kAlphabet("ab\0\xff", 4);
  std::string key(random.Uniform(max_size + 1), '\0');
  for (char& c : key) c = kAlphabet[random.Uniform(kAlphabet.size())];
  return key;
}

std::shared_ptr<const dag::Block> RandomBlock(Random& random, size_t max_entries, Points points) {
  std::map<std::string, std::string> entries;
  for (size_t i = random.Uniform(max_entries + 1); i > 0; --i) {
    entries[RandomKey(random, 8)] = std::string(random.Skewed(8), 'x') + random.String(random.Skewed(4));
  }
  dag::BlockBuilder builder;
  for (const auto& [key, value] : entries) {
    const uint64_t kind = points == Points::kPuts ? 0 : random.Uniform(4);
    if (kind == 1) {
      builder.Add(key, {dag::MessageKind::kErase, 0, ""});
    } else if (kind == 2) {
      builder.Add(key, {dag::MessageKind::kPut, 0, value});
      builder.Add(key, {dag::MessageKind::kUpsert, 7, "delta"});
    } else {
      builder.Add(key, {dag::MessageKind::kPut, 0, value});
    }
  }
  return builder.Finish();
}

dag::Node RandomNode(Random& random, dag::Height height, const NodeSizes& sizes) {
  return NodeMaker(random, sizes).Make(height);
}

std::string Describe(const dag::Node& node) {
  std::string out =
      fmt::format("height {} bounds {} codec {}\n", node.height, ToString(node.bounds), FormatCodec(node.codec));
  for (const dag::Edge& edge : node.edges) {
    out += fmt::format("edge {}\n", DescribeLink(edge.link));
    for (const dag::BlockView& run : edge.partition.runs) out += DescribeView(run);
    for (const dag::Goto& message : edge.partition.gotos) {
      out +=
          fmt::format("goto {} height {} over {}\n", DescribeLink(message.link), message.target_height, message.over);
    }
  }
  for (const dag::BlockView& basement : node.basements) out += DescribeView(basement);
  return out;
}

}  // namespace betr::layout
