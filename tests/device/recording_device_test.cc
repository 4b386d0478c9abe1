// SPDX-License-Identifier: Apache-2.0
// Crash images against the rule of block_device.h, stated sector by sector.
#include "device/recording_device.h"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "device/fault_device.h"
#include "support/device/device_model.h"
#include "support/seed.h"

namespace betr {
namespace {

constexpr Bytes kSize = KiB(256);

// A device with history: every event's state as a plain string.
struct Run {
  explicit Run(uint64_t seed) : random(seed) {}

  // One event.
  void Step() {
    states.push_back(states.back());
    const uint64_t choice = random.Uniform(12);
    const RandomWrite write = MakeRandomWrite(random, kSize, 4);
    const Bytes length{write.data.size()};
    if (choice == 0) {
      REQUIRE(device.Flush().ok());
    } else if (choice == 1) {
      REQUIRE(device.Discard(write.offset, length).ok());
      states.back().replace(write.offset.value, length.value, length.value, '\0');
    } else {
      REQUIRE(device.Write(write.offset, write.data).ok());
      states.back().replace(write.offset.value, length.value, write.data);
    }
  }

  Random random;
  MemoryDevice memory{kSize};
  RecordingDevice device{memory};
  std::vector<std::string> states{std::string(kSize.value, '\0')};  // after each event
};

TEST_CASE("an image of everything is what was there", "[device]") {
  Run run(TestSeed());
  for (int i = 0; i < 300; ++i) run.Step();
  const WriteHistory& history = run.device.History();
  REQUIRE(history.EventCount() == 300);
  for (size_t events = 0; events <= 300; ++events) {
    const auto image = history.CrashImage(history.PrefixPlan(events));
    REQUIRE((ReadAll(*image) == run.states[events]));
  }
  CHECK((ReadAll(run.memory) == run.states.back()));
}

TEST_CASE("each sector of a crash image is one that the rule allows", "[device]") {
  Run run(TestSeed() + 1);
  for (int i = 0; i < 200; ++i) run.Step();
  const WriteHistory& history = run.device.History();
  std::set<std::string> outcomes;
  for (int round = 0; round < 2000; ++round) {
    const size_t events = run.random.Uniform(201);
    const CrashPlan plan = history.RandomPlan(events, run.random);
    INFO(FormatPlan(plan));
    const std::vector<size_t> unflushed = history.Unflushed(events);
    const size_t durable = unflushed.empty() ? events : unflushed.front();
    const auto image = history.CrashImage(plan);
    const std::string found = ReadAll(*image);
    for (size_t at = 0; at < found.size(); at += kSectorSize.value) {
      // In one of the states since the last flush this sector looked like that.
      bool is_allowed = false;
      for (size_t state = durable; state <= events && !is_allowed; ++state) {
        is_allowed = run.states[state].compare(at, kSectorSize.value, found, at, kSectorSize.value) == 0;
      }
      REQUIRE(is_allowed);
    }
    if (found != run.states[events]) outcomes.insert(FormatPlan(plan));
  }
  CHECK(outcomes.size() > 1000);
}

TEST_CASE("what was flushed is never lost", "[device]") {
  MemoryDevice memory(KiB(16));
  RecordingDevice device(memory);
  const std::string x(kBlockSize.value, 'x'), y(kBlockSize.value, 'y'), z(kBlockSize.value, 'z');
  REQUIRE(device.Write(Bytes{0}, x).ok());
  REQUIRE(device.Write(KiB(4), y).ok());
  REQUIRE(device.Flush().ok());
  REQUIRE(device.Write(Bytes{0}, z).ok());
  REQUIRE(device.Write(KiB(8), x + y).ok());
  const WriteHistory& history = device.History();
  CHECK(history.Unflushed(2) == std::vector<size_t>{0, 1});
  CHECK(history.Unflushed(3).empty());
  CHECK(history.Unflushed(5) == std::vector<size_t>{3, 4});
  CHECK(history.GetEvent(2).kind == WriteHistory::Kind::kFlush);
  CHECK(history.GetEvent(4).offset == KiB(8));

  const std::string none(kBlockSize.value, '\0');
  CHECK((ReadAll(*history.CrashImage(history.SubsetPlan(5, 0))) == x + y + none + none));
  CHECK((ReadAll(*history.CrashImage(history.SubsetPlan(5, 1))) == z + y + none + none));
  CHECK((ReadAll(*history.CrashImage(history.SubsetPlan(5, 2))) == x + y + x + y));
  const CrashPlan torn = TearLast(history.SubsetPlan(5, 3), Bytes{4096 + 1024});
  CHECK(FormatPlan(torn) == "after 5 events: 3[0+4096] 4[0+5120]");
  const std::string part = y.substr(0, 1024) + none.substr(1024);
  CHECK((ReadAll(*history.CrashImage(torn)) == z + y + x + part));
  const CrashPlan reversed{2, {{1, Bytes{512}, Bytes{512}}, {0, Bytes{0}, KiB(4)}}};
  CHECK((ReadAll(*history.CrashImage(reversed)) ==
         x + none.substr(0, 512) + y.substr(0, 512) + none.substr(1024) + none + none));
}

TEST_CASE("recording begins with what is there, and images go on from there", "[device]") {
  Random random(TestSeed() + 2);
  MemoryDevice memory(kSize);
  std::string model(kSize.value, '\0');
  CompareWithModel(memory, &model, random, 100);
  const bool by_reading = GENERATE(true, false);
  RecordingDevice device(memory, by_reading ? CopyPages(memory).value() : memory.Pages());
  CHECK((ReadAll(*device.History().CrashImage({})) == model));
  CompareWithModel(device, &model, random, 100);
  const auto image = device.History().CrashImage(device.History().PrefixPlan(device.History().EventCount()));
  std::string image_model = model;
  CompareWithModel(*image, &image_model, random, 100);
  CHECK((ReadAll(memory) == model));
}

TEST_CASE("what failed is not recorded", "[device]") {
  MemoryDevice memory(kSize);
  FaultDevice faulty(memory);
  RecordingDevice device(faulty);
  faulty.CutPower();
  CHECK_FALSE(device.Write(Bytes{0}, std::string(kBlockSize.value, 'x')).ok());
  CHECK_FALSE(device.Flush().ok());
  CHECK_FALSE(device.Discard(Bytes{0}, kBlockSize).ok());
  faulty.Disarm();
  CHECK(device.Write(Bytes{0}, "").ok());
  CHECK(device.Discard(Bytes{0}, Bytes{0}).ok());
  CHECK(device.History().EventCount() == 0);
}

TEST_CASE("the same seed gives the same crashes", "[device]") {
  Run run(TestSeed() + 3);
  for (int i = 0; i < 50; ++i) run.Step();
  Random a(7), b(7);
  for (size_t events = 0; events <= 50; ++events) {
    CHECK(run.device.History().RandomPlan(events, a) == run.device.History().RandomPlan(events, b));
  }
}

TEST_CASE("threads record and crash side by side", "[device]") {
  MemoryDevice memory(kSize);
  RecordingDevice device(memory);
  std::vector<std::thread> threads;
  for (uint64_t part = 0; part < 3; ++part) {
    threads.emplace_back([&device, part] {
      Random random(part);
      for (int round = 0; round < 100; ++round) {
        const std::string data(kBlockSize.value, static_cast<char>('a' + round % 20));
        if (!device.Write(KiB(64) * part, data).ok() || (round % 10 == 0 && !device.Flush().ok())) std::abort();
        const WriteHistory& history = device.History();
        const auto image = history.CrashImage(history.RandomPlan(history.EventCount(), random));
        if (!image->Write(KiB(64) * part, data).ok()) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(device.History().EventCount() == 330);
}

TEST_CASE("images by the thousand from a long run", "[device]") {
  MemoryDevice memory(MiB(64));
  RecordingDevice device(memory);
  Random random(TestSeed() + 4);
  for (int i = 0; i < 4000; ++i) {
    const RandomWrite write = MakeRandomWrite(random, MiB(64), 4);
    REQUIRE(device.Write(write.offset, write.data).ok());
    if (i % 20 == 0) REQUIRE(device.Flush().ok());
  }
  const size_t events = device.History().EventCount();
  const int images = static_cast<int>(2000 * TestScale());
  for (int i = 0; i < images; ++i) {
    const auto image = device.History().CrashImage(device.History().RandomPlan(random.Uniform(events + 1), random));
    REQUIRE(image->Write(Bytes{0}, std::string(kBlockSize.value, 'x')).ok());
  }
}

}  // namespace
}  // namespace betr
