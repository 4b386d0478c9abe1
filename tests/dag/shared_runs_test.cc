// SPDX-License-Identifier: Apache-2.0
// Random nodes whose edges show the same blocks, as clones do, each in its own way: whatever is done to such a node,
// what is read through it stays what it was, and so does what others read of the nodes that it shares.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/alike.h"
#include "dag/change/arrive.h"
#include "dag/change/choose_flush.h"
#include "dag/change/compact.h"
#include "dag/change/flush.h"
#include "dag/change/heal.h"
#include "dag/read/check.h"
#include "dag/read/tree_cursor.h"
#include "support/dag/compare.h"
#include "support/dag/random_pieces.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// A node, and what is done to it.
class SharedRuns : private RandomPieces {
 public:
  explicit SharedRuns(uint64_t seed) : RandomPieces(seed), shape_(RandomShape(random_)) {
    REQUIRE(functions_.Add(std::make_shared<AppendFunction>(random_.OneIn(2))).ok());
    if (random_.OneIn(3)) source_.SetResidence(random_.OneIn(2) ? Residence::kSometimes : Residence::kDisk);
    node_ = dag::EmptyNode(static_cast<dag::Height>(1 + random_.Uniform(3)), Range::All(), {});
    MakeEdges();
  }

  void Run(int steps) {
    Publish();
    const auto first_table = edit_->table();
    const dag::Node first = node_;
    const Contents first_contents = Read(first_table, first);
    CheckSound();
    for (int i = 0; i < steps; ++i) {
      const int kind = static_cast<int>(random_.Uniform(10));
      INFO("step " << i << " of kind " << kind);
      Publish();
      const auto table = edit_->table();
      const dag::Node before = node_;
      const Contents unchanged = Read(table, before);
      Contents expected = unchanged;
      if (kind < 3) {
        REQUIRE(dag::CompactIfMany(*edit_, node_, random_.Uniform(node_.edges.size())).ok());
      } else if (kind < 7) {
        FlushSome();
      } else if (kind < 9) {
        expected = ArriveSome();
      } else {
        REQUIRE(
            dag::Heal(*edit_, node_, {random_.OneIn(2) ? dag::Sharing::kKeep : dag::Sharing::kBreak, dag::Reach::kDisk})
                .ok());
      }
      REQUIRE(edit_->status().ok());
      RequireSame(Read(edit_->table(), node_), expected);
      RequireSame(Read(table, before), unchanged);
      CheckSound();
    }
    RequireSame(Read(first_table, first), first_contents);
  }

  // How many edges went on with the child of another one.
  size_t followed() const { return followed_; }

 private:
  dag::Context Context() { return {source_, functions_, shape_, counters_}; }

  // What was published is not changed any more.
  void Publish() { edit_ = std::make_unique<dag::Edit>(edit_->table(), edit_->next_id(), Context()); }

  // No name is the beginning of another one.
  std::set<std::string> SomeNames() {
    std::set<std::string> names;
    const std::string top = random_.OneIn(4) ? std::string(300, random_.OneIn(2) ? '\0' : '\xff') : "";
    for (const char first : {'\0', 'b', 'd', 'f', 'h', '\xfe', '\xff'}) {
      if (names.empty() || !random_.OneIn(4)) names.insert(top + first + MaybeLong());
    }
    return names;
  }

  // Runs inside a range, oldest first, which may have been written elsewhere.
  std::vector<dag::BlockView> SomeRuns(const Range& range) {
    std::vector<dag::BlockView> runs;
    const std::string written_as = random_.OneIn(2) ? "" : "w" + Text(3);
    for (uint64_t n = 2 + random_.Uniform(8); n > 0; --n) {
      if (const auto run = Block(range.Prepend(written_as), 1 + random_.Uniform(12))) {
        runs.push_back(run->Strip(written_as).Cut(random_.OneIn(3) ? SomePart(range) : range));
      }
    }
    return runs;
  }

