// SPDX-License-Identifier: Apache-2.0
// What threads tell each other: who waits, and for what.
#include "store/signals.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <thread>

namespace betr::store {
namespace {

// Long enough for a thread to do what it must not do.
void LetOthersRun() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

bool Never() { return false; }

}  // namespace

TEST_CASE("each signal gives the structure thread work once", "[store][signals]") {
  Signals signals;
  signals.Signal();
  signals.Signal();
  CHECK(signals.AwaitWork());
  std::atomic<int> turns{0};
  std::thread thread([&] {
    while (signals.AwaitWork()) ++turns;
  });
  LetOthersRun();
  CHECK(turns == 0);
  signals.Wake();  // is no work
  LetOthersRun();
  CHECK(turns == 0);
  signals.Signal();
  while (turns == 0) std::this_thread::yield();
  signals.Stop();
  thread.join();
  CHECK(turns == 1);
}

TEST_CASE("what has stopped does not begin again", "[store][signals]") {
  Signals signals;
  signals.Stop();
  signals.Signal();
  CHECK(!signals.AwaitWork());
  CHECK(!signals.AwaitDue(Never));
  CHECK(!signals.StepDone([] { return true; }));
}

TEST_CASE("nobody waits for a thread that has found no space, until it looks again by itself", "[store][signals]") {
  Signals signals;
  signals.Signal();
  REQUIRE(signals.AwaitWork());
  CHECK(!signals.NobodyMakesRoom());
  CHECK(signals.AwaitRoom());
  signals.FoundNoSpace();
  CHECK(signals.NobodyMakesRoom());
  CHECK(!signals.AwaitRoom());
  CHECK(signals.AwaitWork());  // without a signal
  CHECK(!signals.NobodyMakesRoom());
}

TEST_CASE("a thread that finds no space again and again rests longer each time", "[store][signals]") {
  Signals signals;
  signals.Signal();
  REQUIRE(signals.AwaitWork());
  const auto start = std::chrono::steady_clock::now();
  constexpr int kLooks = 4;
  for (int i = 0; i < kLooks; ++i) {
    signals.FoundNoSpace();
    REQUIRE(signals.AwaitWork());
  }
  // Never sooner: 20 ms, and twice as long each time.
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(20 * ((1 << kLooks) - 1)));
}

TEST_CASE("a writer is alone when the checkpoints under way have ended, and the structure thread waits for it",
          "[store][signals]") {
  Signals signals;
  auto checkpoint = std::make_unique<Signals::Checkpointing>(signals);
  std::atomic<bool> is_alone{false};
  std::atomic<bool> may_end{false};
  std::thread writer([&] {
    const Signals::Alone alone(signals);
    is_alone = true;
    while (!may_end) std::this_thread::yield();
    is_alone = false;
  });
  LetOthersRun();
  CHECK(!is_alone);
  checkpoint.reset();
  while (!is_alone) std::this_thread::yield();
  signals.Signal();
  std::atomic<bool> has_work{false};
  bool was_alone = false;
  std::thread structure([&] {
    has_work = signals.AwaitWork();
    was_alone = is_alone;
  });
  LetOthersRun();
  CHECK(!has_work);
  may_end = true;
  structure.join();
  writer.join();
  CHECK(has_work);
  CHECK(!was_alone);
}

TEST_CASE("the checkpoints under way are waited for, and none that begin later", "[store][signals]") {
  Signals signals;
  signals.AwaitCheckpoints();  // there are none
  auto first = std::make_unique<Signals::Checkpointing>(signals);
  auto second = std::make_unique<Signals::Checkpointing>(signals);
  std::atomic<bool> has_waited{false};
  std::thread thread([&] {
    signals.AwaitCheckpoints();
    has_waited = true;
  });
  LetOthersRun();
  second.reset();
  LetOthersRun();
  CHECK(!has_waited);
  // There is always one under way, of which each ends.
  while (!has_waited) {
    first = std::make_unique<Signals::Checkpointing>(signals);
    std::this_thread::yield();
  }
  thread.join();
}

TEST_CASE("a step ends beside no writer who is alone, and not while the thread is ahead", "[store][signals]") {
  Signals signals;
  std::atomic<bool> is_ahead{true};
  std::atomic<bool> has_ended{false};
  bool goes_on = false;
  auto alone = std::make_unique<Signals::Alone>(signals);
  std::thread structure([&] {
    goes_on = signals.StepDone([&] { return is_ahead.load(); });
    has_ended = true;
  });
  LetOthersRun();
  CHECK(!has_ended);
  alone.reset();
  LetOthersRun();
  CHECK(!has_ended);
  is_ahead = false;
  structure.join();
  CHECK(goes_on);
}

TEST_CASE("a writer is alone when the steps under way have ended, and none begins meanwhile", "[store][signals]") {
  Signals signals;
  auto step = std::make_unique<Signals::Step>(signals);
  std::atomic<bool> is_alone{false};
  std::atomic<bool> may_end{false};
  std::thread writer([&] {
    const Signals::Alone alone(signals);
    is_alone = true;
    while (!may_end) std::this_thread::yield();
    is_alone = false;
  });
  LetOthersRun();
  CHECK(!is_alone);
  step.reset();
  while (!is_alone) std::this_thread::yield();
  std::atomic<bool> has_begun{false};
  bool was_alone = true;
  std::thread other([&] {
    const Signals::Step next(signals);
    was_alone = is_alone;
    has_begun = true;
  });
  LetOthersRun();
  CHECK(!has_begun);
  may_end = true;
  other.join();
  writer.join();
  CHECK(!was_alone);
}

TEST_CASE("who stops does not wait for a writer who is alone", "[store][signals]") {
  Signals signals;
  const Signals::Alone alone(signals);
  signals.Stop();
  const Signals::Step step(signals);
  SUCCEED("it began");
}

}  // namespace betr::store
