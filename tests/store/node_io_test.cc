// SPDX-License-Identifier: Apache-2.0
// Writing nodes: how long is waited for what cannot be read of one, and blocks that are too large.
#include "store/node_io.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/compression.h"
#include "dag/block.h"
#include "device/memory_device.h"
#include "store/deadline.h"

namespace betr::test {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

}  // namespace

TEST_CASE("a deadline is counted from the first who waits", "[store]") {
  store::Deadline until;
  CHECK(until.Begin(seconds(5), seconds(10)) == seconds(15));
  CHECK(until.Begin(seconds(14), seconds(10)) == seconds(15));
  CHECK(until.Begin(seconds(99), seconds(0)) == seconds(15));
  store::Deadline at_once;
  CHECK(at_once.Begin(seconds(0), seconds(0)) == seconds(0));
  CHECK(at_once.Begin(seconds(1), seconds(1)) == seconds(0));
}

TEST_CASE("a deadline is the same for all threads", "[store]") {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<store::Deadline> rounds(kRounds);
  std::vector<std::vector<nanoseconds>> told(kThreads, std::vector<nanoseconds>(kRounds));
  std::atomic<int> arrived = 0;
  const auto run = [&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      ++arrived;  // all begin a round together
      while (arrived < kThreads * (round + 1)) std::this_thread::yield();
      told[thread][round] = rounds[round].Begin(seconds(thread), seconds(100));
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(run, thread);
  for (std::thread& thread : threads) thread.join();
  int different = 0;
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    const nanoseconds first = told[0][round];
    wrong += first < seconds(100) || first >= seconds(100 + kThreads) ? 1 : 0;
    for (const std::vector<nanoseconds>& one : told) different += one[round] != first ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

TEST_CASE("a block that is larger than can be stored is an error", "[store]") {
  constexpr uint64_t kUnits = 1000;
  MemoryDevice device{layout::UnitBytes(kUnits)};
  const auto io = std::make_shared<store::NodeIo>(device, layout::SpaceMap::Create({16, kUnits - 16}),
                                                  std::make_shared<store::Cache>(MiB(512)), 1, 0);
  dag::BlockBuilder builder;
  builder.Reserve(kMaxRawSize + MiB(2));
  const std::string value(MiB(1).value, 'v');
  while (builder.Count() * value.size() <= kMaxRawSize.value) {
    builder.Add(std::to_string(1000 + builder.Count()), {dag::MessageKind::kPut, 0, value});
  }
  dag::Node leaf;
  leaf.bounds = Range::All();
  leaf.basements.push_back(dag::BlockView::Whole(io->Adopt(builder.Finish()), Range::All()));
  uint64_t hint = layout::SpaceMap::kNoHint;
  const absl::Status written = io->WriteNode(NodeId{1}, leaf, hint).status();
  CHECK(written.code() == absl::StatusCode::kInternal);
  CHECK(written.message().find("at most 268435456 can be stored") != std::string_view::npos);
}

}  // namespace betr::test