  // A clone with a name, of what has some messages without it.
  dag::Edge SomeClone(const std::string& name, const Range& range, const std::vector<dag::BlockView>& runs,
                      const dag::Link& child) {
    dag::Edge edge{{range, kNoNode, ""}, {}};
    if (!random_.OneIn(8)) {
      edge.link = {range, child.target, child.translation};
      edit_->Retain(child.target);
    }
    const size_t end = random_.OneIn(3) ? runs.size() : random_.Uniform(runs.size() + 1);
    for (size_t i = is_varied_ && random_.OneIn(5) ? random_.Uniform(end + 1) : 0; i < end; ++i) {
      const dag::BlockView run = runs[i].Prepend(name).Cut(is_varied_ && random_.OneIn(12) ? SomePart(range) : range);
      if (!run.clip.Empty() && !(is_varied_ && random_.OneIn(12))) edge.partition.runs.push_back(run);
      if (is_varied_ && random_.OneIn(15)) AddRun(edge);
    }
    for (uint64_t n = random_.OneIn(2) ? 0 : random_.Uniform(3); n > 0; --n) AddRun(edge);
    if (random_.OneIn(3)) {
      const size_t most = edge.partition.runs.size();
      edge.partition.gotos = Gotos(*edit_, range, most, static_cast<dag::Height>(node_.height - 1));
    }
    return edge;
  }

  // Makes the edges clones of two sources, and what lies between them edges that lead nowhere.
  void MakeEdges() {
    node_.edges.clear();
    const Range form = random_.OneIn(2) ? Range::Prefix("") : SomePart(Range::Prefix(MaybeLong()));
    std::vector<dag::Link> children;
    for (int i = 0; i < 2; ++i) {
      children.push_back({form, Tree(*edit_, static_cast<dag::Height>(node_.height - 1)), Text(3)});
    }
    const std::vector<dag::BlockView> runs = SomeRuns(form);
    Bound from = Range::All().lo;
    for (const std::string& name : SomeNames()) {
      const Range range = form.Prepend(name);
      if (from < range.lo) {
        node_.edges.push_back({{{from, range.lo}, kNoNode, ""}, {}});
        if (random_.OneIn(4)) AddRun(node_.edges.back());
      }
      node_.edges.push_back(SomeClone(name, range, runs, children[random_.OneIn(4) ? 1 : 0]));
      from = range.hi;
    }
    node_.edges.push_back({{{from, Range::All().hi}, kNoNode, ""}, {}});
    for (const dag::Link& child : children) {
      if (random_.OneIn(2)) {
        edit_->Release(child.target);
      } else {
        kept_nodes_.push_back(child.target);
      }
    }
  }

  void FlushSome() {
    std::vector<size_t> edges;
    for (size_t i = 0; i < node_.edges.size(); ++i) {
      if (!node_.edges[i].partition.Empty()) edges.push_back(i);
    }
    if (edges.empty()) return;
    if (random_.OneIn(2)) {
      if (const auto choice = dag::ChooseFlush(*edit_, node_, edges, dag::Sharing::kBreak)) {
        followed_ += dag::EdgesAlike(node_, choice->edge, choice->runs).size() - 1;
        REQUIRE(dag::FlushEdge(*edit_, node_, choice->edge, choice->runs).ok());
      }
      return;
    }
    const size_t index = random_.Pick(edges);
    size_t runs = dag::kAllRuns;
    if (random_.OneIn(2)) {
      const dag::Partition& partition = node_.edges[index].partition;
      size_t most = partition.runs.size();
      for (const dag::Goto& message : partition.gotos) most = std::min<size_t>(most, message.over);
      if (most == 0) return;
      runs = 1 + random_.Uniform(most);
      followed_ += dag::EdgesAlike(node_, index, runs).size() - 1;
    }
    REQUIRE(dag::FlushEdge(*edit_, node_, index, runs).ok());
  }

