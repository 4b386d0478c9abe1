// SPDX-License-Identifier: Apache-2.0
// What arrives in an interior node is given to its edges, and copied only if it has to be.
#include "dag/change/arrive.h"

#include <catch2/catch.hpp>

#include "dag/change/message_buffer.h"
#include "support/dag/lone_node.h"

namespace betr::test {
namespace {

// A node with an edge for keys before "m", which leads somewhere, and an idle one for the others.
class Receiver : private LoneNode {
 public:
  Receiver() {
    const Bound middle = Bound::At("m");
    node_.edges = {{{{Range::All().lo, middle}, NodeId{1}, ""}, {}}, {{{middle, Range::All().hi}, kNoNode, ""}, {}}};
  }

  dag::MessageBuffer Buffer() const { return dag::MessageBuffer(functions_); }
  void Arrive(const dag::Partition& news) { REQUIRE(dag::Arrive(edit_, node_, news).ok()); }
  dag::Partition Seal(const dag::MessageBuffer& buffer) { return buffer.Seal(source_); }
  const dag::Edge& left() const { return node_.edges.front(); }
  const dag::Edge& right() const { return node_.edges.back(); }
};

}  // namespace

TEST_CASE("messages for one edge arrive as the block that they are in", "[dag][arrive]") {
  Receiver receiver;
  dag::MessageBuffer buffer = receiver.Buffer();
  buffer.Put("a", "1");
  buffer.Erase("b");
  const dag::Partition news = receiver.Seal(buffer);
  receiver.Arrive(news);
  REQUIRE(receiver.left().partition.runs.size() == 1);
  CHECK(receiver.left().partition.runs[0].slot == news.runs[0].slot);
  CHECK(receiver.left().link.range.Covers(receiver.left().partition.runs[0].clip));
  CHECK(receiver.right().Idle());
}

TEST_CASE("messages for several edges are divided", "[dag][arrive]") {
  Receiver receiver;
  dag::MessageBuffer buffer = receiver.Buffer();
  buffer.Put("a", "1");
  buffer.Put("m", "2");
  buffer.Put("x", "3");
  receiver.Arrive(receiver.Seal(buffer));
  REQUIRE(receiver.left().partition.runs.size() == 1);
  REQUIRE(receiver.right().partition.runs.size() == 1);
  CHECK(receiver.left().partition.runs[0].Count() == 1);
  CHECK(receiver.right().partition.runs[0].Count() == 2);
}

TEST_CASE("an erase stays away from an edge that holds nothing", "[dag][arrive]") {
  Receiver receiver;
  dag::MessageBuffer buffer = receiver.Buffer();
  buffer.Put("x", "1");
  buffer.Erase("y");
  receiver.Arrive(receiver.Seal(buffer));
  REQUIRE(receiver.right().partition.runs.size() == 1);
  CHECK(receiver.right().partition.runs[0].Count() == 1);
}

TEST_CASE("clones that show the same block go on with it", "[dag][arrive]") {
  Receiver receiver;
  dag::MessageBuffer buffer = receiver.Buffer();
  for (const char* const key : {"live/1", "live/2", "live/3"}) buffer.Put(key, "value");
  const dag::BlockView run = receiver.Seal(buffer).runs.front().Cut(Range::Prefix("live/"));
  dag::Partition news{{run.Replace("live/", "a/"), run.Replace("live/", "b/"), run.Replace("live/", "n/")}, {}};
  SECTION("all of it") {
    receiver.Arrive(news);
    REQUIRE(receiver.left().partition.runs.size() == 2);
    REQUIRE(receiver.right().partition.runs.size() == 1);
    CHECK(receiver.left().partition.runs[0].slot == run.slot);
    CHECK(receiver.left().partition.runs[1].slot == run.slot);
    CHECK(receiver.right().partition.runs[0].slot == run.slot);
  }
  SECTION("without what an erase hides") {
    news.gotos = {{{Range::Prefix("b/"), kNoNode, ""}, 0, 3}, {{Range::Prefix("n/1"), kNoNode, ""}, 0, 3}};
    receiver.Arrive(news);
    REQUIRE(receiver.left().partition.runs.size() == 1);
    CHECK(receiver.left().partition.Covering("b/1") != nullptr);
    REQUIRE(receiver.right().partition.runs.size() == 1);
    CHECK(receiver.right().partition.runs[0].slot == run.slot);
    CHECK(dag::ViewReader::Open(receiver.right().partition.runs[0])->Count() == 2);
  }
  SECTION("a small part of it is made a block of its own, once") {
    for (dag::BlockView& view : news.runs) {
      const std::string name = view.clip.lo.bytes;
      view = view.Cut(Range::Prefix(name + "2"));
    }
    receiver.Arrive(news);
    REQUIRE(receiver.left().partition.runs.size() == 2);
    const dag::BlockView& part = receiver.left().partition.runs[0];
    CHECK(part.slot != run.slot);
    CHECK(part.Count() == 1);
    CHECK(receiver.left().partition.runs[1].slot == part.slot);
    CHECK(receiver.right().partition.runs[0].slot == part.slot);
    CHECK(dag::ViewReader::Open(receiver.right().partition.runs[0])->Count() == 1);
  }
}

}  // namespace betr::test
