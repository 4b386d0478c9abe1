// SPDX-License-Identifier: Apache-2.0
// Runs that lie on top of each other become one when they are many, and blocks that clones share stay shared.
#include "dag/change/compact.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "dag/read/lookup.h"
#include "support/dag/lone_node.h"

namespace betr::test {
namespace {

constexpr size_t kMost = 4;

// A node with two edges, for a/ and for what comes behind it.
class Compacting : private LoneNode {
 public:
  Compacting() {
    shape_.runs = kMost;
    const Bound middle = Range::Prefix("a/").hi;
    node_.edges = {{{{Range::All().lo, middle}, NodeId{1}, ""}, {}}, {{{middle, Range::All().hi}, NodeId{1}, ""}, {}}};
  }

  dag::BlockView Run(const std::string& prefix, int entries, int round) {
    dag::BlockBuilder builder;
    for (int i = 0; i < entries; ++i) {
      builder.Add(prefix + std::to_string(1000 + i), {dag::MessageKind::kPut, 0, std::to_string(round)});
    }
    return dag::BlockView::Whole(source_.Adopt(builder.Finish()), Range::Prefix(prefix));
  }

  dag::Partition& left() { return node_.edges[0].partition; }
  dag::Partition& right() { return node_.edges[1].partition; }
  void Compact(size_t index) { REQUIRE(dag::CompactIfMany(edit_, node_, index).ok()); }

  std::string Read(const std::string& key) {
    dag::ValueBuilder value;
    REQUIRE(dag::LookUpInPartition(node_.edges[node_.EdgeOf(key)].partition, key, value).ok());
    return value.Resolve(functions_, key)->value_or("nothing");
  }
};

}  // namespace

TEST_CASE("too many runs on top of each other become one", "[dag][compact]") {
  Compacting node;
  for (int i = 0; i <= static_cast<int>(kMost); ++i) {
    node.Compact(0);
    CHECK(node.left().runs.size() == static_cast<size_t>(i));
    node.left().runs.push_back(node.Run("a/", 2, i));
  }
  node.Compact(0);
  REQUIRE(node.left().runs.size() == 1);
  CHECK(node.left().runs[0].Count() == 2);
  CHECK(node.Read("a/1001") == std::to_string(kMost));
}

TEST_CASE("runs of different directories do not lie on top of each other", "[dag][compact]") {
  Compacting node;
  for (int i = 0; i < 20; ++i) node.right().runs.push_back(node.Run("b" + std::to_string(i) + "/", 1, i));
  for (int i = 0; i <= static_cast<int>(kMost); ++i) node.right().runs.push_back(node.Run("b7/", 1, 100 + i));
  node.Compact(1);
  CHECK(node.right().runs.size() == 20);
  CHECK(node.Read("b7/1000") == std::to_string(100 + kMost));
  CHECK(node.Read("b8/1000") == "8");
}

TEST_CASE("runs of more and more directories become one after all", "[dag][compact]") {
  Compacting node;
  const bool is_cloned = GENERATE(false, true);
  size_t most = 0;
  for (int i = 0; i < 500; ++i) {
    node.left().runs.push_back(node.Run("a/" + std::to_string(1000 + i * 7919 % 500) + "/", 1, i));
    node.Compact(0);
    most = std::max(most, node.left().runs.size());
    if (is_cloned) node.right() = node.left().Replace("a/", "b/");
  }
  CHECK(most <= 10 * kMost);
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(1000 + i * 7919 % 500) + "/1000";
    CHECK(node.Read("a/" + name) == std::to_string(i));
    CHECK(node.Read("b/" + name) == (is_cloned ? std::to_string(i) : "nothing"));
  }
}

TEST_CASE("clones that have the same runs get the same one for them", "[dag][compact]") {
  Compacting node;
  node.left().runs.push_back(node.Run("a/", 100, 0));
  for (int i = 1; i <= static_cast<int>(kMost); ++i) node.left().runs.push_back(node.Run("a/", 2, i));
  for (const std::string clone : {"b/", "c/"}) {
    for (const dag::BlockView& run : node.left().runs) node.right().runs.push_back(run.Replace("a/", clone));
  }
  node.right().runs.push_back(node.Run("c/", 1, 77));
  node.Compact(0);
  // The large one stays as it is, for all.
  REQUIRE(node.left().runs.size() == 2);
  REQUIRE(node.right().runs.size() == 5);
  CHECK(node.right().runs[0].slot == node.left().runs[0].slot);
  CHECK(node.right().runs[1].slot == node.left().runs[1].slot);
  CHECK(node.right().runs[3].slot == node.left().runs[1].slot);
  for (const std::string clone : {"a/", "b/", "c/"}) {
    CHECK(node.Read(clone + "1099") == "0");
    CHECK(node.Read(clone + "1001") == std::to_string(kMost));
  }
  CHECK(node.Read("c/1000") == "77");
}

TEST_CASE("runs of a directory with a long name are made one below those of a larger one", "[dag][compact]") {
  Compacting node;
  const std::string deep = std::string(300, 'x') + "/";
  node.left().runs.push_back(node.Run("a/", 1000, 0));
  for (int i = 1; i <= static_cast<int>(kMost); ++i) {
    node.left().runs.push_back(node.Run("a/" + deep, 2, i));
    node.right().runs.push_back(node.left().runs.back().Replace("a/", "b/"));
  }
  node.Compact(0);
  REQUIRE(node.left().runs.size() == 2);
  REQUIRE(node.right().runs.size() == 1);
  CHECK(node.right().runs[0].slot == node.left().runs[1].slot);
  CHECK(Range::Prefix("b/" + deep).Covers(node.right().runs[0].clip));
  CHECK(node.Read("a/" + deep + "1001") == std::to_string(kMost));
  CHECK(node.Read("b/" + deep + "1000") == std::to_string(kMost));
  CHECK(node.Read("a/1999") == "0");
}

TEST_CASE("what an erase hides for one clone stays for the others", "[dag][compact]") {
  Compacting node;
  for (int i = 0; i <= static_cast<int>(kMost); ++i) node.left().runs.push_back(node.Run("a/", 2, i));
  for (const dag::BlockView& run : node.left().runs) node.right().runs.push_back(run.Replace("a/", "b/"));
  const auto all = static_cast<uint32_t>(node.left().runs.size());
  SECTION("for the one that is compacted") {
    node.left().gotos = {{{Range::Prefix("a/1001"), kNoNode, ""}, 0, all}};
    node.Compact(0);
    CHECK(node.left().runs.size() == 1);
    CHECK(node.right().runs.size() == all);
    CHECK(node.Read("a/1001") == "nothing");
    CHECK(node.Read("b/1001") == std::to_string(kMost));
  }
  SECTION("for another one, in the midst of its runs") {
    node.right().gotos = {{{Range::Prefix("b/1001"), kNoNode, ""}, 0, all - 1}};
    node.Compact(0);
    CHECK(node.left().runs.size() == 1);
    CHECK(node.right().runs.size() == all);
    node.right().runs.pop_back();
    CHECK(node.Read("b/1001") == "nothing");
    CHECK(node.Read("b/1000") == std::to_string(kMost - 1));
  }
}

}  // namespace betr::test
