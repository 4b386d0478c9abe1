// SPDX-License-Identifier: Apache-2.0
// Compresses one piece of bytes (a basement, a partition, a page), and decompresses it. The result carries no header:
// its format records which compression was used, the stored size and the raw size. The format also checks its checksum
// before the bytes come here. Even so, wrong bytes only cause an error.
//
// All functions may be called from any thread. Zstandard's work areas are kept per thread and reused; they live
// until the thread ends (under 1 MiB for levels up to 3, below 6 MiB for the highest).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace betr {

// How stored bytes are compressed. The values are part of the disk format.
enum class Compression : uint8_t { kNone = 0, kLz4 = 1, kZstd = 2 };

// How to compress. The level matters to the writer only.
struct Codec {
  Compression kind = Compression::kNone;
  int level = 0;  // lz4: 1 (fast) to 12; zstd: 1 to 22; none: 0

  friend bool operator==(const Codec&, const Codec&) = default;
};

// The largest piece that Compress and Decompress take.
inline constexpr Bytes kMaxRawSize = MiB(256);

// The kind with its usual level: lz4 1, zstd 3.
Codec DefaultCodec(Compression kind);

// Whether the kind is known and the level is one that it has.
bool IsCodec(const Codec& codec);

// "none", "lz4", "lz4:9", "zstd", "zstd:19". kInvalidArgument names what is wrong.
absl::StatusOr<Codec> ParseCodec(std::string_view text);

// The inverse of ParseCodec. The usual level is left out.
std::string FormatCodec(const Codec& codec);

// The name of a kind: "none", "lz4", "zstd". "unknown" for a value outside the enum.
std::string_view CompressionName(Compression kind);

// The kind for a byte read from disk. Errors: kUnimplemented for one that this build does not know.
absl::StatusOr<Compression> CompressionFromByte(uint8_t byte);

// Appends `raw` to `*stored`: compressed if that saves at least a sixteenth, otherwise as it is. Returns how it was
// stored: codec.kind or kNone. Requires: raw.size() <= kMaxRawSize.
Compression Compress(const Codec& codec, std::string_view raw, std::string* stored);

// Returns the `raw_size` bytes that Compress was given. Never writes or allocates more than raw_size, whatever the
// bytes say. What is not compressed is not copied. Errors: kDataLoss if the stored bytes do not give exactly raw_size
// bytes, or if raw_size is above kMaxRawSize.
absl::StatusOr<std::string> Decompress(Compression kind, std::string stored, Bytes raw_size);

// The same into memory of the caller, who knows the raw size. Fills `raw` or fails.
absl::Status DecompressInto(Compression kind, std::string_view stored, std::span<char> raw);

}  // namespace betr
