// SPDX-License-Identifier: Apache-2.0
#include "support/store/log_harness.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/check.h"

namespace betr::store {

absl::StatusOr<std::unique_ptr<Log>> OpenLog(BlockDevice& device, const LogArea& area, const Log::Checkpoint& from,
                                             LogRecords* replayed) {
  replayed->clear();
  return Log::Open(device, area, kTestSalt, from, [&](Lsn lsn, std::string_view payload) {
    Check(lsn.value == from.lsn.value + replayed->size() + 1, "records come back in order");
    replayed->emplace_back(lsn, payload);
    return absl::OkStatus();
  });
}

LogDriver::LogDriver(const LogArea& area, RecordSizes sizes, uint64_t seed) : area_(area), sizes_(sizes), seed_(seed) {}

std::unique_ptr<Log> LogDriver::Recover(BlockDevice& device, const LogMoment& moment) const {
  LogRecords replayed;
  auto log = OpenLog(device, area_, moment.stored, &replayed);
  INFO(log.status());
  REQUIRE(log.ok());
  const Lsn last{moment.stored.lsn.value + replayed.size()};
  REQUIRE((*log)->LastLsn() == last);
  REQUIRE(last >= moment.durable);
  REQUIRE(last <= moment.last);
  const auto is_true = [this](const auto& record) { return record.second == payloads_[record.first.value - 1]; };
  REQUIRE(std::ranges::all_of(replayed, is_true));
  return *std::move(log);
}

void LogDriver::Open(BlockDevice& device, const LogMoment& moment) {
  log_ = Recover(device, moment);
  device_ = &device;
  is_checkpoint_open_ = false;
  stored_ = moment.stored;
  durable_ = moment.durable;
  last_ = log_->LastLsn();
  payloads_.resize(last_.value);
}

std::string LogDriver::Payload(Lsn lsn, size_t size) const {
  return Random(seed_ ^ (lsn.value << 32) ^ size).String(size);
}

void LogDriver::Append(Random& random) {
  const uint64_t largest = log_->MaxPayload().value;
  // Few different sizes, so that lives repeat each other.
  size_t size = static_cast<size_t>(random.OneIn(2) ? 100 : random.Uniform(4) * 1500);
  if (sizes_ == RecordSizes::kAny && random.OneIn(8)) size = static_cast<size_t>(random.Uniform(largest + 1));
  const Lsn lsn = last_.Next();
  std::string payload = Payload(lsn, size);
  absl::Status status = log_->Append(lsn, payload);
  if (absl::IsResourceExhausted(status)) {
    EndCheckpoint();
    BeginCheckpoint();
    EndCheckpoint();
    status = log_->Append(lsn, payload);
  }
  INFO(status);
  REQUIRE(status.ok());
  last_ = lsn;
  payloads_.push_back(std::move(payload));
}

void LogDriver::Sync() {
  const auto durable = log_->Sync();
  INFO(durable.status());
  REQUIRE(durable.ok());
  REQUIRE(*durable == last_);
  REQUIRE(log_->DurableLsn() == last_);
  durable_ = last_;
}

void LogDriver::BeginCheckpoint() {
  if (is_checkpoint_open_) return;
  is_checkpoint_open_ = true;
  begun_ = {log_->Mark(), last_};
}

void LogDriver::EndCheckpoint() {
  if (!is_checkpoint_open_) return;
  is_checkpoint_open_ = false;
  REQUIRE(device_->Flush().ok());
  stored_ = begun_;
  durable_ = std::max(durable_, stored_.lsn);
  log_->Free(stored_);
}

void LogDriver::Step(Random& random) {
  switch (random.Uniform(10)) {
    case 0:
      return Sync();
    case 1:
      REQUIRE(log_->WriteOut().ok());
      return;
    case 2:
      return random.OneIn(3) ? BeginCheckpoint() : void();
    case 3:
      return random.OneIn(3) ? EndCheckpoint() : void();
    default:
      return Append(random);
  }
}

LogMoment MomentOfCrash(const std::vector<LogMoment>& moments, size_t events) {
  const auto after = std::ranges::upper_bound(moments, events, {}, &LogMoment::events);
  Check(after != moments.begin(), "the first moment is at the beginning");
  LogMoment moment = *std::prev(after);
  if (after != moments.end()) moment.last = after->last;
  return moment;
}

}  // namespace betr::store
