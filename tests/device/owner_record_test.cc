// SPDX-License-Identifier: Apache-2.0
// The note on the owner: round trip, and nothing but an intact note is taken for one.
#include "device/owner_record.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/checksum.h"
#include "base/coding.h"

namespace betr {
namespace {

const OwnerRecord kOwner{77, std::chrono::nanoseconds{1790848800123456789}, "fsck.betr", "cellar"};

TEST_CASE("an owner is read as it was written", "[device]") {
  const std::string bytes = EncodeOwner(kOwner);
  CHECK(bytes.size() == OwnerRecord::kSize);
  CHECK(DecodeOwner(bytes).value() == kOwner);
  CHECK(FormatOwner(kOwner) == "pid 77 (fsck.betr) on cellar since 2026-10-01T10:00:00Z");

  OwnerRecord wordy = kOwner;
  wordy.program = std::string(1000, 'p');
  wordy.host = std::string(1000, 'h');
  CHECK(DecodeOwner(EncodeOwner(wordy)).value().program == std::string(200, 'p'));
  CHECK(DecodeOwner(EncodeOwner(wordy)).value().host == std::string(200, 'h'));
}

TEST_CASE("this process is known by its number", "[device]") {
  ManualClock clock(std::chrono::seconds{5});
  const OwnerRecord owner = ThisProcess("test", clock);
  CHECK(owner.pid == static_cast<uint64_t>(getpid()));
  CHECK(owner.program == "test");
  CHECK(owner.since == std::chrono::seconds{5});
  CHECK_FALSE(owner.host.empty());
}

TEST_CASE("no owner, and damaged owners", "[device]") {
  CHECK(absl::IsNotFound(DecodeOwner(std::string(512, '\0')).status()));
  const std::string bytes = EncodeOwner(kOwner);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    CHECK(absl::IsDataLoss(DecodeOwner(damaged).status()));
  }
}

TEST_CASE("a well-signed lie is still checked", "[device]") {
  std::string bytes = EncodeOwner(kOwner);
  bytes[24] = '\x7f';  // the length of the program name now covers the host and the padding
  bytes[500] = 1;
  StoreFixed<uint64_t>(bytes.data() + 504, Checksum(std::string_view(bytes).substr(0, 504)));
  CHECK(absl::IsDataLoss(DecodeOwner(bytes).status()));
}

}  // namespace
}  // namespace betr
