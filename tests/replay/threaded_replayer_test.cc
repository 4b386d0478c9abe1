// SPDX-License-Identifier: Apache-2.0
// Threads as in the trace: what may run at the same time does, and what has to wait waits.
#include "replay/threaded_replayer.h"

#include <catch2/catch.hpp>
#include <thread>

#include "base/random.h"
#include "replay/dependencies.h"
#include "support/replay/operations.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Kind = OperationKind;

// A target that does nothing but remember when operations began and ended; `line` is the number of an operation.
class RecordingTarget : public Target {
 public:
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::thread::id thread;
  };

  absl::StatusOr<bool> IsEmpty() override { return true; }
  absl::Status StartCold() override { return absl::OkStatus(); }
  void BindRoot(NodeNumber) override {}
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::StatusOr<Manifest> List(const std::string&) override { return Manifest{}; }
  std::optional<DeviceCounts> Counts() override { return std::nullopt; }
  absl::Status Close() override { return absl::OkStatus(); }

  Outcome Perform(const Operation& operation) override {
    const uint64_t begin = Tick();
    Meanwhile(operation);
    const MutexLock lock(mutex_);
    spans[operation.line] = {begin, now_++, std::this_thread::get_id()};
    return {.count = operation.expected_count.value_or(0) + operation.flags};
  }

  std::map<uint64_t, Span> spans;

 protected:
  virtual void Meanwhile(const Operation&) { std::this_thread::yield(); }
  uint64_t Tick() {
    const MutexLock lock(mutex_);
    return now_++;
  }

  Mutex mutex_;
  uint64_t now_ = 0;
};

// Ends no operation before so many have begun.
class MeetingTarget final : public RecordingTarget {
 public:
  explicit MeetingTarget(size_t wanted) : wanted_(wanted) {}

 private:
  void Meanwhile(const Operation&) override {
    MutexLock lock(mutex_);
    ++here_;
    all_here_.NotifyAll();
    while (here_ < wanted_) all_here_.Wait(lock);
  }

  const size_t wanted_;
  size_t here_ = 0;
  Condition all_here_;
};

Operation RandomOperation(Random& random, ThreadNumber threads) {
  constexpr std::array kKinds{Kind::kStat,   Kind::kCreate, Kind::kUnlink, Kind::kRename,    Kind::kRead,
                              Kind::kAppend, Kind::kList,   Kind::kClose,  Kind::kChangeMode};
  const NodeNumber node{1 + random.Uniform(8)};
  const NodeNumber parent{100 + random.Uniform(3)};
  Operation operation = MakeOperation(random.Pick(kKinds), {node, parent, random.String(1), {}},
                                      static_cast<ThreadNumber>(1 + random.Uniform(threads)));
  operation.file = FileNumber{random.Uniform(4)};
  if (operation.kind == Kind::kRename) {
    operation.to = {NodeNumber{1 + random.Uniform(8)}, parent, random.String(1), {}};
    if (random.OneIn(4)) operation.type = FileType::kDirectory;
  }
  return operation;
}

TEST_CASE("whatever the threads do, what depends on something waits for it") {
  Random random(TestSeed());
  const NameSpace space("/w");
  constexpr ThreadNumber kThreads = 6;
  for (int round = 0; round < 3; ++round) {
    RecordingTarget target;
    std::vector<std::pair<uint64_t, Needs>> needs;
    {
      Meter meter(&target, &SystemClock());
      ThreadedReplayer replayer(&meter, &space);
      for (uint64_t line = 0; line < 1500; ++line) {
        if (random.OneIn(20)) {
          const auto thread = static_cast<ThreadNumber>(1 + random.Uniform(kThreads));
          const auto kind = static_cast<ProcessEvent::Kind>(random.Uniform(3));
          replayer.Follow({.kind = kind, .thread = thread, .other = thread % kThreads + 1});
        }
        Operation operation = RandomOperation(random, kThreads);
        operation.line = line;
        needs.emplace_back(line, NeedsOf(operation));
        replayer.Perform(operation);
      }
      replayer.Finish();
      CHECK(meter.report().Operations() == needs.size());
    }
    REQUIRE(target.spans.size() == needs.size());
    size_t pairs = 0;
    for (size_t later = 0; later < needs.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (!MustWait(needs[later].second, needs[earlier].second)) continue;
        ++pairs;
        if (target.spans[earlier].end >= target.spans[later].begin) FAIL(later << " did not wait for " << earlier);
      }
    }
    CHECK(pairs > 10'000);
  }
}

