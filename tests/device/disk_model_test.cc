// SPDX-License-Identifier: Apache-2.0
// The times of a disk by its model. All figures are of modelled time: the same on every machine.
#include "device/disk_model.h"

#include <catch2/catch.hpp>

#include "device/disk_device.h"
#include "device/memory_device.h"

namespace betr {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Bytes kDisk = GiB(50);
constexpr Bytes kPage = KiB(4);
constexpr nanoseconds kBusyCaller{0};

const DiskProfile& Hdd() { return *FindDiskProfile("hdd-7200"); }

double Seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

Bytes RandomPage(Random& random) { return kPage * random.Uniform(kDisk / kPage); }

TEST_CASE("random reads: a seek and half a revolution each", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  Random random(7);
  nanoseconds time{0};
  constexpr int kReads = 5000;
  for (int i = 0; i < kReads; ++i) time += model.Read(RandomPage(random), kPage, kBusyCaller);
  const double rate = kReads / Seconds(time);
  CHECK(rate > 76);
  CHECK(rate < 80);
  CHECK(model.stats().reads == kReads);
  CHECK(model.stats().seeks >= kReads - 5);
  CHECK(model.stats().read_bytes == kPage * kReads);
  CHECK(model.stats().waited == time);
}

TEST_CASE("sequential reads and writes run at the platter's speed", "[disk]") {
  constexpr uint64_t kPieces = 1024;
  DiskModel reading(Hdd(), kDisk);
  nanoseconds time{0};
  for (uint64_t i = 0; i < kPieces; ++i) time += reading.Read(MiB(i), MiB(1), kBusyCaller);
  const double read_rate = static_cast<double>(MiB(kPieces).value) / Seconds(time) / 1e6;
  CHECK(read_rate > 122);
  CHECK(read_rate < 125);
  CHECK(reading.stats().seeks == 0);

  DiskModel writing(Hdd(), kDisk);
  time = nanoseconds{0};
  for (uint64_t i = 0; i < kPieces; ++i) time += writing.Write(MiB(i), MiB(1), kBusyCaller);
  time += writing.Flush(kBusyCaller);
  const double write_rate = static_cast<double>(MiB(kPieces).value) / Seconds(time) / 1e6;
  CHECK(write_rate > 120);
  CHECK(write_rate <= 125.1);
}

double DurableAppendsPerSecond(nanoseconds pause, uint64_t* revolutions) {
  DiskModel model(Hdd(), kDisk);
  nanoseconds time{0};
  constexpr uint64_t kAppends = 500;
  for (uint64_t i = 0; i < kAppends; ++i) {
    time += pause + model.Write(kPage * i, kPage, pause) + model.Flush(kBusyCaller);
  }
  CHECK(model.stats().flushes == kAppends);
  *revolutions = model.stats().revolutions;
  return kAppends / Seconds(time);
}

TEST_CASE("a durable append waits for the platter to come round", "[disk]") {
  uint64_t revolutions = 0;
  const double rate = DurableAppendsPerSecond(kBusyCaller, &revolutions);
  CHECK(rate > 118);
  CHECK(rate < 120.1);
  CHECK(revolutions == 499);
}

TEST_CASE("a caller that takes its time between durable appends loses none: the platter turns meanwhile", "[disk]") {
  uint64_t revolutions = 0;
  const double rate = DurableAppendsPerSecond(milliseconds(7), &revolutions);
  CHECK(rate > 118);
  CHECK(rate < 120.1);
  CHECK(revolutions == 499);
  // Who misses the place once more waits for it once more.
  CHECK(DurableAppendsPerSecond(milliseconds(9), &revolutions) < 60.1);
}

TEST_CASE("what lies so far ahead that it has not passed yet is not missed", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Write(GiB(1), kPage, kBusyCaller);
  model.Flush(kBusyCaller);
  model.Write(GiB(1) + KiB(60), kPage, kBusyCaller);
  CHECK(model.Flush(kBusyCaller) < milliseconds(1));
  CHECK(model.stats().revolutions == 0);
}

TEST_CASE("random writes: in the order of the elevator, so better than reads; a flush waits for them", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  Random random(7);
  nanoseconds time{0};
  constexpr int kWrites = 3200;
  for (int i = 0; i < kWrites; ++i) time += model.Write(RandomPage(random), kPage, kBusyCaller);
  const nanoseconds before_flush = time;
  time += model.Flush(kBusyCaller);
  CHECK(time - before_flush > milliseconds(150));
  const double rate = kWrites / Seconds(time);
  CHECK(rate > 110);
  CHECK(rate < 180);
  CHECK(model.Flush(kBusyCaller) < milliseconds(1));
}

TEST_CASE("a write is fast while the cache has room, and an idle disk empties it", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  Random random(3);
  // The first one is begun at once.
  for (size_t i = 0; i < Hdd().write_queue + 1; ++i) {
    CHECK(model.Write(RandomPage(random), kPage, kBusyCaller) < milliseconds(1));
  }
  CHECK(model.Write(RandomPage(random), kPage, kBusyCaller) > milliseconds(2));
  CHECK(model.Flush(std::chrono::seconds(10)) < milliseconds(1));
  CHECK(model.stats().requests == Hdd().write_queue + 2);
}

TEST_CASE("writes that touch are one request", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Write(GiB(9), kPage, kBusyCaller);  // keeps the disk busy
  for (uint64_t i = 0; i < 8; ++i) model.Write(GiB(1) + kPage * i, kPage, kBusyCaller);
  model.Write(GiB(1) + kPage * 3, kPage, kBusyCaller);
  model.Flush(kBusyCaller);
  CHECK(model.stats().requests == 2);
  CHECK(model.stats().seeks == 2);
}

TEST_CASE("what passes under the head of an idle disk needs not be read again", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Read(GiB(1), kPage, kBusyCaller);
  CHECK(model.Read(GiB(1), kPage, kBusyCaller) < milliseconds(1));
  CHECK(model.Read(GiB(1) + KiB(512), KiB(64), milliseconds(100)) < milliseconds(1));
  CHECK(model.stats().read_hits == 2);
  // No more than a segment.
  CHECK(model.Read(GiB(1) + MiB(4), kPage, milliseconds(100)) > milliseconds(1));
  // Sixteen segments are remembered, not more.
  CHECK(model.Read(GiB(1) + MiB(1), kPage, kBusyCaller) < milliseconds(1));
  for (uint64_t i = 0; i < Hdd().read_segments; ++i) model.Read(GiB(2 + i), kPage, kBusyCaller);
  CHECK(model.Read(GiB(1) + MiB(1), kPage, kBusyCaller) > milliseconds(1));
}

TEST_CASE("what passes under the head before a place comes round needs not be read again", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  constexpr uint64_t kPlaces = 200;
  for (uint64_t i = 1; i <= kPlaces; ++i) {
    model.Read(MiB(100 * i), kPage, kBusyCaller);
    // Half of the revolutions take longer than this takes to pass.
    model.Read(MiB(100 * i) - KiB(508), kPage, kBusyCaller);
  }
  CHECK(model.stats().read_hits > kPlaces * 2 / 5);
  CHECK(model.stats().read_hits < kPlaces * 3 / 5);
  const uint64_t hits = model.stats().read_hits;
  // No more than a revolution passes.
  for (uint64_t i = 1; i <= kPlaces; ++i) {
    model.Read(MiB(100 * i + 50), kPage, kBusyCaller);
    model.Read(MiB(100 * i + 49), kPage, kBusyCaller);
  }
  CHECK(model.stats().read_hits == hits);
}

TEST_CASE("a caller that reads on slowly never waits for the platter", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Read(GiB(1), MiB(1), kBusyCaller);
  for (uint64_t i = 1; i < 100; ++i) CHECK(model.Read(GiB(1) + MiB(i), MiB(1), milliseconds(20)) < milliseconds(1));
  CHECK(model.stats().read_hits == 99);
}

TEST_CASE("reads that skip a little go on without a seek", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Read(GiB(1), kPage, kBusyCaller);
  const uint64_t seeks = model.stats().seeks;
  for (uint64_t i = 1; i < 100; ++i) model.Read(GiB(1) + KiB(32) * i, kPage, kBusyCaller);
  CHECK(model.stats().seeks == seeks);
}

TEST_CASE("what is written is not read from an old segment, but from the cache of writes", "[disk]") {
  DiskModel model(Hdd(), kDisk);
  model.Read(GiB(1), KiB(64), kBusyCaller);
  model.Write(GiB(9), kPage, kBusyCaller);  // keeps the disk busy
  model.Write(GiB(1), kPage, kBusyCaller);
  CHECK(model.Read(GiB(1), kPage, kBusyCaller) < milliseconds(1));
  model.Flush(kBusyCaller);
  CHECK(model.Read(GiB(1), kPage, kBusyCaller) > milliseconds(1));
}

TEST_CASE("the device in front of another one hands on the bytes and counts by the clock", "[disk]") {
  MemoryDevice memory(MiB(64));
  ManualClock clock;
  DiskDevice disk(memory, Hdd(), DiskDevice::Timing::kAccount, clock);
  const std::string page(kPage.value, 'p');
  REQUIRE(disk.Write(MiB(1), page).ok());
  REQUIRE(disk.Flush().ok());
  std::string read(kPage.value, '\0');
  REQUIRE(disk.Read(MiB(1), read).ok());
  CHECK(read == page);
  CHECK(disk.Size() == memory.Size());
  const DiskStats first = disk.Stats();
  CHECK(first.writes == 1);
  CHECK(first.reads == 1);
  CHECK(first.flushes == 1);
  CHECK(first.busy > nanoseconds{0});
  clock.Advance(std::chrono::seconds(1));
  REQUIRE(disk.Read(MiB(1) + KiB(512), read).ok());
  CHECK((disk.Stats() - first).read_hits == 1);
  CHECK_FALSE(disk.Read(MiB(64), read).ok());
}

TEST_CASE("a device that waits takes its time", "[disk]") {
  MemoryDevice memory(GiB(1));
  DiskDevice disk(memory, Hdd(), DiskDevice::Timing::kWait, SystemClock());
  std::string read(kPage.value, '\0');
  const nanoseconds begun = SystemClock().Monotonic();
  for (uint64_t i = 1; i < 5; ++i) REQUIRE(disk.Read(MiB(100 * i), read).ok());
  CHECK(SystemClock().Monotonic() - begun >= disk.Stats().busy - milliseconds(1));
}

TEST_CASE("profiles have names", "[disk]") {
  CHECK(FindDiskProfile("hdd-7200") != nullptr);
  CHECK(FindDiskProfile("hdd") == nullptr);
}

}  // namespace
}  // namespace betr
