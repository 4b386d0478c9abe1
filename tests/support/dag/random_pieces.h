// SPDX-License-Identifier: Apache-2.0
// Random keys, ranges, runs, gotos and trees, to make nodes of. Keys have few different bytes, including the least and
// the greatest, and now and then long common prefixes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "dag/change/edit.h"
#include "dag/node.h"
#include "dag/shape.h"
#include "support/dag/test_source.h"
#include "support/dag/upserts.h"

namespace betr::test {

inline std::string RandomAlphabet(Random& random) {
  return random.OneIn(2) ? std::string("\0\xff", 2) : std::string("\0a\xff", 3);
}

inline std::string RandomText(Random& random, const std::string& alphabet, uint64_t longest) {
  std::string text;
  for (uint64_t n = random.Uniform(longest + 1); n > 0; --n) text.push_back(random.Pick(alphabet));
  return text;
}

// The shape of nodes that a few messages fill.
inline dag::Shape RandomShape(Random& random) {
  dag::Shape shape;
  shape.node_size = Bytes{100 + random.Uniform(4'000)};
  shape.basement_size = Bytes{32 + random.Uniform(300)};
  shape.fanout = 4 + random.Uniform(12);
  shape.runs = 1 + random.Uniform(4);
  return shape;
}

class RandomPieces {
 protected:
  explicit RandomPieces(uint64_t seed) : random_(seed), source_(seed) {}

  std::string Text(uint64_t longest) { return RandomText(random_, alphabet_, longest); }

  // Sometimes longer than what views are told apart by.
  std::string MaybeLong() {
    if (!random_.OneIn(3)) return Text(2);
    return std::string(250 + random_.Uniform(60), random_.Pick(alphabet_)) + Text(2);
  }

  // Not empty.
  Range SomePart(const Range& range) {
    for (int tries = 0; tries < 20; ++tries) {
      const std::string lcp(range.Lcp());
      Range part{{lcp + Text(3), random_.OneIn(2)}, {lcp + Text(3), random_.OneIn(2)}};
      if (random_.OneIn(3)) part = Range::Prefix(part.lo.bytes);
      part = part.Intersect(range);
      if (!part.Empty()) return part;
    }
    return range;
  }

  std::string Value() {
    return random_.OneIn(15) ? std::string(1 + random_.Uniform(200), 'v') : "v" + std::to_string(++values_);
  }

  // Returns a run, or a basement, with some keys inside a range; nothing if no key was found.
  std::optional<dag::BlockView> Block(const Range& range, size_t most = 8, bool is_leaf = false) {
    std::map<std::string, std::pair<dag::MessageKind, std::string>> points;
    const std::string lcp(range.Lcp());
    const std::string deeper = random_.OneIn(4) ? MaybeLong() : "";
    for (size_t i = 0; i < 3 * most && points.size() < most; ++i) {
      std::string key = lcp + deeper + Text(4);
      if (!range.Contains(key)) key = random_.OneIn(2) ? range.lo.bytes + Text(3) : range.hi.bytes + Text(2);
      if (!range.Contains(key)) continue;
      const uint64_t dice = is_leaf ? 0 : random_.Uniform(6);
      if (dice < 3) {
        points[key] = {dag::MessageKind::kPut, Value()};
      } else if (dice == 3) {
        points[key] = {dag::MessageKind::kErase, ""};
      } else {
        points[key] = {dag::MessageKind::kUpsert, "+" + Value()};
      }
    }
    if (points.empty()) return std::nullopt;
    dag::BlockBuilder builder;
    for (const auto& [key, message] : points) {
      const bool is_upsert = message.first == dag::MessageKind::kUpsert;
      builder.Add(key, {message.first, is_upsert ? AppendFunction::kNumber : uint16_t{0}, message.second});
    }
    return dag::BlockView::Whole(source_.Adopt(builder.Finish()), range);
  }

  void AddRun(dag::Edge& edge) {
    if (std::optional<dag::BlockView> run = Block(edge.link.range, 3)) edge.partition.runs.push_back(*std::move(run));
  }

  // Cuts a range into up to `most` parts.
  std::vector<Range> Tile(const Range& range, size_t most) {
    std::set<Bound> bounds;
    for (size_t i = random_.Uniform(most); i > 0; --i) {
      const Bound bound{std::string(range.Lcp()) + Text(3), random_.OneIn(2)};
      if (range.lo < bound && bound < range.hi) bounds.insert(bound);
    }
    bounds.insert(range.hi);
    std::vector<Range> tiles;
    Bound from = range.lo;
    for (const Bound& bound : bounds) {
      tiles.push_back({from, bound});
      from = bound;
    }
    return tiles;
  }

  // Makes a tree over everything, with one reference.
  NodeId Tree(dag::Edit& edit, dag::Height height) {
    dag::Node node = dag::EmptyNode(height, Range::All(), {});
    if (height == 0) {
      for (const Range& tile : Tile(Range::All(), 4)) {
        if (std::optional<dag::BlockView> basement = Block(tile, 8, true)) {
          node.basements.push_back(*std::move(basement));
        }
      }
      return edit.Create(std::move(node));
    }
    node.edges.clear();
    for (const Range& tile : Tile(Range::All(), 4)) {
      dag::Edge edge{{tile, kNoNode, ""}, {}};
      if (!random_.OneIn(5)) {
        edge.link.target = Tree(edit, static_cast<dag::Height>(height - 1));
        edge.link.translation = Text(2);
      }
      for (uint64_t n = random_.Uniform(3); n > 0; --n) AddRun(edge);
      node.edges.push_back(std::move(edge));
    }
    return edit.Create(std::move(node));
  }

  // Makes gotos inside a range, over at most `runs` runs, to trees lower than `below`.
  std::vector<dag::Goto> Gotos(dag::Edit& edit, const Range& range, size_t runs, dag::Height below) {
    std::vector<dag::Goto> gotos;
    if (random_.OneIn(2)) return gotos;
    for (const Range& tile : Tile(range, 6)) {
      if (!random_.OneIn(3) || tile == range) continue;
      dag::Goto message{{tile, kNoNode, ""}, 0, static_cast<uint32_t>(random_.Uniform(runs + 1))};
      if (below > 0 && random_.OneIn(2)) {
        message.target_height = static_cast<dag::Height>(random_.Uniform(below));
        message.link.target = Tree(edit, message.target_height);
        message.link.translation = Text(2);
      }
      gotos.push_back(std::move(message));
    }
    return gotos;
  }

  Random random_;
  TestSource source_;

 private:
  const std::string alphabet_ = RandomAlphabet(random_);
  uint64_t values_ = 0;
};

}  // namespace betr::test
