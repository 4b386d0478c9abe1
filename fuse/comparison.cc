// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace betr::fuse {
namespace {

constexpr std::chrono::seconds kIdle{10};
// The longest time for one answer that has something to tell, so that whoever waits sees progress.
constexpr std::chrono::milliseconds kLongest{200};

betr_difference_side SideOf(const std::optional<FileAttributes>& attributes) {
  if (!attributes) return {};
  return {.mode = attributes->mode(),
          .uid = attributes->uid,
          .gid = attributes->gid,
          .modified_nanoseconds = attributes->modified.nanoseconds,
          .modified_seconds = attributes->modified.seconds,
          .size = attributes->size,
          .device = attributes->device};
}

// Returns false if there is no room for it.
bool Append(const EntryDifference& difference, betr_differences* answer) {
  constexpr size_t kAlignment = alignof(betr_difference);
  const size_t bytes = sizeof(betr_difference) + difference.path.size() + 1;
  const size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (size > sizeof answer->records - answer->size) return false;
  const betr_difference record{
      .size = static_cast<__u32>(size),
      .differs = (difference.content ? BETR_DIFFERS_CONTENT : 0U) | (difference.xattrs ? BETR_DIFFERS_XATTRS : 0U),
      .before = SideOf(difference.before),
      .after = SideOf(difference.after)};
  char* const place = answer->records + answer->size;
  std::memcpy(place, &record, sizeof record);
  difference.path.copy(place + sizeof record, difference.path.size());
  answer->size += record.size;
  return true;
}

}  // namespace

Comparison::Comparison(std::unique_ptr<DifferenceStream> stream, uint32_t user)
    : user_(user), stream_(std::move(stream)), used_(Clock::now()) {}

absl::Status Comparison::Tell(uint32_t user, betr_differences* answer) {
  if (user != user_) return ErrnoError(EPERM, "somebody else's comparison");
  const MutexLock lock(mutex_);
  const Clock::time_point begun = Clock::now();
  while (Find() && Append(*next_, answer)) {
    next_.reset();
    if (Clock::now() - begun > kLongest) break;
  }
  used_ = Clock::now();
  if (answer->size == 0 && next_) {
    error_ = ErrnoError(ENAMETOOLONG, "a path that is too long for an answer");
    stream_.reset();
    next_.reset();
  }
  if (answer->size == 0 && !error_.ok()) return error_;
  answer->is_last = stream_ == nullptr && !next_ && error_.ok() ? 1 : 0;
  return absl::OkStatus();
}

bool Comparison::Find() {
  if (next_ || stream_ == nullptr) return next_.has_value();
  absl::StatusOr<std::optional<EntryDifference>> next = stream_->Next();
  if (next.ok()) {
    next_ = *std::move(next);
  } else {
    error_ = next.status();
  }
  if (!next_) stream_.reset();
  return next_.has_value();
}

bool Comparison::IsIdle() {
  const MutexLock lock(mutex_);
  return stream_ == nullptr || Clock::now() - used_ > kIdle;
}

std::unique_ptr<DifferenceStream> Comparison::GiveUp() {
  const MutexLock lock(mutex_);
  if (stream_ == nullptr) return nullptr;
  error_ = ErrnoError(ETIMEDOUT, "a comparison that nobody asked for");
  next_.reset();
  return std::move(stream_);
}

}  // namespace betr::fuse
