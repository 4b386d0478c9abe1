// SPDX-License-Identifier: Apache-2.0
// Damages to nodes and to the log.
#include <utility>

#include "store/batch_codec.h"
#include "support/damage/corpus.h"

namespace betr::test {
namespace {

constexpr int kRoot = 99;

auto ToHeader(const std::string& tree, int height, std::function<void(Bench&, const Structure&)> change) {
  return [=](Bench& bench) { change(bench, bench.HeaderOf(bench.NodeOf(tree, height))); };
}
auto ToBlocks(const std::string& tree, int height, std::function<void(Bench&, const Structure&)> change) {
  return [=](Bench& bench) { change(bench, bench.BlocksOf(bench.NodeOf(tree, height))); };
}
auto ToNode(const std::string& tree, int height, std::function<void(dag::Node&)> change) {
  return [=](Bench& bench) { bench.ForgeNode(bench.NodeOf(tree, height), change); };
}

void Zero(Bench& bench, const Structure& structure) { bench.Zero(structure); }
void FlipFixed(Bench& bench, const Structure& structure) { bench.Flip(structure, 26); }
void FlipBody(Bench& bench, const Structure& structure) { bench.Flip(structure, 70); }
void Sector(Bench& bench, const Structure& structure) { bench.PutAt(structure.offset, std::string(512, 'x')); }

// Another node was written to its place, or it was written to another one.
void Overwritten(Bench& bench, const Structure& structure) {
  bench.Put(structure, bench.Read(bench.HeaderOf(bench.NodeOf("main", kRoot))));
}
void Misplaced(Bench& bench, const Structure& structure) {
  constexpr Bytes kFarAway = MiB(3);
  std::string node(layout::UnitBytes(2).value, '\0');
  if (bench.device().Read(structure.offset, node).ok()) bench.PutAt(kFarAway, node);
  bench.Zero(structure);
}
void Exchanged(Bench& bench, const Structure& structure) {
  const Structure& other = bench.HeaderOf(NodeId{structure.id + 1});
  std::string here(layout::UnitBytes(2).value, '\0');
  std::string there = here;
  if (bench.device().Read(structure.offset, here).ok() && bench.device().Read(other.offset, there).ok()) {
    bench.PutAt(structure.offset, there);
    bench.PutAt(other.offset, here);
  }
}

void AllLeaves(Bench& bench) {
  bench.ForgeState([&](store::Inspection&, store::State& state) {
    state.table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (record.height == 0 && !record.Dead()) bench.PutAt(bench.HeaderOf(id).offset, std::string(64, '\0'));
    });
  });
}

dag::Edge& SomeEdge(dag::Node& node) {
  for (dag::Edge& edge : node.edges) {
    if (!edge.link.Null()) return edge;
  }
  return node.edges.front();
}

const Structure& Frame(Bench& bench, size_t index) {
  size_t frame = 0;
  while (!std::string(bench.Find("log frame ").name).ends_with(" " + std::to_string(frame))) ++frame;
  return bench.Find("log frame " + std::to_string(frame + index));
}

std::string BatchFor(TreeId tree) {
  WriteBatch batch;
  batch.Put(tree, "key", "value");
  return store::EncodeBatch(batch.ops());
}

}  // namespace

