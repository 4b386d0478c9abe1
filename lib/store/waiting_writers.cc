// SPDX-License-Identifier: Apache-2.0
// Makes writers wait if they are faster than the threads that make room for what they write. They hold no lock
// meanwhile.
#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// How long a writer waits for a checkpoint to take over what the log holds in memory, before it writes that out itself.
// This is longer than a checkpoint of bulk writes takes, so that these need not go through the log.
constexpr std::chrono::milliseconds kLongestForRoom{1000};

}  // namespace

bool Store::Impl::LogIsAhead() const {
  constexpr double kStart = 1.0 / 8;  // of the room; a writer that is no faster than the checkpoint needs no more
  const auto used = static_cast<double>(log_->Used().value);
  const auto size = static_cast<double>(log_->Size().value);
  const std::optional<double> progress = checkpointer_.Progress();
  if (!progress) return used > size * (1 - kStart);
  const double before = std::min(size, static_cast<double>(log_used_before_.load()));
  return used > before + (size - before) * (kStart + (1 - kStart) * *progress);
}

bool Store::Impl::IsCrowded() const {
  return fronts_.Size() > core_->BufferLimit() || core_->cache->Dirty() > core_->DirtyHardLimit() ||
         log_->Held() > LogMemory() || LogIsAhead();
}

bool Store::Impl::MustWait() const { return core_->options.background && IsCrowded() && !signals_.NobodyMakesRoom(); }

absl::Status Store::Impl::WaitForRoom() {
  if (!core_->options.background || !IsCrowded()) return absl::OkStatus();
  ++core_->counters.write_stalls;
  const auto start = SystemClock().Monotonic();
  while (IsCrowded()) {
    BETR_RETURN_IF_ERROR(CheckOpen());  // closing stops the threads that make room
    BETR_RETURN_IF_ERROR(core_->health.status());
    if (log_->Held() > LogMemory() && SystemClock().Monotonic() - start > kLongestForRoom) {
      BETR_RETURN_IF_ERROR(WriteOutLog());
    }
    if (!signals_.AwaitRoom()) {
      break;  // then the write itself finds out whether there is space
    }
  }
  core_->counters.write_stall_ns += static_cast<uint64_t>((SystemClock().Monotonic() - start).count());
  return absl::OkStatus();
}

}  // namespace betr
