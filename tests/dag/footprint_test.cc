// SPDX-License-Identifier: Apache-2.0
// How much of the nodes parts of trees use is what following every way from every root says.
#include "dag/read/footprint.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/node_links.h"
#include "dag/view.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

void ForEachView(const dag::Node& node, const std::function<void(const dag::BlockView&)>& visit) {
  std::ranges::for_each(node.basements, visit);
  for (const dag::Edge& edge : node.edges) std::ranges::for_each(edge.partition.runs, visit);
}

Bytes BlocksOf(const dag::Node& node) {
  std::set<const dag::BlockSlot*> blocks;
  Bytes size{0};
  ForEachView(node, [&](const dag::BlockView& view) {
    size += blocks.insert(view.slot.get()).second ? view.slot->Size() : Bytes{0};
  });
  return size;
}

Bytes SizeOf(const dag::NodeRecord& record) { return BlocksOf(**record.slot->Get()); }

dag::TreePart PartOf(const DagHarness& dag, size_t tree, const std::vector<std::string>& prefixes) {
  dag::TreePart part{dag.root(tree), {}};
  for (const std::string& prefix : prefixes) part.ranges.Add(Range::Prefix(prefix));
  return part;
}

Footprint Of(const DagHarness& dag, const std::vector<dag::TreePart>& parts) {
  const absl::StatusOr<Footprint> found = dag::FootprintOf(dag.table(), parts, SizeOf);
  INFO(found.status());
  REQUIRE(found.ok());
  CHECK(found->exclusive <= found->stored);
  return *found;
}

Footprint Of(const DagHarness& dag, const std::string& prefix) { return Of(dag, {PartOf(dag, 0, {prefix})}); }

// Way by way, and with no look at the counts of references.
class Oracle {
 public:
  explicit Oracle(const dag::NodeTable& table) : table_(table) {}

  void AddTree(NodeId root, const dag::RangeSet& part) {
    part.ForEach([&](const Range& range) { Follow(root, range, &Shown::inside); });
    part.GapsIn(Range::All()).ForEach([&](const Range& range) { Follow(root, range, &Shown::outside); });
  }

  bool TooMany() const { return ways_ > 200'000; }

  Footprint Sum() const {
    Footprint sum;
    for (const auto& [id, shown] : shown_) {
      if (shown.inside.Empty()) continue;
      const dag::NodePtr node = *dag::LoadNode(table_, id);
      if (shown.outside.Empty()) {
        sum.stored += BlocksOf(*node);
        sum.exclusive += BlocksOf(*node);
      } else {
        AddBlocks(*node, shown, sum);
      }
    }
    return sum;
  }

 private:
  struct Shown {
    dag::RangeSet inside;
    dag::RangeSet outside;
  };

  void Follow(NodeId id, const Range& range, dag::RangeSet Shown::*to) {
    if (++ways_; TooMany()) return;
    (shown_[id].*to).Add(range);
    const dag::NodePtr node = *dag::LoadNode(table_, id);
    dag::ForEachShown(*node, range, [&](const dag::Link& link) { Follow(link.target, link.Image(), to); });
  }

  struct Entry {
    bool inside = false;
    bool outside = false;
  };
  struct Uses {
    std::map<std::string, Entry> entries;  // by the block's own keys
    bool is_all_inside = true;
    bool is_any_outside = false;
  };

  // Entry by entry.
  static void AddBlocks(const dag::Node& node, const Shown& shown, Footprint& sum) {
    std::map<const dag::BlockSlot*, Uses> blocks;
    ForEachView(node, [&](const dag::BlockView& view) {
      Uses& uses = blocks[view.slot.get()];
      uses.is_all_inside &= shown.inside.GapsIn(view.clip).Empty();
      uses.is_any_outside |= shown.outside.Overlaps(view.clip);
      dag::ViewReader reader = *dag::ViewReader::Open(view);
      for (reader.SeekForward(view.clip.lo); reader.Valid(); reader.Next()) {
        const std::string key(reader.Key());
        Entry& entry = uses.entries[view.affix.strip + key.substr(view.affix.prepend.size())];
        entry.inside |= shown.inside.Overlaps(Range::Only(key));
        entry.outside |= shown.outside.Overlaps(Range::Only(key));
      }
    });
    for (const auto& [slot, uses] : blocks) AddBlock(slot->Size(), uses, sum);
  }

  static void AddBlock(Bytes size, const Uses& uses, Footprint& sum) {
    if (uses.entries.empty()) {  // nobody sees any of its bytes
      sum.stored += uses.is_all_inside ? size : Bytes{0};
      sum.exclusive += uses.is_all_inside && !uses.is_any_outside ? size : Bytes{0};
      return;
    }
    const auto bytes = [&](auto counts) {
      return size.value * std::ranges::count_if(uses.entries, counts) / uses.entries.size();
    };
    const uint64_t inside = bytes([](const auto& entry) { return entry.second.inside; });
    const uint64_t common = bytes([](const auto& entry) { return entry.second.inside && entry.second.outside; });
    sum.stored += Bytes{inside};
    sum.exclusive += Bytes{inside - common};
  }

  const dag::NodeTable& table_;
  std::map<NodeId, Shown> shown_;
  size_t ways_ = 0;
};

void MakeTree(DagHarness& dag, const std::string& prefix) {
  for (int i = 1000; i < 3000; ++i) dag.Put(0, prefix + std::to_string(i), "value");
  dag.FlushAll(0);
  dag.Settle(0);
}

}  // namespace

