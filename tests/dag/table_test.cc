// SPDX-License-Identifier: Apache-2.0
// The node table against std::map, with copies that must not change when others do.
#include "dag/table.h"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "base/random.h"
#include "support/dag/memory_source.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::Height;
using dag::NodeRecord;
using dag::NodeTable;

struct Versions {
  NodeTable table;
  std::map<NodeId, uint32_t> model;  // id -> references
};

size_t PagesBelow(const dag::TablePage& page) {
  size_t pages = 1;
  for (size_t i = 0; page.level > 0 && i < dag::TablePage::kFanout; ++i) {
    pages += page.children[i] == nullptr ? 0 : PagesBelow(*page.children[i]);
  }
  return pages;
}

class TableRun {
 public:
  explicit TableRun(uint64_t seed) : random_(seed) { versions_.resize(1); }

  void Step() {
    Versions& version = versions_[random_.Uniform(versions_.size())];
    const NodeId id = SomeId(version);
    const uint64_t dice = random_.Uniform(10);
    if (dice == 0 && versions_.size() < 5) {
      Versions copy = version;
      copy.table.StartChanging();
      version.table.StartChanging();
      versions_.push_back(std::move(copy));
    } else if (dice == 1 && versions_.size() > 1) {
      versions_.erase(versions_.begin() + static_cast<ptrdiff_t>(random_.Uniform(versions_.size())));
    } else if (dice < 5 && version.model.contains(id)) {
      version.table.Remove(id);
      version.model.erase(id);
    } else {
      const auto references = static_cast<uint32_t>(random_.Uniform(5));
      version.table.Set(id, {references, Height{1}, {}, slot_});
      version.model[id] = references;
    }
  }

  void Verify() const {
    for (const Versions& version : versions_) {
      REQUIRE(version.table.Count() == version.model.size());
      const auto& root = version.table.Root();
      REQUIRE(version.table.Pages() == (root == nullptr ? 0 : PagesBelow(*root)));
      auto expected = version.model.begin();
      version.table.ForEach([&](NodeId id, const NodeRecord& record) {
        REQUIRE(expected != version.model.end());
        REQUIRE(id == expected->first);
        REQUIRE(record.references == expected->second);
        REQUIRE(record.Dead() == (record.references == 0));
        ++expected;
      });
      REQUIRE(expected == version.model.end());
    }
  }

  void VerifyFinds() {
    for (const Versions& version : versions_) {
      for (int i = 0; i < 5; ++i) {
        const NodeId id = SomeId(version);
        const NodeRecord* record = version.table.Find(id);
        const auto found = version.model.find(id);
        REQUIRE((record != nullptr) == (found != version.model.end()));
        if (record != nullptr) REQUIRE(record->references == found->second);
        NodeId from = id;
        const NodeRecord* next = version.table.FindFrom(from);
        const auto expected = version.model.lower_bound(id);
        REQUIRE((next != nullptr) == (expected != version.model.end()));
        if (next != nullptr) {
          REQUIRE(from == expected->first);
          REQUIRE(next->references == expected->second);
        }
      }
    }
  }

 private:
  // Mostly small ones, now and then one that needs a taller table, often one that is there.
  NodeId SomeId(const Versions& version) {
    if (random_.OneIn(3)) {
      const auto found = version.model.lower_bound(NodeId{random_.Skewed(40)});
      if (found != version.model.end()) return found->first;
    }
    return NodeId{1 + random_.Skewed(random_.OneIn(50) ? 62 : 14)};
  }

  Random random_;
  std::vector<Versions> versions_;
  std::shared_ptr<const dag::NodeSlot> slot_ =
      std::make_shared<dag::ResidentNode>(dag::EmptyNode(1, Range::All(), Codec{}));
};

}  // namespace

TEST_CASE("copies of a node table change independently", "[dag][table][random]") {
  const auto seeds = static_cast<uint64_t>(20 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    INFO("seed " << TestSeed() + i);
    TableRun run(TestSeed() + i);
    for (int step = 0; step < 2'000; ++step) {
      run.Step();
      run.VerifyFinds();
      if (step % 50 == 0) run.Verify();
    }
    run.Verify();
  }
}

TEST_CASE("a change of a table copies one path of pages", "[dag][table]") {
  const auto slot = std::make_shared<dag::ResidentNode>(dag::EmptyNode(1, Range::All(), Codec{}));
  NodeTable table;
  table.StartChanging();
  for (uint64_t id = 1; id <= 100'000; ++id) table.Set(NodeId{id}, {1, 1, {}, slot});
  NodeTable changed = table;
  changed.StartChanging();
  changed.Set(NodeId{77'777}, {2, 1, {}, slot});
  size_t different = 0;
  const auto compare = [&](const auto& self, const dag::TablePage& a, const dag::TablePage& b) -> void {
    different += &a != &b;
    for (size_t i = 0; &a != &b && a.level > 0 && i < dag::TablePage::kFanout; ++i) {
      if (a.children[i] != nullptr) self(self, *a.children[i], *b.children[i]);
    }
  };
  compare(compare, *table.Root(), *changed.Root());
  REQUIRE(different == table.Root()->level + 1U);
}

TEST_CASE("a table without entries is as empty as a new one", "[dag][table]") {
  const auto slot = std::make_shared<dag::ResidentNode>(dag::EmptyNode(1, Range::All(), Codec{}));
  NodeTable table;
  table.StartChanging();
  REQUIRE(table.Root() == nullptr);
  table.Set(NodeId{UINT64_MAX}, {1, 1, {}, slot});
  table.Set(NodeId{1}, {1, 1, {}, slot});
  table.Remove(NodeId{UINT64_MAX});
  table.Remove(NodeId{1});
  REQUIRE(table.Root() == nullptr);
  REQUIRE(table.Count() == 0);
  REQUIRE(table.Find(NodeId{1}) == nullptr);
}

TEST_CASE("a node that the table does not know, or knows otherwise, is damage", "[dag][table]") {
  NodeTable table;
  table.StartChanging();
  table.Set(NodeId{1}, {1, 2, {}, std::make_shared<dag::ResidentNode>(dag::EmptyNode(1, Range::All(), Codec{}))});
  REQUIRE(absl::IsDataLoss(dag::LoadNode(table, NodeId{2}).status()));
  REQUIRE(dag::LoadNode(table, NodeId{1}).status().message() == "node 1: height is 1, the table says 2");
}

}  // namespace betr::test