  // Returns what is to be read then.
  Contents ArriveSome() {
    dag::Partition news;
    std::vector<const dag::Edge*> with_runs;
    for (const dag::Edge& edge : node_.edges) {
      if (!edge.partition.runs.empty()) with_runs.push_back(&edge);
    }
    for (uint64_t n = 1 + random_.Uniform(6); n > 0; --n) {
      if (with_runs.empty() || random_.OneIn(3)) {
        if (const auto run = Block(random_.OneIn(2) ? Range::All() : SomePart(Range::All()), 10)) {
          news.runs.push_back(*run);
        }
        continue;
      }
      const dag::Edge& from = *random_.Pick(with_runs);
      const dag::Edge& to = random_.OneIn(2) ? from : *random_.Pick(with_runs);
      const dag::BlockView run = random_.Pick(from.partition.runs).Replace(from.link.range.Lcp(), to.link.range.Lcp());
      news.runs.push_back(run.Cut(random_.OneIn(3) ? SomePart(run.clip) : run.clip));
    }
    news.gotos = Gotos(*edit_, Range::All(), news.runs.size(), node_.height);
    // What is read through a node above.
    dag::Edit above(edit_->table(), edit_->next_id(), {source_, functions_, shape_, counters_});
    const NodeId below = above.Create(node_);
    dag::Node root = dag::EmptyNode(static_cast<dag::Height>(node_.height + 1), Range::All(), {});
    root.edges[0].link.target = below;
    root.edges[0].partition = news;
    Contents expected = Read(above.table(), root);
    REQUIRE(dag::Arrive(*edit_, node_, news).ok());
    return expected;
  }

  Contents Read(const dag::NodeTable& table, const dag::Node& node) {
    dag::Edit look(table, NodeId{1'000'000}, {source_, functions_, shape_, counters_});
    const NodeId id = look.Create(node);
    dag::TreeCursor cursor({look.table(), id, {}}, Range::All(), functions_, nullptr);
    Contents contents;
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      contents[std::string(cursor.Key())] = std::string(cursor.Value());
    }
    INFO(cursor.status().ToString());
    REQUIRE(cursor.status().ok());
    std::vector<std::string> keys;
    for (int i = 0; i < 3 && !contents.empty(); ++i) {
      auto at = contents.begin();
      std::advance(at, static_cast<ptrdiff_t>(random_.Uniform(contents.size())));
      keys.push_back(at->first + Text(1));
    }
    REQUIRE(DifferenceOfKeys({look.table(), id, {}}, contents, keys, functions_) == "");
    return contents;
  }

  static void RequireSame(const Contents& read, const Contents& expected) {
    for (const auto& [key, value] : expected) {
      const auto found = read.find(key);
      INFO("key " << ToString(Bound::At(key)));
      REQUIRE((found == read.end() ? "nothing" : found->second) == value);
    }
    REQUIRE(read.size() == expected.size());
  }

  void CheckSound() {
    dag::Edit look(edit_->table(), NodeId{1'000'000}, {source_, functions_, shape_, counters_});
    std::map<NodeId, uint32_t> roots{{look.Create(node_), 1}};
    for (const NodeId id : kept_nodes_) ++roots[id];
    std::string findings;
    dag::CheckDag(look.table(), roots, {}, [&](const dag::Finding& finding) {
      findings += "node " + std::to_string(finding.node.value) + ": " + finding.what + "\n";
    });
    REQUIRE(findings == "");
  }

  UpsertRegistry functions_;
  dag::Shape shape_;
  dag::Counters counters_;
  std::unique_ptr<dag::Edit> edit_ = std::make_unique<dag::Edit>(dag::NodeTable{}, NodeId{1}, Context());
  dag::Node node_;
  std::vector<NodeId> kept_nodes_;
  const bool is_varied_ = random_.OneIn(2);  // or most edges have the same runs
  size_t followed_ = 0;
};

}  // namespace

TEST_CASE("random nodes whose edges show the same blocks", "[dag][random]") {
  const auto runs = static_cast<uint64_t>(std::max(1.0, 800 * TestScale()));
  size_t followed = 0;
  for (uint64_t seed = TestSeed(); seed < TestSeed() + runs; ++seed) {
    INFO("seed " << seed << ": the first one of --betr-seed " << seed);
    SharedRuns node(seed);
    node.Run(12);
    followed += node.followed();
  }
  REQUIRE((TestScale() < 1 || followed > 0));
}

}  // namespace betr::test
