// SPDX-License-Identifier: Apache-2.0
// The log and threads: appenders, syncers and checkpoints at once; a flush shared by those who wait.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "support/seed.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

std::string PayloadOf(Lsn lsn) { return Random(lsn.value).String(static_cast<size_t>(lsn.value % 3000)); }

// Many threads over one log, as the store's writers are: the order of LSNs is kept by a lock around Append.
class Traffic {
 public:
  explicit Traffic(Log& log) : log_(log) {}

  void Write(uint64_t records) {
    for (uint64_t i = 0; i < records; ++i) AppendOne();
  }

  void WriteAndSync(uint64_t records) {
    for (uint64_t i = 0; i < records; ++i) {
      const Lsn lsn = AppendOne();
      const auto durable = log_.Sync();
      if (!durable.ok() || *durable < lsn) ++errors_;
    }
  }

  Lsn AppendOne() {
    const MutexLock lock(writer_);
    const Lsn lsn = log_.LastLsn().Next();
    absl::Status status = log_.Append(lsn, PayloadOf(lsn));
    while (absl::IsResourceExhausted(status)) {
      // As a checkpoint would: position first, then the state. The superblock is stored by this flush.
      stored_ = {log_.Mark(), log_.LastLsn()};
      log_.Free(stored_);
      status = log_.Append(lsn, PayloadOf(lsn));
    }
    if (!status.ok()) ++errors_;
    return lsn;
  }

  Log::Checkpoint Stored() {
    const MutexLock lock(writer_);
    return stored_;
  }
  int Errors() const { return errors_; }

 private:
  Log& log_;
  Mutex writer_;
  Log::Checkpoint stored_ ABSL_GUARDED_BY(writer_);
  std::atomic<int> errors_ = 0;
};

TEST_CASE("appenders and syncers share a log", "[log]") {
  constexpr LogArea kArea{KiB(4), KiB(256)};
  MemoryDevice device(KiB(260));
  LogRecords replayed;
  auto log = OpenLog(device, kArea, {}, &replayed);
  REQUIRE(log.ok());
  Traffic traffic(**log);
  const auto records = static_cast<uint64_t>(400 * TestScale());
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { traffic.Write(records); });
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { traffic.WriteAndSync(records); });
  threads.emplace_back([&] {
    for (uint64_t i = 0; i < records; ++i) {
      static_cast<void>(log.value()->WriteOut());
      static_cast<void>(log.value()->Used());
      static_cast<void>(log.value()->Counters());
    }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(traffic.Errors() == 0);
  const Lsn last = (*log)->LastLsn();
  CHECK(last.value == 5 * records);
  CHECK((*log)->Sync().value() == last);
  log->reset();
  const Log::Checkpoint stored = traffic.Stored();
  REQUIRE(OpenLog(device, kArea, stored, &replayed).ok());
  CHECK(replayed.size() == last.value - stored.lsn.value);
  for (const auto& [lsn, payload] : replayed) REQUIRE(payload == PayloadOf(lsn));
}

// A device whose writes and flushes each wait for a permit.
class GatedDevice final : public ForwardingDevice {
 public:
  explicit GatedDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  absl::Status Write(Bytes offset, std::string_view data) override {
    Pass();
    return ForwardingDevice::Write(offset, data);
  }
  absl::Status Flush() override {
    Pass();
    return ForwardingDevice::Flush();
  }
  void Permit(int permits) {
    const MutexLock lock(mutex_);
    permits_ += permits;
    changed_.NotifyAll();
  }
  void AwaitArrivals(int count) {
    MutexLock lock(mutex_);
    while (arrived_ < count) changed_.Wait(lock);
  }
  int Arrived() {
    const MutexLock lock(mutex_);
    return arrived_;
  }

 private:
  void Pass() {
    MutexLock lock(mutex_);
    ++arrived_;
    changed_.NotifyAll();
    while (permits_ == 0) changed_.Wait(lock);
    --permits_;
  }

  Mutex mutex_;
  Condition changed_;
  int permits_ ABSL_GUARDED_BY(mutex_) = 0;
  int arrived_ ABSL_GUARDED_BY(mutex_) = 0;
};

TEST_CASE("those who wait share one flush, and appending goes on meanwhile", "[log]") {
  constexpr LogArea kArea{KiB(4), KiB(256)};
  MemoryDevice memory(KiB(260));
  GatedDevice device(memory);
  LogRecords replayed;
  const auto log = OpenLog(device, kArea, {}, &replayed);
  REQUIRE(log.ok());
  REQUIRE((*log)->Append(Lsn{1}, "first").ok());
  device.Permit(1);  // for the flush that settles what recovery saw
  std::thread first([&] { static_cast<void>((*log)->Sync()); });
  device.AwaitArrivals(2);  // it is being written
  CHECK((*log)->Used() == kBlockSize);
  CHECK((*log)->Mark() == LogPosition{});
  REQUIRE((*log)->Append(Lsn{2}, "x").ok());
  CHECK((*log)->Used() == kBlockSize * 2);
  device.Permit(1);
  device.AwaitArrivals(3);  // it is being flushed
  CHECK((*log)->Used() == kBlockSize * 2);
  CHECK((*log)->Mark().sequence == 1);
  for (Lsn lsn{3}; lsn <= Lsn{10}; lsn = lsn.Next()) REQUIRE((*log)->Append(lsn, "x").ok());
  CHECK((*log)->DurableLsn() == Lsn{0});
  std::atomic<int> synced = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([&] {
      const auto durable = (*log)->Sync();
      if (durable.ok() && *durable == Lsn{10}) ++synced;
    });
  }
  device.Permit(100);
  first.join();
  for (std::thread& other : others) other.join();
  CHECK(synced == 4);
  CHECK(device.Arrived() == 5);
  CHECK((*log)->Counters().frames == 2);
  CHECK((*log)->Counters().flushes == 3);
}

}  // namespace
}  // namespace betr::store
