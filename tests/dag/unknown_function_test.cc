// SPDX-License-Identifier: Apache-2.0
// Messages of functions that are not known stay what they are wherever they come to, and no value is made up for them.
#include <catch2/catch.hpp>
#include <string>

#include "dag/change/compact.h"
#include "dag/read/lookup.h"
#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

dag::Context ContextWithout(DagHarness& dag, const UpsertRegistry& none) {
  static const dag::Shape shape = SmallShape();  // a context refers to it
  return {dag.source(), none, shape, dag.counters()};
}

}  // namespace

TEST_CASE("runs that are joined keep the messages of functions that are not known", "[dag]") {
  const UpsertRegistry none;
  DagHarness dag(SmallShape(), false);
  dag::Edit edit(dag.table(), NodeId{1'000'000}, ContextWithout(dag, none));
  dag::Partition partition;
  const auto add_run = [&](auto say) {
    dag::MessageBuffer buffer(none);
    say(buffer);
    partition.runs.push_back(buffer.Seal(dag.source()).runs.front());
  };
  add_run([](dag::MessageBuffer& buffer) { buffer.Put("k", "base"); });
  add_run([](dag::MessageBuffer& buffer) { buffer.Upsert("k", AppendFunction::kNumber, "+1"); });
  add_run([](dag::MessageBuffer& buffer) { buffer.Upsert("k", AppendFunction::kNumber, "+2"); });
  const auto compact = dag::Compact(edit, partition, Range::All());
  REQUIRE(compact.ok());
  REQUIRE(compact->runs.size() == 1);
  dag::ValueBuilder value;
  REQUIRE(dag::LookUpInPartition(*compact, "k", value).ok());
  CHECK(**value.Resolve(dag.functions(), "k") == "base+1+2");
  const absl::Status unknown = value.Resolve(none, "k").status();
  CHECK(absl::IsFailedPrecondition(unknown));
  CHECK_THAT(std::string(unknown.message()), Catch::Contains("\"k\"") && Catch::Contains("function 7"));
}

TEST_CASE("a leaf takes no message of a function that is not known", "[dag]") {
  const UpsertRegistry none;
  DagHarness dag(SmallShape(), false);
  for (int i = 1000; i < 1400; ++i) dag.Put(0, "a/" + std::to_string(i), "put");
  dag.FlushAll(0);
  dag.Append(0, "a/1200", "+1");
  dag.Seal(0);
  dag::Edit edit(dag.table(), NodeId{1'000'000}, ContextWithout(dag, none));
  const absl::Status flushed = FlushAll(edit, dag.root(0)).status();
  CHECK(absl::IsFailedPrecondition(flushed));
  // By the part of the key that reaches the leaf.
  CHECK_THAT(std::string(flushed.message()), Catch::Contains("200\"") && Catch::Contains("function 7"));
  dag.FlushAll(0);
  dag.Verify({"a/1200"});
}

}  // namespace betr::test
