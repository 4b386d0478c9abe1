// SPDX-License-Identifier: Apache-2.0
// Long runs are several, and say the same.
#include "dag/run_builder.h"

#include <catch2/catch.hpp>
#include <string>

#include "betr/upsert.h"
#include "dag/change/message_buffer.h"
#include "dag/partition_reader.h"
#include "support/dag/memory_source.h"

namespace betr::dag {
namespace {

const std::string kValue(MiB(1).value, 'v');

std::string KeyOf(int i) { return std::to_string(1000 + i); }

TEST_CASE("a run that gets long is ended between two keys", "[dag]") {
  constexpr int kKeys = 40;
  MemorySource source;
  RunBuilder builder(source, Range::All());
  for (int i = 0; i < kKeys; ++i) {
    builder.Add(KeyOf(i), {MessageKind::kUpsert, 1, kValue});
    builder.Add(KeyOf(i), {MessageKind::kUpsert, 1, kValue});
  }
  const std::vector<BlockView> runs = std::move(builder).Finish();
  CHECK(runs.size() == 3);
  size_t entries = 0;
  std::string last;
  for (const BlockView& run : runs) {
    CHECK(run.Size() <= kMaxRunSize + MiB(3));
    CHECK(run.Count() % 2 == 0);
    const auto block = run.slot->Peek();
    CHECK(last < block->Key(0));
    last = block->Key(block->Count() - 1);
    entries += run.Count();
  }
  CHECK(entries == 2 * kKeys);
}

TEST_CASE("a builder without messages makes no run", "[dag]") {
  MemorySource source;
  CHECK(RunBuilder(source, Range::All()).Finish().empty());
}

TEST_CASE("a large buffer is sealed into several runs that say the same", "[dag]") {
  constexpr int kKeys = 80;
  const UpsertRegistry functions;
  MemorySource source;
  MessageBuffer buffer(functions);
  buffer.EraseRange(Range::Prefix("1"));
  for (int i = 0; i < kKeys; ++i) buffer.Put(KeyOf(i), kValue);
  const Partition sealed = buffer.Seal(source);
  CHECK(sealed.runs.size() == 3);
  REQUIRE(sealed.gotos.size() == 1);
  CHECK(sealed.gotos[0].over == 0);
  PartitionReader reader = *PartitionReader::Open(sealed, functions);
  for (int i = 0; i < kKeys; ++i) {
    REQUIRE(reader.Valid());
    CHECK(reader.Key() == KeyOf(i));
    REQUIRE(reader.Messages().size() == 1);
    CHECK(reader.Messages()[0].value == kValue);
    reader.Next();
  }
  CHECK_FALSE(reader.Valid());
}

}  // namespace
}  // namespace betr::dag
