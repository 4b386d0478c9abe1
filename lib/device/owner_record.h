// SPDX-License-Identifier: Apache-2.0
// Says who has an image open for writing. It is a note for people in the image itself, so that a refused lock can say
// who holds it, also across containers and hosts. The lock decides, not the note: one that a crash left behind, or a
// damaged one, means nothing. Where it is kept is the business of the layout.
//
// On disk, 512 bytes (one sector, so that it is never torn):
//   offset 0    8  magic "betrOWN1"
//          8    8  process id
//         16    8  since, nanoseconds since 1970 UTC (signed)
//         24  ...  program, then host name: each a varint length (at most 200) and bytes
//              ...  zeros
//        504    8  checksum of bytes 0 to 503
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/units.h"

namespace betr {

struct OwnerRecord {
  uint64_t pid = 0;
  std::chrono::nanoseconds since{0};  // since 1970 UTC
  std::string program;                // cut to kMaxTextSize when encoded
  std::string host;                   // the same

  static constexpr size_t kSize = 512;
  static constexpr size_t kMaxTextSize = 200;

  friend bool operator==(const OwnerRecord&, const OwnerRecord&) = default;
};

// The record for this process, now. `program`: "mount.betr", ...
OwnerRecord ThisProcess(std::string_view program, Clock& clock);

// Exactly kSize bytes.
std::string EncodeOwner(const OwnerRecord& owner);

// kNotFound when all bytes are zero (no owner), kDataLoss for anything else that is no record.
// Requires: bytes.size() == kSize.
absl::StatusOr<OwnerRecord> DecodeOwner(std::string_view bytes);

// "pid 123 (mkfs.betr) on host since 2026-10-01T10:00:00Z", printable whatever the record holds.
std::string FormatOwner(const OwnerRecord& owner);

}  // namespace betr
