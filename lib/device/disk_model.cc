// SPDX-License-Identifier: Apache-2.0
#include "device/disk_model.h"

#include <algorithm>
#include <cmath>

namespace betr {
namespace {

using std::chrono::nanoseconds;

nanoseconds Nanoseconds(double value) { return nanoseconds(std::llround(value)); }

// The mean of sqrt(|x - y|) over x, y in 0 .. 1.
constexpr double kMeanRoot = 8.0 / 15.0;

}  // namespace

DiskStats operator-(const DiskStats& later, const DiskStats& earlier) {
  return {.reads = later.reads - earlier.reads,
          .read_hits = later.read_hits - earlier.read_hits,
          .writes = later.writes - earlier.writes,
          .flushes = later.flushes - earlier.flushes,
          .requests = later.requests - earlier.requests,
          .seeks = later.seeks - earlier.seeks,
          .revolutions = later.revolutions - earlier.revolutions,
          .read_bytes = later.read_bytes - earlier.read_bytes,
          .written_bytes = later.written_bytes - earlier.written_bytes,
          .busy = later.busy - earlier.busy,
          .waited = later.waited - earlier.waited};
}

DiskModel::DiskModel(const DiskProfile& profile, Bytes size, uint64_t seed)
    : profile_(profile), size_(static_cast<double>(std::max<uint64_t>(size.value, 1))), random_(seed) {}

nanoseconds DiskModel::Transfer(uint64_t bytes) const {
  return Nanoseconds(static_cast<double>(bytes) * 1e9 / static_cast<double>(profile_.bytes_per_second));
}

nanoseconds DiskModel::TurnTo(uint64_t offset) {
  nanoseconds wait = Transfer(offset - head_) - (free_ - transferred_);
  if (wait < nanoseconds{0}) {
    ++stats_.revolutions;
    wait += profile_.revolution * ((-wait - nanoseconds{1}) / profile_.revolution + 1);
  }
  return wait;
}

nanoseconds DiskModel::Position(uint64_t offset) {
  ++stats_.requests;
  passed_ = 0;
  const bool goes_on = offset >= head_ && offset - head_ <= profile_.track_gap.value;
  if (goes_on && missed_) return TurnTo(offset);
  if (goes_on) return Transfer(offset - head_);
  ++stats_.seeks;
  const double distance = static_cast<double>(std::max(offset, head_) - std::min(offset, head_)) / size_;
  const auto spread = static_cast<double>((profile_.average_seek - profile_.least_seek).count());
  const double seek =
      static_cast<double>(profile_.least_seek.count()) + spread / kMeanRoot * std::sqrt(std::min(distance, 1.0));
  const double rotation = random_.Fraction() * static_cast<double>(profile_.revolution.count());
  passed_ = static_cast<uint64_t>(rotation * static_cast<double>(profile_.bytes_per_second) / 1e9);
  return Nanoseconds(seek + rotation);
}

void DiskModel::Work(nanoseconds duration) {
  free_ += duration;
  stats_.busy += duration;
}

void DiskModel::DoWrite() {
  auto next = pending_.lower_bound(head_);
  if (next == pending_.end()) next = pending_.begin();
  const auto [offset, length] = *next;
  pending_.erase(next);
  pending_bytes_ -= length;
  Work(Position(offset) + Transfer(length));
  head_ = offset + length;
  transferred_ = free_;
  reads_on_ = false;
  missed_ = false;
}

void DiskModel::ReadAhead(nanoseconds time) {
  Segment& segment = segments_.back();
  const auto passed =
      static_cast<uint64_t>(static_cast<double>(time.count()) * static_cast<double>(profile_.bytes_per_second) / 1e9);
  const uint64_t most = wanted_ + profile_.read_segment.value;
  segment.end += std::min(passed, most - std::min(most, segment.end));
  segment.begin = std::max(segment.begin, segment.end - std::min(segment.end, profile_.read_segment.value));
  head_ = segment.end;
}

void DiskModel::PassIdle(nanoseconds idle) {
  now_ += std::max(idle, nanoseconds{0});
  while (free_ < now_ && !pending_.empty()) DoWrite();
  if (free_ >= now_) return;
  if (reads_on_ && !segments_.empty()) ReadAhead(now_ - free_);
  free_ = now_;
}

nanoseconds DiskModel::Return(nanoseconds done) {
  const nanoseconds waits = done - now_;
  stats_.waited += waits;
  now_ = done;
  return waits;
}

bool DiskModel::IsInSegment(uint64_t offset, uint64_t end) {
  for (const Segment& segment : segments_) {
    if (offset < segment.begin || end > segment.end) continue;
    // Reading what was read ahead makes the disk read further ahead.
    if (&segment == &segments_.back()) wanted_ = std::max(wanted_, end);
    return true;
  }
  return false;
}

bool DiskModel::IsInWriteCache(uint64_t offset, uint64_t end) const {
  auto next = pending_.upper_bound(offset);
  if (next == pending_.begin()) return false;
  --next;
  return end <= next->first + next->second;
}

nanoseconds DiskModel::Read(Bytes offset, Bytes length, nanoseconds idle) {
  PassIdle(idle);
  ++stats_.reads;
  stats_.read_bytes += length;
  const uint64_t end = offset.value + length.value;
  if (IsInSegment(offset.value, end) || IsInWriteCache(offset.value, end)) {
    ++stats_.read_hits;
    return Return(now_ + profile_.command);
  }
  Work(profile_.command);
  Segment* newest = reads_on_ && !segments_.empty() ? &segments_.back() : nullptr;
  const bool lies_ahead =
      newest != nullptr && offset.value >= newest->begin && offset.value <= newest->end + profile_.track_gap.value;
  if (lies_ahead) {
    ++stats_.requests;
    Work(Transfer(end - std::min(end, newest->end)));
    newest->end = std::max(newest->end, end);
    newest->begin = std::max(newest->begin, newest->end - std::min(newest->end, profile_.read_segment.value));
  } else {
    Work(Position(offset.value) + Transfer(length.value));
    segments_.push_back({offset.value - std::min(offset.value, passed_), end});
    if (segments_.size() > profile_.read_segments) segments_.pop_front();
  }
  head_ = wanted_ = end;
  reads_on_ = true;
  missed_ = false;
  return Return(free_);
}

// Overlapping and touching writes become one.
void DiskModel::AddPending(uint64_t offset, uint64_t length) {
  uint64_t end = offset + length;
  auto at = pending_.upper_bound(offset);
  if (at != pending_.begin()) {
    const auto before = std::prev(at);
    if (before->first + before->second >= offset) at = before;
  }
  while (at != pending_.end() && at->first <= end) {
    offset = std::min(offset, at->first);
    end = std::max(end, at->first + at->second);
    pending_bytes_ -= at->second;
    at = pending_.erase(at);
  }
  pending_.emplace(offset, end - offset);
  pending_bytes_ += end - offset;
}

nanoseconds DiskModel::Write(Bytes offset, Bytes length, nanoseconds idle) {
  PassIdle(idle);
  ++stats_.writes;
  stats_.written_bytes += length;
  // What is overwritten must not be read from a segment.
  const uint64_t end = offset.value + length.value;
  std::erase_if(segments_, [&](const Segment& segment) { return segment.begin < end && offset.value < segment.end; });
  if (segments_.empty()) reads_on_ = false;
  AddPending(offset.value, length.value);
  nanoseconds done = now_ + profile_.command;
  while (pending_.size() > profile_.write_queue || pending_bytes_ > profile_.write_cache.value) {
    DoWrite();
    done = std::max(done, free_);
  }
  return Return(done);
}

nanoseconds DiskModel::Flush(nanoseconds idle) {
  PassIdle(idle);
  ++stats_.flushes;
  while (!pending_.empty()) DoWrite();
  missed_ = true;
  return Return(std::max(now_, free_) + profile_.command);
}

}  // namespace betr
