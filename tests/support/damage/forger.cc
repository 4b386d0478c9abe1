// SPDX-License-Identifier: Apache-2.0
#include "support/damage/forger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace betr::test {
namespace {

// A position that lies in the range, if there is one: else any of its ends.
Bound Clamp(const Bound& bound, const Range& range) { return std::clamp(bound, range.lo, range.hi); }

}  // namespace

std::string Forger::Forge() {
  switch (random_.Uniform(12)) {
    case 0:
      return ForgeTable();
    case 1:
      return ForgeCatalog();
    case 2:
      return random_.OneIn(2) ? ForgeSuperblock() : BuildTower();
    case 3:
      return ForgeBytes();
    default:
      return ForgeNode();
  }
}

std::string Forger::ForgeNode() {
  const uint64_t id = AnyNode().value;
  dag::Node& node = forgery_.nodes.at(id).node;
  std::string what;
  if (random_.OneIn(12)) {
    node.height = static_cast<dag::Height>(random_.OneIn(2) ? random_.Uniform(6) : random_.Uniform(201));
    if (random_.OneIn(2)) forgery_.nodes.at(id).height = node.height;
    if (node.height == 0) node.edges.clear();
    if (node.height > 0) node.basements.clear();
    if (node.height > 0 && node.edges.empty()) node.edges.push_back({{node.bounds, AnyNode(), ""}, {}});
    what = fmt::format("height {}", node.height);
  } else if (random_.OneIn(16)) {
    node.known_entries = dag::EntryCount::FromCode(static_cast<uint16_t>(random_.Next()));
    what = "entries";
  } else if (random_.OneIn(8)) {
    what = ForgeBounds(node);
  } else {
    what = node.edges.empty() ? ForgeBasements(node) : ForgeEdge(node);
  }
  return fmt::format("node {}: {}; ", id, what);
}

std::string Forger::ForgeEdge(dag::Node& node) {
  dag::Edge& edge = random_.Pick(node.edges);
  switch (random_.Uniform(9)) {
    case 0:
      edge.link.target = AnyTarget(node.height);
      return fmt::format("an edge leads to {}", edge.link.target.value);
    case 1:
      if (edge.link.Null()) edge.link.target = AnyTarget(node.height);
      edge.link.translation = AnyText();
      return "translation of an edge";
    case 2:
      edge.link.target = kNoNode;
      edge.link.translation.clear();
      return "an edge without target";
    case 3:
      for (dag::Edge& other : node.edges) other.link.target = edge.link.target;
      for (dag::Edge& other : node.edges) other.link.translation = edge.link.translation;
      return "all edges lead to one node";
    case 4: {
      const Bound at = Clamp(AnyBound(), edge.link.range);
      if (at == edge.link.range.lo || at == edge.link.range.hi) return "nothing";
      dag::Edge right = edge;
      edge.link.range.hi = at;
      edge.partition = {};
      right.link.range.lo = at;
      right.partition = {};
      const auto place = std::find(node.edges.begin(), node.edges.end(), edge);
      node.edges.insert(place + 1, std::move(right));
      return "an edge cut in two, without its translation";
    }
    case 5:
    case 6:
      return ForgeGoto(node, edge);
    default:
      return ForgePartition(edge);
  }
}

std::string Forger::ForgePartition(dag::Edge& edge) {
  std::vector<dag::BlockView>& runs = edge.partition.runs;
  if (runs.empty() || random_.OneIn(4)) {
    // A run of what lies elsewhere, perhaps many times.
    const std::vector<dag::BlockView*> views = Views();
    if (views.empty()) return "nothing";
    dag::BlockView view = *views[random_.Uniform(views.size())];
    view.clip = random_.OneIn(2) ? edge.link.range : AnyRange(edge.link.range);
    if (random_.OneIn(2)) view.affix = {};
    for (uint64_t n = random_.OneIn(8) ? 1000 : 1; n > 0; --n) runs.push_back(view);
    return "more runs";
  }
  if (random_.OneIn(5)) {
    random_.Shuffle(std::span(runs));
    return "runs in another order";
  }
  if (random_.OneIn(8)) {
    for (dag::Goto& message : edge.partition.gotos) message.over = 0;
    runs.clear();
    return "no runs";
  }
  dag::BlockView& view = random_.Pick(runs);
  return random_.OneIn(2) ? ForgeView(view) : ForgeBlock(view);
}

