// SPDX-License-Identifier: Apache-2.0
#include "store/log/log_scan.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status.h"
#include "layout/superblock.h"

namespace betr::store {
namespace {

// How much is read at once.
constexpr uint64_t kChunkBlocks = MiB(1) / kBlockSize;

}  // namespace

LogScanner::LogScanner(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start)
    : device_(device), area_(area), salt_(salt), limit_(start.sequence + area.Blocks()), position_(start) {}

absl::StatusOr<std::string_view> LogScanner::View(uint64_t sequence, uint64_t count) {
  Check(sequence < limit_ && count <= limit_ - sequence, "a scan goes round the log once");
  const uint64_t cached = cache_.size() / kBlockSize.value;
  if (sequence < cache_begin_ || sequence + count > cache_begin_ + cached) {
    const uint64_t blocks = std::min(limit_ - sequence, std::max(count, kChunkBlocks));
    cache_.resize((kBlockSize * blocks).value);
    cache_begin_ = sequence;
    if (const absl::Status status = ReadLogBlocks(device_, area_, sequence, cache_); !status.ok()) {
      cache_.clear();
      return Annotate(status, "log");
    }
  }
  return std::string_view(cache_).substr((kBlockSize * (sequence - cache_begin_)).value, (kBlockSize * count).value);
}

// A header in another place, or with numbers that no log writes, is content that somebody has put into a record.
bool LogScanner::MayLieAt(const FrameHeader& header, uint64_t sequence) const {
  return header.position.sequence % area_.Blocks() == sequence % area_.Blocks() &&
         header.durable <= header.position.sequence && header.opening <= layout::kMaxCounter;
}

absl::StatusOr<std::optional<FrameHeader>> LogScanner::HeaderAt(uint64_t sequence) {
  BETR_ASSIGN_OR_RETURN(const std::string_view block, View(sequence, 1));
  std::optional<FrameHeader> header = LoadFrameHeader(block);
  if (!header || header->salt != salt_ || !MayLieAt(*header, sequence)) return std::nullopt;
  opening_ = std::max(opening_, header->opening);
  return header;
}

absl::StatusOr<bool> LogScanner::GoesOn() {
  if (position_.sequence == limit_) return false;
  BETR_ASSIGN_OR_RETURN(const std::optional<FrameHeader> header, HeaderAt(position_.sequence));
  return header && header->position == position_;
}

absl::StatusOr<bool> LogScanner::Next() {
  if (position_.sequence == limit_) return false;
  BETR_ASSIGN_OR_RETURN(const std::optional<FrameHeader> header, HeaderAt(position_.sequence));
  if (!header || header->position != position_) return End();
  const uint64_t blocks = header->Blocks();
  if (blocks > std::min(limit_ - position_.sequence, MaxFrameBlocks(area_))) {
    return absl::DataLossError(absl::StrFormat("%s: a frame of %u blocks", Place(position_.sequence), blocks));
  }
  BETR_ASSIGN_OR_RETURN(std::string_view body, View(position_.sequence, blocks));
  body.remove_prefix(FrameHeader::kSize);
  is_torn_ = Checksum(body) != header->record_checksum;
  if (is_torn_) return End();
  header_ = *header;
  records_ = body.substr(0, header->record_bytes);
  position_ = header->End();
  return true;
}

// Returns false, which Next passes on, or the damage that it finds.
absl::StatusOr<bool> LogScanner::End() {
  const uint64_t end = position_.sequence;
  const uint64_t window = kMaxUnflushed / kBlockSize + MaxFrameBlocks(area_) + 1;
  const uint64_t last = std::min(limit_, end + window);
  for (uint64_t sequence = end; sequence < last; ++sequence) {
    BETR_ASSIGN_OR_RETURN(const std::optional<FrameHeader> header, HeaderAt(sequence));
    if (!header || header->durable <= end) continue;
    return absl::DataLossError(absl::StrFormat("%s: no intact frame, but this was durable, says frame %u", Place(end),
                                               header->position.sequence));
  }
  return false;
}

std::string LogScanner::Place(uint64_t sequence) const {
  const uint64_t offset = area_.offset.value + sequence % area_.Blocks() * kBlockSize.value;
  return absl::StrFormat("%s: log frame %u at offset %u", device_.Name(), sequence, offset);
}

absl::Status LogScanner::ForEachRecord(absl::FunctionRef<absl::Status(const LogRecord&)> visit) const {
  const std::string place = Place(header_.position.sequence);
  std::string_view rest = records_;
  for (uint32_t i = 0; i < header_.record_count; ++i) {
    const absl::StatusOr<LogRecord> record = TakeRecord(&rest);
    if (!record.ok()) return Annotate(record.status(), place);
    BETR_RETURN_IF_ERROR(visit(*record));
  }
  if (!rest.empty()) return absl::DataLossError(absl::StrFormat("%s: %u bytes too many", place, rest.size()));
  return absl::OkStatus();
}

}  // namespace betr::store
