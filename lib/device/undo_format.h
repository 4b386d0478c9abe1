// SPDX-License-Identifier: Apache-2.0
// The bytes of an undo file, as described in undo_file.h, for its writer and its reader.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/checksum.h"
#include "base/coding.h"
#include "device/block_device.h"

namespace betr::undo {

inline constexpr std::string_view kMagic = "betrUNDO";
inline constexpr uint64_t kVersion = 2;
inline constexpr size_t kSealed = 16;  // the header's checksum covers what follows
inline constexpr size_t kSizeAt = 16;
inline constexpr size_t kVersionAt = 24;

inline constexpr size_t kOffsetAt = 8;  // the record's checksum covers what follows
inline constexpr size_t kIsFullAt = 16;
inline constexpr size_t kSumsAt = 24;
inline constexpr size_t kHeadSize = 88;
inline constexpr size_t kFullSize = kHeadSize + kBlockSize.value;
inline constexpr size_t kAlignment = 8;  // of all records
static_assert(kBlockSize.value % kAlignment == 0 && kHeadSize % kAlignment == 0);

// One for each sector of a block.
using Sums = std::array<uint64_t, kBlockSize.value / kSectorSize.value>;

inline std::string_view Sector(std::string_view block, size_t number) {
  return block.substr(number * kSectorSize.value, kSectorSize.value);
}

inline Sums SumsOf(std::string_view block) {
  Sums sums{};
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = Checksum(Sector(block, i));
  return sums;
}

inline std::string MakeHeader(Bytes device_size) {
  std::string header(kBlockSize.value, '\0');
  header.replace(0, kMagic.size(), kMagic);
  StoreFixed(header.data() + kSizeAt, device_size.value);
  StoreFixed(header.data() + kVersionAt, kVersion);
  StoreFixed(header.data() + kMagic.size(), Checksum(std::string_view(header).substr(kSealed)));
  return header;
}

}  // namespace betr::undo
