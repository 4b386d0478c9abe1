// SPDX-License-Identifier: Apache-2.0
#include "store/log/log.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status.h"

namespace betr::store {
namespace {

// A frame's memory is only kept for the next one up to this size.
constexpr Bytes kMaxSpare = kFrameTarget * 2;

}  // namespace

Log::Log(BlockDevice& device, const LogArea& area, uint64_t salt, const Checkpoint& from, const Recovered& recovered)
    : device_(device),
      area_(area),
      salt_(salt),
      opening_(recovered.opening + 1),
      free_(from.position.sequence),
      durable_(from.position.sequence),
      next_(recovered.end),
      is_torn_(recovered.is_torn),
      durable_lsn_(from.lsn),
      written_lsn_(recovered.last_lsn),
      last_lsn_(recovered.last_lsn) {}

absl::Status Log::Append(Lsn lsn, std::string_view payload) {
  if (payload.size() > MaxPayload().value) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%u bytes are too large for one log record: a log of %u bytes takes %u", payload.size(),
                        area_.size.value, MaxPayload().value));
  }
  const uint64_t bytes = LogRecord::kHeaderSize + payload.size();
  const MutexLock lock(mutex_);
  BETR_RETURN_IF_ERROR(failure_);
  Check(lsn == last_lsn_.Next(), "log records are appended in the order of their LSNs");
  const uint64_t open = held_.empty() ? 0 : held_.back().RecordBytes();
  const bool is_new = open == 0 || FrameHeader::kSize + open + bytes > kFrameTarget.value;
  const uint64_t more = is_new ? FrameBlocks(bytes) : FrameBlocks(open + bytes) - FrameBlocks(open);
  if (UsedBlocks() + more > area_.Blocks()) {
    return absl::ResourceExhaustedError(absl::StrFormat("the log is full: %u of %u blocks are in use, %u more needed",
                                                        UsedBlocks(), area_.Blocks(), more));
  }
  if (is_new) AddFrame(lsn);
  Frame& frame = held_.back();
  AppendRecord(lsn, payload, &frame.bytes);
  ++frame.records;
  frame.last_lsn = lsn;
  held_blocks_ += more;
  last_lsn_ = lsn;
  ++counters_.appends;
  return absl::OkStatus();
}

void Log::AddFrame(Lsn first_lsn) {
  Frame& frame = held_.emplace_back();
  frame.bytes = std::exchange(spare_, {});
  frame.bytes.reserve(std::min(kFrameTarget, area_.size).value);
  frame.bytes.resize(FrameHeader::kSize);
  frame.first_lsn = first_lsn;
}

Log::Frame Log::TakeFrame() {
  Frame frame = std::move(held_.front());
  held_.pop_front();
  held_blocks_ -= FrameBlocks(frame.RecordBytes());
  return frame;
}

absl::StatusOr<Lsn> Log::Sync() {
  Lsn last;
  {
    const MutexLock lock(mutex_);
    ++counters_.syncs;
    last = last_lsn_;
  }
  BETR_RETURN_IF_ERROR(Reach(Until::kDurable, last));
  return DurableLsn();
}

absl::Status Log::WriteOut() { return Reach(Until::kWritten, LastLsn()); }

void Log::Forget(Lsn last) {
  const MutexLock lock(mutex_);
  while (!held_.empty() && held_.front().last_lsn <= last) {
    const Frame frame = TakeFrame();
    forgotten_lsn_ = frame.last_lsn;
    forgotten_blocks_ += FrameBlocks(frame.RecordBytes());
  }
  if (GapIsOpen()) turn_over_.NotifyAll();
}

bool Log::Reached(Until until, Lsn lsn) const {
  return lsn <= (until == Until::kDurable ? durable_lsn_ : written_lsn_);
}

absl::Status Log::Reach(Until until, Lsn lsn) {
  while (true) {
    Turn turn;
    {
      MutexLock lock(mutex_);
      while (turn_taken_ && failure_.ok() && !GapIsOpen() && !Reached(until, lsn)) turn_over_.Wait(lock);
      if (Reached(until, lsn)) return absl::OkStatus();
      BETR_RETURN_IF_ERROR(failure_);
      if (GapIsOpen()) return absl::FailedPreconditionError("the log has forgotten records that no checkpoint has");
      turn = BeginTurn(until, lsn);
    }
    const absl::Status status = DoTurn(&turn);
    const MutexLock lock(mutex_);
    EndTurn(std::move(turn), status);
  }
}

Log::Turn Log::BeginTurn(Until until, Lsn lsn) {
  Check(!turn_taken_, "one thread at a time writes to the log");
  turn_taken_ = true;
  Turn turn;
  turn.erase_first = std::exchange(is_torn_, false);
  turn.rewrite_from = is_settled_ ? next_.sequence : durable_;
  turn.header.position = next_;
  if (!held_.empty()) {
    turn.frame = TakeFrame();
    turn.header = {.salt = salt_,
                   .position = next_,
                   .opening = opening_,
                   .first_lsn = turn.frame.first_lsn,
                   .record_bytes = static_cast<uint32_t>(turn.frame.RecordBytes()),
                   .record_count = turn.frame.records};
    turn_blocks_ = FrameBlocks(turn.frame.RecordBytes());
    const bool is_far_ahead = kBlockSize * (next_.sequence - durable_) >= kMaxUnflushed;
    turn.flush_first = !is_settled_ || is_far_ahead;
  }
  const bool is_last = turn.frame.bytes.empty() || turn.frame.last_lsn >= lsn;
  turn.flush_last = until == Until::kDurable && is_last;
  Check(turn.flush_first || turn.flush_last || is_settled_, "the first turn flushes");
  return turn;
}