std::vector<DamageCase> NodeCases() {
  return {
      {"leaf zeroed", ToHeader("main", 0, Zero), "header: magic is", "1 lost", true},
      {"id of a leaf", ToHeader("main", 0, FlipFixed), "header: checksum is", "1 lost", true},
      {"body of a leaf", ToHeader("main", 0, FlipBody), "header: checksum is", "1 lost", true},
      {"first sector of a leaf", ToHeader("main", 0, Sector), "header: magic is", "1 lost", true},
      {"leaf of a clone zeroed", ToHeader("other", 0, Zero), "header: magic is", "1 lost", true},
      {"leaf of a snapshot zeroed", ToHeader("before", 0, Zero), "header: magic is", "1 lost", true},
      {"old version of a node", [](Bench& b) { b.ReplayOldNode(); }, "write version", "is lost", true},
      {"a leaf was overwritten", ToHeader("main", 0, Overwritten), "node id is", "1 lost", true},
      {"a leaf is in another place", ToHeader("before", 0, Misplaced), "header: magic is", "found in the extent"},
      {"two leaves exchanged", ToHeader("main", 0, Exchanged), "node id is", "found in the extent"},
      {"interior node zeroed", ToHeader("main", 1, Zero), "header: magic is", "nobody names it any more", true},
      {"interior node flipped", ToHeader("main", 1, FlipBody), "header: checksum is", "nobody names it any more", true},
      {"root zeroed", ToHeader("main", kRoot, Zero), "header: magic is", "tree \"main\": its root is lost", true},
      {"root of a snapshot zeroed", ToHeader("before", kRoot, Zero), "header: magic is",
       "tree \"before\": its root is lost", true},
      {"id of a root", ToHeader("main", kRoot, FlipFixed), "header: checksum is", "its root is lost", true},
      {"block of a leaf flipped", ToBlocks("main", 0, FlipFixed), "block at byte", "0 lost", true},
      {"first sector of blocks", ToBlocks("main", 0, Sector), "block at byte", "0 lost", true},
      {"blocks of a leaf zeroed", ToBlocks("main", 0, Zero), "block at byte", "0 lost", true},
      {"blocks of a clone's leaf zeroed", ToBlocks("other", 0, Zero), "block at byte", "0 lost", true},
      {"buffered changes flipped", ToBlocks("main", kRoot, FlipFixed), "block at byte", "the latest changes are lost",
       true},
      {"buffered changes zeroed", ToBlocks("main", kRoot, Zero), "block at byte", "the latest changes are lost", true},
      {"all leaves", AllLeaves, "header: magic is", "nodes kept", true},
      {"an edge to nowhere", ToNode("main", 1, [](dag::Node& node) { SomeEdge(node).link.target = NodeId{9999}; }),
       "names node 9999, which is not in the node table", "nodes kept, 1 lost", true},
      {"an edge that reaches too far",
       ToNode("main", 1, [](dag::Node& node) { SomeEdge(node).link.translation += "zzz"; }), "which holds",
       "nodes kept", true},
      {"an edge to a node above",
       [](Bench& bench) {
         const NodeId root = bench.NodeOf("before", kRoot);
         bench.ForgeNode(bench.NodeOf("main", 1), [&](dag::Node& node) { SomeEdge(node).link.target = root; });
       },
       "where height 0 belongs", "nodes kept", true},
  };
}

std::vector<DamageCase> LogCases() {
  return {
      {"first frame's header", [](Bench& b) { b.Flip(Frame(b, 0), 20); }, "no intact frame", "log: ends before", true},
      {"first frame's records", [](Bench& b) { b.Flip(Frame(b, 0), 100); }, "no intact frame", "log: ends before",
       true},
      {"first frame zeroed", [](Bench& b) { b.Zero(Frame(b, 0)); }, "no intact frame", "log: ends before", true},
      {"a frame in the middle", [](Bench& b) { b.Flip(Frame(b, 2), 90); }, "no intact frame", "log: ends before", true},
      {"a frame in the middle zeroed", [](Bench& b) { b.Zero(Frame(b, 3)); }, "no intact frame", "log: ends before",
       true},
      {"two frames exchanged",
       [](Bench& b) {
         const std::string bytes = b.Read(Frame(b, 1));
         b.Put(Frame(b, 1), b.Read(Frame(b, 2)));
         b.Put(Frame(b, 2), bytes);
       },
       "no intact frame", "log: ends before", true},
      {"a record that is no batch", [](Bench& b) { b.AppendToLog("\x01\x05"); }, "log: record", "log: ends before",
       true},
      {"a batch for no tree", [](Bench& b) { b.AppendToLog(BatchFor(TreeId{77})); }, "there is no such tree",
       "lost: tree \"number 77\"", true},
      {"a leaf, and a batch for it", [](Bench& b) { b.Zero(b.HeaderOf(b.NodeOf("main", 0))); }, "header: magic is",
       "1 lost", true},
      {"a leaf and a frame",
       [](Bench& b) {
         b.Zero(b.HeaderOf(b.NodeOf("main", 0)));
         b.Zero(Frame(b, 2));
       },
       "no intact frame", "log: ends before", true},
  };
}

}  // namespace betr::test
