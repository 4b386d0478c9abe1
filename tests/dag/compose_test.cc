// SPDX-License-Identifier: Apache-2.0
// Upserts of several functions on one key: each is applied in its turn, however they are joined on the way.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dag/change/compact.h"
#include "dag/change/flush.h"
#include "dag/read/lookup.h"
#include "support/dag/dag_harness.h"
#include "support/dag/prepend_function.h"

namespace betr::test {
namespace {

UpsertRegistry BothFunctions() {
  UpsertRegistry functions;
  REQUIRE(functions.Add(std::make_shared<AppendFunction>(true)).ok());
  REQUIRE(functions.Add(std::make_shared<PrependFunction>()).ok());
  return functions;
}

struct Upsert {
  uint16_t function;
  std::string delta;
};
const std::vector<Upsert> kUpserts = {{AppendFunction::kNumber, "1"},
                                      {AppendFunction::kNumber, "2"},
                                      {PrependFunction::kNumber, "f"},
                                      {AppendFunction::kNumber, "3"}};
constexpr char kResult[] = "fbase123";

std::string ValueIn(const dag::Partition& partition, const UpsertRegistry& functions) {
  dag::ValueBuilder value;
  REQUIRE(dag::LookUpInPartition(partition, "k", value).ok());
  value.Add({dag::MessageKind::kPut, 0, "base"});
  return value.Resolve(functions, "k")->value_or("nothing");
}

}  // namespace

TEST_CASE("upserts of several functions are joined each with its own", "[dag]") {
  const UpsertRegistry functions = BothFunctions();
  TestSource source;
  dag::Counters counters;
  const dag::Shape shape = SmallShape();
  dag::Edit edit({}, NodeId{1}, dag::Context{source, functions, shape, counters});
  dag::MessageBuffer together(functions);
  dag::Partition apart;
  for (const Upsert& upsert : kUpserts) {
    together.Upsert("k", upsert.function, upsert.delta);
    dag::MessageBuffer alone(functions);
    alone.Upsert("k", upsert.function, upsert.delta);
    apart.runs.push_back(alone.Seal(source).runs.front());
  }
  CHECK(ValueIn(apart, functions) == kResult);
  CHECK(ValueIn(together.Seal(source), functions) == kResult);
  const auto compact = dag::Compact(edit, apart, Range::All());
  REQUIRE(compact.ok());
  CHECK(compact->runs.size() == 1);
  CHECK(ValueIn(*compact, functions) == kResult);
}

TEST_CASE("an erase below an upsert of a function that is not known does not take it along", "[dag]") {
  const UpsertRegistry none;
  TestSource source;
  dag::Counters counters;
  const dag::Shape shape = SmallShape();
  dag::NodeTable table;
  table.StartChanging();
  dag::Edit edit(table, NodeId{1}, dag::Context{source, none, shape, counters});
  const NodeId empty = edit.Create(dag::EmptyNode(1, Range::All(), {}));
  dag::MessageBuffer buffer(none);
  buffer.Erase("a");
  buffer.Erase("k");
  buffer.Upsert("k", AppendFunction::kNumber, "1");
  const auto root = dag::Insert(edit, empty, buffer.Seal(source));
  REQUIRE(root.ok());
  dag::ValueBuilder value;
  REQUIRE(dag::LookUp(edit.table(), *root, "k", value).ok());
  CHECK(value.Resolve(BothFunctions(), "k")->value_or("nothing") == "1");
}

}  // namespace betr::test