absl::Status Log::DoTurn(Turn* turn) {
  if (prepare_) BETR_RETURN_IF_ERROR(std::exchange(prepare_, nullptr)());
  BETR_RETURN_IF_ERROR(Rewrite(turn->rewrite_from, turn->header.position.sequence));
  if (turn->erase_first) BETR_RETURN_IF_ERROR(EraseHeader(turn->header.position.sequence));
  if (turn->flush_first) BETR_RETURN_IF_ERROR(Flush());
  if (!turn->frame.bytes.empty()) BETR_RETURN_IF_ERROR(WriteFrame(turn));
  return turn->flush_last ? Flush() : absl::OkStatus();
}

absl::Status Log::EraseHeader(uint64_t sequence) {
  std::string block(kBlockSize.value, '\0');
  BETR_RETURN_IF_ERROR(ReadLogBlocks(device_, area_, sequence, block));
  block.replace(0, FrameHeader::kSize, FrameHeader::kSize, '\0');
  return WriteLogBlocks(device_, area_, sequence, block);
}

absl::Status Log::Rewrite(uint64_t begin, uint64_t end) {
  std::string chunk;
  for (uint64_t sequence = begin; sequence < end;) {
    const uint64_t blocks = std::min(kFrameTarget / kBlockSize, end - sequence);
    chunk.resize((kBlockSize * blocks).value);
    BETR_RETURN_IF_ERROR(ReadLogBlocks(device_, area_, sequence, chunk));
    BETR_RETURN_IF_ERROR(WriteLogBlocks(device_, area_, sequence, chunk));
    sequence += blocks;
  }
  return absl::OkStatus();
}

absl::Status Log::Flush() {
  uint64_t sequence;
  Lsn lsn;
  {
    const MutexLock lock(mutex_);
    sequence = next_.sequence;
    lsn = written_lsn_;
  }
  BETR_RETURN_IF_ERROR(device_.Flush());
  const MutexLock lock(mutex_);
  ++counters_.flushes;
  is_settled_ = true;
  durable_ = std::max(durable_, sequence);
  durable_lsn_ = std::max(durable_lsn_, lsn);
  return absl::OkStatus();
}

absl::Status Log::WriteFrame(Turn* turn) {
  FrameHeader& header = turn->header;
  {
    const MutexLock lock(mutex_);
    header.durable = durable_;
  }
  std::string& frame = turn->frame.bytes;
  frame.resize((kBlockSize * header.Blocks()).value);
  header.record_checksum = Checksum(std::string_view(frame).substr(FrameHeader::kSize));
  StoreFrameHeader(&header, frame);
  BETR_RETURN_IF_ERROR(WriteLogBlocks(device_, area_, header.position.sequence, frame));
  const MutexLock lock(mutex_);
  ++counters_.frames;
  counters_.wraps += header.End().sequence / area_.Blocks() - header.position.sequence / area_.Blocks();
  counters_.bytes += Bytes{frame.size()};
  next_ = header.End();
  turn_blocks_ = 0;
  written_lsn_ = std::max(written_lsn_, turn->frame.last_lsn);
  return absl::OkStatus();
}

void Log::EndTurn(Turn turn, const absl::Status& status) {
  turn_taken_ = false;
  turn_over_.NotifyAll();
  if (!status.ok()) failure_ = Annotate(status, "log");
  std::string& bytes = turn.frame.bytes;
  if (bytes.capacity() > kMaxSpare.value) return;
  bytes.clear();
  spare_ = std::move(bytes);
}

LogPosition Log::Mark() const {
  const MutexLock lock(mutex_);
  return next_;
}

void Log::Free(const Checkpoint& stored) {
  const MutexLock lock(mutex_);
  Check(stored.position.sequence <= next_.sequence, "what is freed has been written");
  Check(stored.lsn <= last_lsn_, "a checkpoint has what was appended");
  free_ = std::max(free_, stored.position.sequence);
  durable_ = std::max(durable_, free_);
  written_lsn_ = std::max(written_lsn_, stored.lsn);
  durable_lsn_ = std::max(durable_lsn_, stored.lsn);
  while (!held_.empty() && held_.front().last_lsn <= stored.lsn) TakeFrame();
  if (forgotten_lsn_ <= stored.lsn) forgotten_blocks_ = 0;
}

uint64_t Log::UsedBlocks() const { return next_.sequence - free_ + turn_blocks_ + held_blocks_; }

Bytes Log::Used() const {
  const MutexLock lock(mutex_);
  return kBlockSize * UsedBlocks();
}

Bytes Log::Held() const {
  const MutexLock lock(mutex_);
  return kBlockSize * held_blocks_;
}

Bytes Log::Forgotten() const {
  const MutexLock lock(mutex_);
  return kBlockSize * forgotten_blocks_;
}

bool Log::EndsTorn() const {
  const MutexLock lock(mutex_);
  return is_torn_;
}

Lsn Log::LastLsn() const {
  const MutexLock lock(mutex_);
  return last_lsn_;
}

Lsn Log::DurableLsn() const {
  const MutexLock lock(mutex_);
  return durable_lsn_;
}

absl::Status Log::status() const {
  const MutexLock lock(mutex_);
  return failure_;
}

LogCounters Log::Counters() const {
  const MutexLock lock(mutex_);
  return counters_;
}

}  // namespace betr::store
