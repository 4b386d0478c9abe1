// SPDX-License-Identifier: Apache-2.0
// A device that fails when told to, for tests. To find every untested error path: for n = 1, 2, ... arm a fault on the
// n-th operation, run, and stop when the fault no longer fires.
#pragma once

#include <cstdint>
#include <optional>

#include "base/mutex.h"
#include "base/random.h"
#include "device/forwarding_device.h"

namespace betr {

struct Fault {
  // What is counted and hit.
  enum class On { kRead, kWrite, kFlush, kAny };
  enum class Repeat { kOnce, kFromThenOn };
  enum class Effect {
    // Reported; nothing was done.
    kIoError,  // kUnavailable
    kNoSpace,  // the same, and says that there is no space
    // Reported as an I/O error; the first half was done: of a write its blocks, of a read its bytes. Flushes: as
    // kIoError.
    kHalfDone,
    // Not reported.
    kLost,         // a write or flush is not done; a read leaves zeros
    kZeros,        // a read or write moves zeros instead of the bytes; a flush is not touched
    kFlippedBit,   // a read or write moves one wrong bit; a flush is not touched
    kMisdirected,  // a read or write goes to the next block (the one before, at the end); a flush is not touched
    kShort,        // kHalfDone, but ok: somebody took a short count for all. The rest of a read's buffer is as it was
  };

  On on = On::kAny;
  uint64_t nth = 1;  // counted from 1 when the fault is armed
  Repeat repeat = Repeat::kOnce;
  Effect effect = Effect::kIoError;
  // Reads and writes that touch these bytes are neither counted nor hit.
  Bytes spared_from{0};
  Bytes spared_to{0};
};

// Threads: any. With several, it is a matter of chance which operation is the n-th.
class FaultDevice final : public ForwardingDevice {
 public:
  // The seed decides which bits flip.
  explicit FaultDevice(BlockDevice& inner, uint64_t seed = 0) : ForwardingDevice(inner), random_(seed) {}

  // Replaces the fault, if any, and begins to count anew. Requires: fault.nth > 0.
  void Arm(const Fault& fault);
  // From now on nothing fails.
  void Disarm();
  // From now on every operation except a readahead fails with kUnavailable and does not reach the inner device, until
  // Disarm.
  void CutPower();

  // How many operations the armed fault has hit, and how many of its kind there were, since it was armed.
  uint64_t Hits() const;
  uint64_t Operations() const;

  absl::Status Read(Bytes offset, std::span<char> out) override;
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  absl::Status Discard(Bytes offset, Bytes length) override;

 private:
  // The effect on the operation that begins now, if any.
  std::optional<Fault::Effect> Strike(Fault::On kind, Bytes offset = Bytes{0}, Bytes length = Bytes{0});
  absl::Status Report(Fault::Effect effect, std::string_view operation, Bytes offset, Bytes length) const;
  absl::Status DamagedRead(Fault::Effect effect, Bytes offset, std::span<char> out);
  absl::Status DamagedWrite(Fault::Effect effect, Bytes offset, std::string_view data);
  Bytes Neighbour(Bytes offset, Bytes length) const;
  void FlipBit(std::span<char> bytes);

  mutable Mutex mutex_;
  Random random_ ABSL_GUARDED_BY(mutex_);
  std::optional<Fault> fault_ ABSL_GUARDED_BY(mutex_);
  uint64_t operations_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t hits_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace betr