TEST_CASE("a tree uses its space alone until it is cloned, and together with its clone again", "[dag][footprint]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  MakeTree(dag, "tree/");
  const Footprint alone = Of(dag, "tree/");
  CHECK(alone.stored > Bytes{20'000});
  CHECK(alone.exclusive == alone.stored);

  dag.Clone(0, "tree/", 0, "copy/");
  for (const std::string prefix : {"tree/", "copy/"}) {
    const Footprint part = Of(dag, prefix);
    CHECK(part.stored.value > alone.stored.value * 9 / 10);
    CHECK(part.exclusive.value < alone.stored.value / 10);
  }
  const Footprint both = Of(dag, {PartOf(dag, 0, {"tree/", "copy/"})});
  CHECK(both.exclusive == both.stored);
  CHECK(both.stored.value < alone.stored.value * 11 / 10);

  for (int i = 1000; i < 1500; ++i) dag.Put(0, "copy/" + std::to_string(i), "another");
  dag.FlushAll(0);
  dag.Settle(0);
  const Footprint changed = Of(dag, "copy/");
  CHECK(changed.exclusive.value > alone.stored.value / 6);
  CHECK(changed.exclusive.value < alone.stored.value / 2);
}

TEST_CASE("what lies beside a part in the same leaf is not counted", "[dag][footprint]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{1024}), false);
  for (const std::string key : {"a", "b/1", "b/2", "c"}) dag.Put(0, key, std::string(100, 'x'));
  dag.FlushAll(0);
  CHECK(Of(dag, "b/").stored.value == 2 * (100 + 3 + dag::kUsualEntryOverhead));
  CHECK(Of(dag, "b/").exclusive == Of(dag, "b/").stored);
  CHECK(Of(dag, "d/").stored == Bytes{0});
}

TEST_CASE("a snapshot shares all of a tree", "[dag][footprint]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  MakeTree(dag, "tree/");
  dag.Snapshot(0);
  CHECK(Of(dag, "tree/").exclusive == Bytes{0});
  dag.DropSnapshot(0);
  dag.Settle(0);
  CHECK(Of(dag, "tree/").exclusive == Of(dag, "tree/").stored);
}

TEST_CASE("leaves that a part has for itself are not read", "[dag][footprint]") {
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  MakeTree(dag, "tree/");
  dag.source().SetResidence(Residence::kDisk);
  dag.source().ResetReads();
  const auto size = [](const dag::NodeRecord& record) { return Bytes{record.height == 0 ? 512U : 64U}; };
  CHECK(dag::FootprintOf(dag.table(), {PartOf(dag, 0, {"tree/"})}, size).ok());
  CHECK(dag.source().reads().nodes[0] <= 2);
}

TEST_CASE("footprints of overlapping, nested and moved clones are those of all ways to them", "[dag][footprint]") {
  Random random(TestSeed());
  DagHarness dag(SmallShape(Bytes{512}, Bytes{128}), false);
  const size_t other = dag.AddTree();
  const auto prefix = [&] { return std::string(1, static_cast<char>('a' + random.Uniform(3))) + "/"; };
  const auto place = [&] { return random.OneIn(8) ? "" : random.OneIn(2) ? prefix() : prefix() + prefix(); };
  const auto tree = [&] { return random.OneIn(4) ? other : size_t{0}; };
  size_t compared = 0;
  size_t equal = 0;
  size_t shared = 0;
  for (int step = 0; step < 4'000; ++step) {
    switch (random.Uniform(12)) {
      case 0:
        dag.Clone(tree(), place(), tree(), random.OneIn(2) ? prefix() : prefix() + prefix());
        break;
      case 1:
        dag.EraseRange(tree(), Range::Prefix(prefix() + prefix() + std::to_string(random.Uniform(10))));
        break;
      default:
        dag.Put(tree(), prefix() + prefix() + std::to_string(random.Uniform(1000)), "value");
    }
    if (random.OneIn(4)) {
      for (size_t i = 0; i < dag.Trees(); ++i) {
        dag.Seal(i);
        dag.Work(i);
      }
    }
    if (dag.Oracle(0).size() + dag.Oracle(other).size() > 10'000) dag.EraseRange(tree(), Range::Prefix(prefix()));
    if (step % 20 != 0) continue;
    while (dag.ReclaimOne()) {
    }
    const std::vector<dag::TreePart> parts = {PartOf(dag, 0, {place(), place()}), PartOf(dag, other, {place()})};
    const bool is_one = random.OneIn(2);
    Oracle oracle(dag.table());
    oracle.AddTree(dag.root(0), parts[0].ranges);
    oracle.AddTree(dag.root(other), is_one ? dag::RangeSet() : parts[1].ranges);
    if (oracle.TooMany()) continue;
    const Footprint found = Of(dag, is_one ? std::vector<dag::TreePart>{parts[0]} : parts);
    const Footprint expected = oracle.Sum();
    INFO("step " << step);
    // References that show nothing keep nodes, too.
    REQUIRE(found.stored <= expected.stored);
    REQUIRE(found.exclusive <= expected.exclusive);
    ++compared;
    equal += found.stored == expected.stored && found.exclusive == expected.exclusive ? 1 : 0;
    shared += found.exclusive < found.stored ? 1 : 0;
  }
  INFO(compared << " compared, " << equal << " equal, " << shared << " shared");
  CHECK(compared > 50);
  CHECK(equal > compared / 2);
  CHECK(shared > compared / 4);
}

}  // namespace betr::test