std::string Forger::ForgeGoto(dag::Node& node, dag::Edge& edge) {
  std::vector<dag::Goto>& gotos = edge.partition.gotos;
  if (gotos.empty() || random_.OneIn(3)) {
    dag::Goto message;
    const Bound lo = gotos.empty() ? edge.link.range.lo : gotos.back().link.range.hi;
    if (lo >= edge.link.range.hi) return "nothing";
    message.link.range = AnyRange({lo, edge.link.range.hi});
    message.over = static_cast<uint32_t>(random_.Uniform(edge.partition.runs.size() + 1));
    if (!random_.OneIn(3) && node.height > 1) {
      message.target_height = static_cast<dag::Height>(random_.Uniform(node.height - 1));
      message.link.target = AnyTarget(static_cast<dag::Height>(message.target_height + 1));
      message.link.translation = random_.OneIn(2) ? AnyText() : "";
      if (random_.OneIn(8)) message.target_height = static_cast<dag::Height>(random_.Uniform(node.height - 1));
    }
    gotos.push_back(std::move(message));
    return "one more goto";
  }
  dag::Goto& message = random_.Pick(gotos);
  switch (random_.Uniform(4)) {
    case 0:
      message.link.target = AnyTarget(node.height);
      message.target_height = static_cast<dag::Height>(node.height > 1 ? random_.Uniform(node.height - 1) : 0);
      return fmt::format("a goto leads to {}", message.link.target.value);
    case 1:
      if (!message.Erases()) message.link.translation = AnyText();
      return "translation of a goto";
    case 2:
      message.link.range = AnyRange(message.link.range);
      return "range of a goto";
    default:
      message.over = static_cast<uint32_t>(random_.Uniform(edge.partition.runs.size() + 1));
      return "what a goto goes over";
  }
}

std::string Forger::ForgeBounds(dag::Node& node) {
  const Range old = node.bounds;
  node.bounds = random_.OneIn(2) ? Range::All() : AnyRange(old);
  // Nothing goes beyond them.
  if (!node.edges.empty()) {
    if (node.bounds.lo < node.edges.front().link.range.hi) node.edges.front().link.range.lo = node.bounds.lo;
    if (node.bounds.hi > node.edges.back().link.range.lo) node.edges.back().link.range.hi = node.bounds.hi;
    if (random_.OneIn(2)) {
      dag::Edge only = node.edges.front();
      only.link.range = node.bounds;
      node.edges = {std::move(only)};
    }
    node.bounds = {node.edges.front().link.range.lo, node.edges.back().link.range.hi};
    for (dag::Edge& edge : node.edges) {
      for (dag::BlockView& run : edge.partition.runs) run = run.Cut(edge.link.range);
      std::erase_if(edge.partition.runs, [](const dag::BlockView& run) { return run.clip.Empty(); });
      edge.partition.gotos.clear();
    }
  }
  for (dag::BlockView& view : node.basements) view.clip = view.clip.Intersect(node.bounds);
  std::erase_if(node.basements, [](const dag::BlockView& view) { return view.clip.Empty(); });
  return "bounds";
}

std::string Forger::ForgeView(dag::BlockView& view) {
  switch (random_.Uniform(4)) {
    case 0:
      view.affix.strip = AnyText();
      return "what a view strips";
    case 1:
      view.affix.prepend = std::string(view.clip.Lcp());
      view.affix.prepend.resize(random_.Uniform(view.affix.prepend.size() + 1));
      return "what a view prepends";
    case 2:
      view.clip = AnyRange(view.clip);
      return "what a view clips";
    default: {
      const std::vector<dag::BlockView*> views = Views();
      view.slot = views[random_.Uniform(views.size())]->slot;
      return "a view of another block";
    }
  }
}

std::string Forger::ForgeBlock(dag::BlockView& view) {
  const auto block = view.slot->Get();
  if (!block.ok()) return "nothing";
  view.slot = std::make_shared<ForgedSlot>(AnyBlock(**block, forgery_.superblock.codec));
  return "another block";
}

