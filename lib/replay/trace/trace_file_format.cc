// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_file_format.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"

namespace betr::replay {
namespace {

constexpr size_t kChecksumSize = 8;
constexpr size_t kChecksummedHeader = kTraceHeaderSize - kChecksumSize;
constexpr size_t kReservedInHeader = 4;
constexpr size_t kReservedInBlock = 2;

uint64_t ChecksumOf(uint64_t number, std::string_view block) {
  return SeededChecksum(number + 1, block.substr(kChecksumSize));
}

}  // namespace

std::string EncodeTraceHeader() {
  std::string bytes(kTraceMagic);
  PutFixed32(&bytes, kTraceVersion);
  bytes.append(kReservedInHeader, '\0');
  PutFixed64(&bytes, Checksum(bytes));
  return bytes;
}

absl::Status CheckTraceHeader(std::string_view bytes) {
  Decoder in(bytes);
  const std::string_view magic = in.Raw(kTraceMagic.size());
  const uint32_t version = in.Fixed32();
  if (in.ok() && magic == kTraceMagic && version != kTraceVersion) {
    return absl::UnimplementedError(
        fmt::format("version {} of converted traces; this program reads {}", version, kTraceVersion));
  }
  in.Zeros(kReservedInHeader);
  if (in.Fixed64() != Checksum(bytes.substr(0, kChecksummedHeader))) in.Fail("wrong checksum");
  if (magic != kTraceMagic) in.Fail("wrong magic");
  return in.Finish("header");
}

std::string EncodeBlock(BlockKind kind, uint64_t number, uint32_t items, std::string_view raw) {
  Check(raw.size() <= kLargestBlock.value, "a block is within its limit");
  std::string stored;
  const Compression compression = Compress(DefaultCodec(Compression::kZstd), raw, &stored);
  std::string bytes(kChecksumSize, '\0');
  PutFixed8(&bytes, static_cast<uint8_t>(kind));
  PutFixed8(&bytes, static_cast<uint8_t>(compression));
  bytes.append(kReservedInBlock, '\0');
  PutFixed32(&bytes, static_cast<uint32_t>(stored.size()));
  PutFixed32(&bytes, static_cast<uint32_t>(raw.size()));
  PutFixed32(&bytes, items);
  bytes += stored;
  SealBlock(number, &bytes);
  return bytes;
}

void SealBlock(uint64_t number, std::string* block) { StoreFixed(block->data(), ChecksumOf(number, *block)); }

absl::StatusOr<BlockHeader> DecodeBlockHeader(std::string_view bytes) {
  Decoder in(bytes.substr(0, kBlockHeaderSize));
  BlockHeader header;
  header.checksum = in.Fixed64();
  const uint8_t kind = in.Fixed8();
  const uint8_t compression = in.Fixed8();
  in.Zeros(kReservedInBlock);
  header.stored_size = in.Fixed32();
  header.raw_size = in.Fixed32();
  header.items = in.Fixed32();
  if (kind < static_cast<uint8_t>(BlockKind::kRoot) || kind > static_cast<uint8_t>(BlockKind::kOutcome)) {
    in.Fail("no such kind of block");
  }
  const auto none = static_cast<uint8_t>(Compression::kNone);
  if (compression != none && compression != static_cast<uint8_t>(Compression::kZstd)) in.Fail("no such compression");
  if (header.raw_size > kLargestBlock.value) in.Fail("the raw size is above the limit");
  if (header.items == 0) in.Fail("a block without content");
  if (header.stored_size > header.raw_size) in.Fail("the stored size is above the raw size");
  BETR_RETURN_IF_ERROR(in.Finish("header"));
  header.kind = static_cast<BlockKind>(kind);
  header.compression = static_cast<Compression>(compression);
  return header;
}

absl::StatusOr<std::string> DecodeBlock(const BlockHeader& header, uint64_t number, std::string_view bytes) {
  if (bytes.size() != kBlockHeaderSize + header.stored_size) return absl::DataLossError("the block is cut");
  if (ChecksumOf(number, bytes) != header.checksum) return absl::DataLossError("wrong checksum");
  return Decompress(header.compression, std::string(bytes.substr(kBlockHeaderSize)), Bytes{header.raw_size});
}

}  // namespace betr::replay
