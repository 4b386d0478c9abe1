// SPDX-License-Identifier: Apache-2.0
#include "device/owner_record.h"

#include <absl/strings/str_format.h>
#include <unistd.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/decoder.h"
#include "base/escape.h"
#include "base/status.h"

namespace betr {
namespace {

constexpr std::string_view kMagic = "betrOWN1";
constexpr size_t kChecksumOffset = OwnerRecord::kSize - sizeof(uint64_t);

std::string HostName() {
  char name[OwnerRecord::kMaxTextSize + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "(unknown host)";
}

}  // namespace

OwnerRecord ThisProcess(std::string_view program, Clock& clock) {
  return {static_cast<uint64_t>(getpid()), clock.Now(), std::string(program), HostName()};
}

std::string EncodeOwner(const OwnerRecord& owner) {
  std::string bytes(kMagic);
  PutFixed64(&bytes, owner.pid);
  PutFixed64(&bytes, static_cast<uint64_t>(owner.since.count()));
  PutLengthPrefixed(&bytes, std::string_view(owner.program).substr(0, OwnerRecord::kMaxTextSize));
  PutLengthPrefixed(&bytes, std::string_view(owner.host).substr(0, OwnerRecord::kMaxTextSize));
  Check(bytes.size() <= kChecksumOffset, "an owner record fits its sector");
  bytes.resize(kChecksumOffset);
  PutFixed64(&bytes, Checksum(bytes));
  return bytes;
}

absl::StatusOr<OwnerRecord> DecodeOwner(std::string_view bytes) {
  Check(bytes.size() == OwnerRecord::kSize, "an owner record is one sector");
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return absl::NotFoundError("owner record: none");
  if (!bytes.starts_with(kMagic)) return absl::DataLossError("owner record: the magic number is wrong");
  Decoder decoder(bytes.substr(0, kChecksumOffset));
  if (LoadFixed<uint64_t>(bytes.data() + kChecksumOffset) != Checksum(bytes.substr(0, kChecksumOffset))) {
    decoder.Fail("the checksum is wrong");
  }
  decoder.Raw(kMagic.size());
  OwnerRecord owner;
  owner.pid = decoder.Fixed64();
  owner.since = std::chrono::nanoseconds{static_cast<int64_t>(decoder.Fixed64())};
  owner.program = decoder.LengthPrefixed(OwnerRecord::kMaxTextSize);
  owner.host = decoder.LengthPrefixed(OwnerRecord::kMaxTextSize);
  decoder.Zeros(decoder.remaining());
  BETR_RETURN_IF_ERROR(decoder.Finish("owner record"));
  return owner;
}

std::string FormatOwner(const OwnerRecord& owner) {
  return absl::StrFormat("pid %u (%s) on %s since %s", owner.pid, Escape(owner.program), Escape(owner.host),
                         FormatTime(owner.since));
}

}  // namespace betr
