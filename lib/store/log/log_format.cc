// SPDX-License-Identifier: Apache-2.0
#include "store/log/log_format.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"

namespace betr::store {
namespace {

constexpr std::string_view kMagic = "betrLOG1";
constexpr Bytes kMaxPayload = GiB(1);

uint64_t HeaderChecksum(std::string_view bytes) {
  return Checksum(bytes.substr(sizeof(uint64_t), FrameHeader::kSize - sizeof(uint64_t)));
}

// How many of `blocks` blocks from `sequence` on lie before the end of the area.
uint64_t BlocksBeforeWrap(const LogArea& area, uint64_t sequence, uint64_t blocks) {
  return std::min(blocks, area.Blocks() - sequence % area.Blocks());
}

Bytes OffsetOf(const LogArea& area, uint64_t sequence) { return area.offset + kBlockSize * (sequence % area.Blocks()); }

}  // namespace

uint64_t FrameHeader::Blocks() const { return FrameBlocks(record_bytes); }

uint64_t FrameBlocks(uint64_t record_bytes) {
  return (FrameHeader::kSize + record_bytes + kBlockSize.value - 1) / kBlockSize.value;
}

void StoreFrameHeader(FrameHeader* header, std::span<char> out) {
  Check(out.size() >= FrameHeader::kSize, "there is room for the header of a frame");
  std::string bytes;
  PutFixed64(&bytes, 0);
  bytes += kMagic;
  PutFixed64(&bytes, header->salt);
  PutFixed64(&bytes, header->position.sequence);
  PutFixed64(&bytes, header->position.chain);
  PutFixed64(&bytes, header->opening);
  PutFixed64(&bytes, header->durable);
  PutFixed64(&bytes, header->first_lsn.value);
  PutFixed32(&bytes, header->record_bytes);
  PutFixed32(&bytes, header->record_count);
  PutFixed64(&bytes, header->record_checksum);
  Check(bytes.size() == FrameHeader::kSize, "the header of a frame has its size");
  header->checksum = HeaderChecksum(bytes);
  StoreFixed(bytes.data(), header->checksum);
  std::ranges::copy(bytes, out.begin());
}

std::optional<FrameHeader> LoadFrameHeader(std::string_view bytes) {
  Check(bytes.size() >= FrameHeader::kSize, "there are the bytes of a header");
  Decoder decoder(bytes.substr(0, FrameHeader::kSize));
  FrameHeader header;
  header.checksum = decoder.Fixed64();
  if (decoder.Raw(kMagic.size()) != kMagic || header.checksum != HeaderChecksum(bytes)) return std::nullopt;
  header.salt = decoder.Fixed64();
  header.position.sequence = decoder.Fixed64();
  header.position.chain = decoder.Fixed64();
  header.opening = decoder.Fixed64();
  header.durable = decoder.Fixed64();
  header.first_lsn = Lsn{decoder.Fixed64()};
  header.record_bytes = decoder.Fixed32();
  header.record_count = decoder.Fixed32();
  header.record_checksum = decoder.Fixed64();
  return header;
}

void AppendRecord(Lsn lsn, std::string_view payload, std::string* out) {
  Check(payload.size() <= kMaxPayload.value, "a record has at most 1 GiB");
  PutFixed32(out, static_cast<uint32_t>(payload.size()));
  PutFixed64(out, lsn.value);
  out->append(payload);
}

absl::StatusOr<LogRecord> TakeRecord(std::string_view* records) {
  Decoder decoder(*records);
  const uint32_t size = decoder.Fixed32();
  LogRecord record;
  record.lsn = Lsn{decoder.Fixed64()};
  record.payload = decoder.Raw(size);
  BETR_RETURN_IF_ERROR(decoder.status("log record"));
  records->remove_prefix(decoder.position());
  return record;
}

absl::Status ReadLogBlocks(BlockDevice& device, const LogArea& area, uint64_t sequence, std::span<char> out) {
  const uint64_t blocks = out.size() / kBlockSize.value;
  Check(blocks <= area.Blocks(), "no block of the log is read twice");
  const size_t first = (kBlockSize * BlocksBeforeWrap(area, sequence, blocks)).value;
  BETR_RETURN_IF_ERROR(device.Read(OffsetOf(area, sequence), out.first(first)));
  return first == out.size() ? absl::OkStatus() : device.Read(area.offset, out.subspan(first));
}

absl::Status WriteLogBlocks(BlockDevice& device, const LogArea& area, uint64_t sequence, std::string_view data) {
  const uint64_t blocks = data.size() / kBlockSize.value;
  Check(blocks <= area.Blocks(), "no block of the log is written twice");
  const size_t first = (kBlockSize * BlocksBeforeWrap(area, sequence, blocks)).value;
  BETR_RETURN_IF_ERROR(device.Write(OffsetOf(area, sequence), data.substr(0, first)));
  return first == data.size() ? absl::OkStatus() : device.Write(area.offset, data.substr(first));
}

Bytes MaxLogPayload(const LogArea& area) { return std::min(area.size / 4, kMaxPayload); }

uint64_t MaxFrameBlocks(const LogArea& area) {
  const uint64_t one_record = FrameBlocks(LogRecord::kHeaderSize + MaxLogPayload(area).value);
  return std::min(area.Blocks(), std::max(one_record, kFrameTarget / kBlockSize));
}

absl::Status CheckLogArea(const BlockDevice& device, const LogArea& area) {
  const auto error = [&area](std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrFormat("log area of %u bytes at %u: %s", area.size.value, area.offset.value, why));
  };
  if (area.offset.value % kBlockSize.value != 0 || area.size.value % kBlockSize.value != 0) {
    return error("not whole blocks");
  }
  if (area.size < LogArea::kMinSize) return error("smaller than 64 KiB");
  if (area.offset > device.Size() || area.size > device.Size() - area.offset) return error("not on the device");
  return absl::OkStatus();
}

}  // namespace betr::store
