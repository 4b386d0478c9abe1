// SPDX-License-Identifier: Apache-2.0
// Which operations of different threads have to stay in order.
#include "replay/dependencies.h"

#include <fcntl.h>

#include <catch2/catch.hpp>

#include "support/replay/operations.h"

namespace betr::replay {
namespace {

using Kind = OperationKind;

constexpr NodeNumber kTop{2};
constexpr NodeNumber kOther{3};
constexpr NodeNumber kFile{10};

// Each of another thread.
Operation At(Kind kind, NodeNumber parent, const std::string& name, NodeNumber node = {}) {
  static ThreadNumber next = 100;
  return MakeOperation(kind, {node, parent, name, {}}, next++);
}

Operation OnNode(Kind kind, NodeNumber node) { return At(kind, {}, "", node); }

Operation OnFile(Kind kind, uint64_t file, bool is_at_position = false) {
  Operation operation = OnNode(kind, kFile);
  operation.file = FileNumber{file};
  operation.is_at_position = is_at_position;
  return operation;
}

Operation Rename(const Place& from, const Place& to, FileType type = FileType::kRegular) {
  Operation operation = At(Kind::kRename, from.parent, from.name, from.node);
  operation.to = to;
  operation.type = type;
  return operation;
}

bool Ordered(const Operation& one, const Operation& other) {
  const bool is_ordered = MustWait(NeedsOf(one), NeedsOf(other));
  CHECK(is_ordered == MustWait(NeedsOf(other), NeedsOf(one)));
  return is_ordered;
}

TEST_CASE("a thread stays in order, others need not") {
  const Operation one = At(Kind::kStat, kTop, "a", kFile);
  Operation other = At(Kind::kStat, kTop, "a", kFile);
  CHECK_FALSE(Ordered(one, other));
  other.thread = one.thread;
  CHECK(Ordered(one, other));
}

TEST_CASE("a fork comes before the child, an end that was waited for before the waiter") {
  const ProcessEvent fork{.kind = ProcessEvent::Kind::kFork, .thread = 1, .other = 2};
  const ProcessEvent join{.kind = ProcessEvent::Kind::kJoin, .thread = 1, .other = 2};
  for (const ProcessEvent& event : {fork, join}) {
    for (const ThreadNumber thread : {1, 2, 3}) {
      const Operation operation = MakeOperation(Kind::kStat, {kFile, {}, {}, {}}, thread);
      CHECK(MustWait(NeedsOf(operation), NeedsOf(event)) == (thread != 3));
      CHECK(MustWait(NeedsOf(event), NeedsOf(operation)) == (thread != 3));
    }
  }
}

TEST_CASE("a name that is made or removed") {
  const Operation make = At(Kind::kCreate, kTop, "a", NodeNumber{11});
  CHECK(Ordered(make, At(Kind::kStat, kTop, "a", NodeNumber{11})));
  CHECK(Ordered(make, At(Kind::kUnlink, kTop, "a", NodeNumber{11})));
  CHECK(Ordered(make, OnNode(Kind::kChangeMode, NodeNumber{11})));
  CHECK_FALSE(Ordered(make, At(Kind::kCreate, kTop, "b", NodeNumber{12})));
  CHECK_FALSE(Ordered(make, At(Kind::kCreate, kOther, "a", NodeNumber{12})));
  CHECK_FALSE(Ordered(make, OnNode(Kind::kStat, kTop)));
  CHECK_FALSE(Ordered(At(Kind::kStat, kTop, "a", kFile), At(Kind::kOpen, kTop, "a", kFile)));
  Operation probe = At(Kind::kStat, kTop, "a");
  probe.is_probe = true;
  CHECK(Ordered(make, probe));
  CHECK_FALSE(Ordered(probe, At(Kind::kUnlink, kTop, "b", kFile)));
}

TEST_CASE("a directory: made, listed, changed and removed") {
  const Operation make = At(Kind::kMakeDirectory, kTop, "d", kOther);
  const Operation inside = At(Kind::kCreate, kOther, "x", NodeNumber{11});
  const Operation list = OnNode(Kind::kList, kOther);
  CHECK(Ordered(make, inside));
  CHECK(Ordered(make, list));
  CHECK(Ordered(list, inside));
  CHECK_FALSE(Ordered(list, At(Kind::kStat, kOther, "x", NodeNumber{11})));
  CHECK_FALSE(Ordered(list, OnNode(Kind::kList, kOther)));
  CHECK(Ordered(inside, At(Kind::kRemoveDirectory, kTop, "d", kOther)));
  CHECK(Ordered(inside, OnNode(Kind::kChangeMode, kOther)));
}

TEST_CASE("renames: both names, what is replaced, and for a directory everything") {
  const Place from{kFile, kTop, "a", {}};
  const Place to{NodeNumber{11}, kOther, "b", {}};
  const Operation rename = Rename(from, to);
  CHECK(Ordered(rename, At(Kind::kStat, kTop, "a", kFile)));
  CHECK(Ordered(rename, At(Kind::kStat, kOther, "b", kFile)));
  CHECK(Ordered(rename, OnNode(Kind::kRead, NodeNumber{11})));
  CHECK(Ordered(rename, OnNode(Kind::kList, kOther)));
  CHECK_FALSE(Ordered(rename, At(Kind::kCreate, kTop, "c", NodeNumber{12})));
  CHECK_FALSE(Ordered(rename, OnNode(Kind::kStat, NodeNumber{30})));
  CHECK(Ordered(Rename(from, to, FileType::kDirectory), OnNode(Kind::kStat, NodeNumber{30})));
}

TEST_CASE("content: what changes a size, and positions of descriptors") {
  const Operation read = OnFile(Kind::kRead, 1);
  Operation write = OnFile(Kind::kWrite, 2);
  CHECK_FALSE(Ordered(read, write));
  CHECK_FALSE(Ordered(write, OnFile(Kind::kWrite, 2)));
  write.is_growing = true;
  CHECK(Ordered(read, write));
  CHECK(Ordered(OnFile(Kind::kAppend, 3), read));
  CHECK(Ordered(OnFile(Kind::kTruncate, 3), read));
  CHECK_FALSE(Ordered(OnFile(Kind::kRead, 1), OnFile(Kind::kRead, 1)));
  CHECK(Ordered(OnFile(Kind::kRead, 1, true), OnFile(Kind::kRead, 1)));
  CHECK_FALSE(Ordered(OnFile(Kind::kRead, 1, true), OnFile(Kind::kRead, 4, true)));
  CHECK(Ordered(OnFile(Kind::kClose, 1), read));
  CHECK(Ordered(OnFile(Kind::kOpen, 1), read));
  Operation truncating = OnFile(Kind::kOpen, 9);
  CHECK_FALSE(Ordered(truncating, read));
  truncating.flags = O_TRUNC;
  CHECK(Ordered(truncating, read));
  Operation copy = OnFile(Kind::kCopyRange, 5);
  copy.to = {NodeNumber{11}, {}, {}, {}};
  copy.to_file = FileNumber{6};
  CHECK_FALSE(Ordered(copy, read));
  CHECK(Ordered(copy, OnNode(Kind::kStat, NodeNumber{11})));
}

TEST_CASE("a node is learnt before it is used, and forgotten last") {
  CHECK(Ordered(At(Kind::kLookup, kTop, "a", kFile), OnNode(Kind::kStat, kFile)));
  CHECK(Ordered(OnNode(Kind::kForget, kFile), OnFile(Kind::kClose, 1)));
}

}  // namespace
}  // namespace betr::replay
