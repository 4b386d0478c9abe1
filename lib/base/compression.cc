// SPDX-License-Identifier: Apache-2.0
#include "base/compression.h"

#include <absl/strings/str_format.h>
#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <cstring>
#include <memory>

#include "base/check.h"
#include "base/status.h"
#include "base/uninitialized.h"

namespace betr {
namespace {

// LZ4 levels below this one are its fast mode.
constexpr int kFirstLz4HcLevel = 3;

// How far zstd looks back, as a power of two. Basements are usually smaller. With larger blocks this keeps a thread's
// context below 6 MiB, which would otherwise be 65 MiB at the highest level.
constexpr int kZstdWindowLog = 18;

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* ThreadCompressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  Check(context != nullptr, "there is memory for a zstd context");
  return context.get();
}

ZSTD_DCtx* ThreadDecompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  Check(context != nullptr, "there is memory for a zstd context");
  return context.get();
}

size_t CompressLz4(int level, std::string_view raw, std::span<char> out) {
  const int raw_size = static_cast<int>(raw.size());
  const int room = static_cast<int>(out.size());
  const int size = level < kFirstLz4HcLevel ? LZ4_compress_default(raw.data(), out.data(), raw_size, room)
                                            : LZ4_compress_HC(raw.data(), out.data(), raw_size, room, level);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

size_t CompressZstd(int level, std::string_view raw, std::span<char> out) {
  ZSTD_CCtx* const context = ThreadCompressor();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, kZstdWindowLog);
  const size_t size = ZSTD_compress2(context, out.data(), out.size(), raw.data(), raw.size());
  return ZSTD_isError(size) ? 0 : size;
}

// The compressed size, or 0 when it does not fit `out`.
size_t CompressInto(const Codec& codec, std::string_view raw, std::span<char> out) {
  switch (codec.kind) {
    case Compression::kNone:
      return 0;
    case Compression::kLz4:
      return CompressLz4(codec.level, raw, out);
    case Compression::kZstd:
      return CompressZstd(codec.level, raw, out);
  }
  return 0;
}

absl::Status DecompressLz4(std::string_view stored, std::span<char> raw) {
  if (stored.size() > LZ4_MAX_INPUT_SIZE) return absl::DataLossError("lz4: the stored bytes are too many");
  const int size =
      LZ4_decompress_safe(stored.data(), raw.data(), static_cast<int>(stored.size()), static_cast<int>(raw.size()));
  if (size >= 0 && static_cast<size_t>(size) == raw.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("lz4: %u stored bytes do not decompress to %u", stored.size(), raw.size()));
}

absl::Status DecompressZstd(std::string_view stored, std::span<char> raw) {
  const size_t size = ZSTD_decompressDCtx(ThreadDecompressor(), raw.data(), raw.size(), stored.data(), stored.size());
  if (size == raw.size()) return absl::OkStatus();
  const char* why = ZSTD_isError(size) ? ZSTD_getErrorName(size) : "they are fewer";
  return absl::DataLossError(
      absl::StrFormat("zstd: %u stored bytes do not decompress to %u: %s", stored.size(), raw.size(), why));
}

absl::Status CopyRaw(std::string_view stored, std::span<char> raw) {
  if (stored.size() != raw.size()) {
    return absl::DataLossError(absl::StrFormat("%u stored bytes, %u raw ones expected", stored.size(), raw.size()));
  }
  if (!raw.empty()) std::memcpy(raw.data(), stored.data(), raw.size());
  return absl::OkStatus();
}

}  // namespace

Compression Compress(const Codec& codec, std::string_view raw, std::string* stored) {
  Check(raw.size() <= kMaxRawSize.value, "a piece to compress is within kMaxRawSize");
  const size_t start = stored->size();
  if (codec.kind != Compression::kNone) {
    // With this little room the codec gives up early on bytes that are not worth it.
    const size_t room = raw.size() - (raw.size() + 15) / 16;
    ResizeUninitialized(stored, start + room);
    const size_t size = room == 0 ? 0 : CompressInto(codec, raw, std::span(*stored).subspan(start));
    stored->resize(start + size);
    if (size != 0) return codec.kind;
  }
  stored->append(raw);
  return Compression::kNone;
}

absl::StatusOr<std::string> Decompress(Compression kind, std::string stored, Bytes raw_size) {
  if (raw_size > kMaxRawSize) {
    return absl::DataLossError(absl::StrFormat("raw size %u is above the limit %u", raw_size.value, kMaxRawSize.value));
  }
  if (kind == Compression::kNone && stored.size() == raw_size.value) return stored;
  std::string raw = UninitializedString(raw_size.value);
  BETR_RETURN_IF_ERROR(DecompressInto(kind, stored, raw));
  return raw;
}

absl::Status DecompressInto(Compression kind, std::string_view stored, std::span<char> raw) {
  if (raw.size() > kMaxRawSize.value) return absl::DataLossError("the raw size is above the limit");
  switch (kind) {
    case Compression::kNone:
      return CopyRaw(stored, raw);
    case Compression::kLz4:
      return DecompressLz4(stored, raw);
    case Compression::kZstd:
      return DecompressZstd(stored, raw);
  }
  return absl::DataLossError(absl::StrFormat("unknown compression %d", static_cast<int>(kind)));
}

}  // namespace betr
