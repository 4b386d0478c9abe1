// SPDX-License-Identifier: Apache-2.0
// A log of a few frames, damaged under good checksums, opened and cut.
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "device/memory_device.h"
#include "fuzz/fuzz.h"
#include "store/log/log.h"
#include "store/offline/log_cut.h"

namespace betr::store {
namespace {

constexpr LogArea kArea{Bytes{0}, LogArea::kMinSize};
constexpr uint64_t kSalt = 0x5a17;

std::string RandomLog(Random& random) {
  MemoryDevice device(kArea.size);
  const auto log = Log::Open(device, kArea, kSalt, {}, [](Lsn, std::string_view) { return absl::OkStatus(); });
  for (uint64_t n = 1 + random.Uniform(6); n > 0; --n) {
    for (uint64_t records = random.Uniform(3); records > 0; --records) {
      Check((*log)->Append((*log)->LastLsn().Next(), random.String(random.Uniform(3000))).ok(), "there is room");
    }
    Check((*log)->Sync().ok(), "memory does not fail");
  }
  std::string bytes(kArea.size.value, '\0');
  Check(device.Read(Bytes{0}, bytes).ok(), "memory does not fail");
  return bytes;
}

// Puts the right checksums into every block that looks like the header of a frame.
void MakeGood(std::string* bytes) {
  constexpr size_t kRecordBytesAt = 64;
  constexpr size_t kRecordChecksumAt = 72;
  for (size_t at = 0; at < bytes->size(); at += kBlockSize.value) {
    char* const header = bytes->data() + at;
    if (std::string_view(header + 8, 7) != "betrLOG") continue;
    const size_t blocks = FrameBlocks(LoadFixed<uint32_t>(header + kRecordBytesAt));
    const size_t size = std::min<size_t>(blocks * kBlockSize.value, bytes->size() - at);
    StoreFixed(header + kRecordChecksumAt, Checksum(std::string_view(header, size).substr(FrameHeader::kSize)));
    StoreFixed(header, Checksum(std::string_view(header, FrameHeader::kSize).substr(8)));
  }
}

absl::Status OpenIt(BlockDevice& device, Lsn* last) {
  const auto visit = [&](Lsn lsn, std::string_view) {
    Check(lsn == last->Next(), "records come in order, and none is missing");
    *last = lsn;
    return absl::OkStatus();
  };
  return Log::Open(device, kArea, kSalt, {}, visit).status();
}

}  // namespace
}  // namespace betr::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;         // NOLINT(google-build-using-namespace)
  using namespace betr::store;  // NOLINT(google-build-using-namespace)
  layout::FuzzInput input(data, size);
  const bool is_good = input.Number(1) % 4 != 0;
  std::string bytes = layout::FuzzedBytes(input, RandomLog);
  bytes.resize(kArea.size.value, '\0');
  if (is_good) MakeGood(&bytes);
  MemoryDevice device(kArea.size);
  Check(device.Patch(Bytes{0}, bytes).ok(), "the log fits");
  Lsn last;
  const absl::Status opened = OpenIt(device, &last);
  if (!opened.ok()) {
    const auto end = Log::SoundEnd(device, kArea, kSalt, {}, [](Lsn, std::string_view) { return absl::OkStatus(); });
    Check(end.ok() && CutLog(device, kArea, kSalt, {}, *end).ok(), "memory does not fail");
    Lsn again;
    Check(OpenIt(device, &again).ok() && again <= last, "a log that was cut can be read");
  }
  return 0;
}