TEST_CASE("threads that have nothing to do with each other run at the same time") {
  constexpr size_t kThreads = 20;
  MeetingTarget target(kThreads);
  const NameSpace space("/w");
  Meter meter(&target, &SystemClock());
  ThreadedReplayer replayer(&meter, &space);
  for (size_t i = 0; i < kThreads; ++i) {
    Operation operation = MakeOperation(Kind::kCreate, {NodeNumber{10 + i}, NodeNumber{2}, std::to_string(i), {}},
                                        static_cast<ThreadNumber>(i));
    operation.line = i;
    replayer.Perform(operation);
  }
  replayer.Finish();
  std::set<std::thread::id> threads;
  for (const auto& [line, span] : target.spans) threads.insert(span.thread);
  CHECK(threads.size() == kThreads);
}

TEST_CASE("a child begins after its fork, and who waits for it goes on after its end") {
  RecordingTarget target;
  const NameSpace space("/w");
  Meter meter(&target, &SystemClock());
  ThreadedReplayer replayer(&meter, &space);
  // Each with a directory of its own: nothing else orders them.
  const auto perform = [&replayer](uint64_t line, ThreadNumber thread) {
    Operation operation = MakeOperation(Kind::kStat, {NodeNumber{10 + thread}, {}, {}, {}}, thread);
    operation.line = line;
    replayer.Perform(operation);
  };
  for (uint64_t line = 0; line < 3000; line += 3) {
    const auto child = static_cast<ThreadNumber>(2 + line % 7);
    perform(line, 1);
    replayer.Follow({.kind = ProcessEvent::Kind::kFork, .thread = 1, .other = child});
    perform(line + 1, child);
    replayer.Follow({.kind = ProcessEvent::Kind::kEnd, .thread = child});
    replayer.Follow({.kind = ProcessEvent::Kind::kJoin, .thread = 1, .other = child});
    perform(line + 2, 1);
  }
  replayer.Finish();
  for (uint64_t line = 1; line < 3000; ++line) REQUIRE(target.spans[line - 1].end < target.spans[line].begin);
}

TEST_CASE("more threads than there may be share some") {
  RecordingTarget target;
  const NameSpace space("/w");
  Meter meter(&target, &SystemClock());
  ThreadedReplayer replayer(&meter, &space);
  constexpr ThreadNumber kThreads = 3 * ThreadedReplayer::kMostThreads;
  for (uint64_t line = 0; line < 3 * kThreads; ++line) {
    Operation operation =
        MakeOperation(Kind::kStat, {NodeNumber{5}, {}, {}, {}}, static_cast<ThreadNumber>(line % kThreads));
    operation.line = line;
    replayer.Perform(operation);
  }
  replayer.Finish();
  CHECK(target.spans.size() == 3 * kThreads);
  for (uint64_t line = kThreads; line < 3 * kThreads; ++line) {
    REQUIRE(target.spans[line - kThreads].end < target.spans[line].begin);
  }
}

TEST_CASE("differences of threads are told with line and path") {
  RecordingTarget target;
  const NameSpace space("/w");
  Meter meter(&target, &SystemClock());
  ThreadedReplayer replayer(&meter, &space);
  Operation operation = MakeOperation(Kind::kRead, {{}, space.root(), "f", {}}, 7);
  operation.line = 12;
  operation.expected_count = 5;
  operation.flags = 1;  // the target adds it to the count
  replayer.Perform(operation);
  replayer.Finish();
  CHECK(meter.report().differences == std::map<std::string, uint64_t>{{"read: another count", 1}});
  CHECK(meter.report().samples == std::vector<std::string>{"line 12: read: another count: /w/f"});
}

}  // namespace
}  // namespace betr::replay