std::string Forger::ForgeBasements(dag::Node& node) {
  if (node.basements.empty() || random_.OneIn(8)) {
    const std::vector<dag::BlockView*> views = Views();
    if (views.empty()) return "nothing";
    const dag::BlockView view = *views[random_.Uniform(views.size())];
    node.basements = {view};
    node.basements[0].affix = {};
    node.basements[0].clip = node.bounds;
    return "another basement alone";
  }
  dag::BlockView& view = random_.Pick(node.basements);
  return random_.OneIn(2) ? ForgeView(view) : ForgeBlock(view);
}

std::string Forger::ForgeBytes() {
  const uint64_t chance = 1 + random_.Uniform(20);
  const uint64_t seed = random_.Next();
  forgery_.change_bytes = [random = Random(seed), chance](std::string& bytes) mutable {
    if (!random.OneIn(chance)) return;
    const size_t used = std::min(bytes.size(), bytes.find_last_not_of('\0') + 2);
    for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) {
      const size_t at = 16 + random.Uniform(used - 16);
      bytes[at] = static_cast<char>(random.OneIn(2) ? random.Next() : bytes[at] ^ (1 << random.Uniform(8)));
    }
  };
  return "bytes; ";
}

std::string Forger::BuildTower() {
  const auto tree = random_.Uniform(forgery_.catalog.trees.size());
  NodeId below = forgery_.catalog.trees[tree].root;
  // What is seen on more than some hundred ways takes as long as it does.
  const bool is_tall = random_.OneIn(2);
  const uint64_t levels = is_tall ? random_.Uniform(200) : 1 + random_.Uniform(5);
  const uint64_t edges = is_tall ? 1 : 1 + random_.Uniform(3);
  const bool is_over_nothing = random_.OneIn(3);
  const std::string prefix = random_.OneIn(2) ? "" : AnyText();
  const auto found = forgery_.nodes.find(below.value);
  if (found == forgery_.nodes.end()) return "nothing; ";
  auto height = found->second.node.height;
  if (is_over_nothing) {
    const uint64_t id = forgery_.nodes.rbegin()->first + 1;
    forgery_.nodes[id] = {dag::EmptyNode(0, Range::All(), {}), 1, 0};
    below = NodeId{id};
    height = 0;
  }
  for (uint64_t i = 0; i < levels && height < dag::kMaxHeight; ++i) {
    const uint64_t id = forgery_.nodes.rbegin()->first + 1;
    dag::Node node;
    node.height = ++height;
    node.bounds = Range::All();
    Bound lo = Bound::At("");
    for (uint64_t edge = 0; edge < edges; ++edge) {
      const Range range = Range::Prefix(std::string(1, static_cast<char>('a' + edge)));
      node.edges.push_back({{{lo, range.lo}, kNoNode, ""}, {}});
      node.edges.push_back({{range, below, prefix}, {}});
      lo = range.hi;
    }
    node.edges.push_back({{{lo, Bound::Past("")}, kNoNode, ""}, {}});
    forgery_.nodes[id] = {std::move(node), static_cast<uint32_t>(edges), height};
    below = NodeId{id};
  }
  forgery_.catalog.trees[tree].root = below;
  forgery_.superblock.next_node_id = NodeId{std::max(forgery_.superblock.next_node_id.value, below.value + 1)};
  return fmt::format("a tower of {} levels with {} edges each over {}; ", levels, edges,
                     is_over_nothing ? "nothing" : "the tree");
}

NodeId Forger::AnyNode() {
  auto place = forgery_.nodes.begin();
  std::advance(place, random_.Uniform(forgery_.nodes.size()));
  return NodeId{place->first};
}

// Mostly of a node that may be there.
NodeId Forger::AnyTarget(dag::Height height) {
  if (random_.OneIn(20)) return NodeId{1 + random_.Skewed(63)};
  for (int tries = 0; tries < 20; ++tries) {
    const NodeId id = AnyNode();
    if (random_.OneIn(8) || forgery_.nodes.at(id.value).node.height + 1 == height) return id;
  }
  return AnyNode();
}

std::vector<dag::BlockView*> Forger::Views() {
  std::vector<dag::BlockView*> views;
  for (auto& [id, forged] : forgery_.nodes) {
    for (dag::Edge& edge : forged.node.edges) {
      for (dag::BlockView& run : edge.partition.runs) views.push_back(&run);
    }
    for (dag::BlockView& basement : forged.node.basements) views.push_back(&basement);
  }
  return views;
}

}  // namespace betr::test
