// SPDX-License-Identifier: Apache-2.0
#include "device/fault_device.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/check.h"
#include "base/status.h"
#include "device/device_error.h"

namespace betr {

void FaultDevice::Arm(const Fault& fault) {
  Check(fault.nth > 0, "operations are counted from 1");
  const MutexLock lock(mutex_);
  fault_ = fault;
  operations_ = 0;
  hits_ = 0;
}

void FaultDevice::Disarm() {
  const MutexLock lock(mutex_);
  fault_.reset();
}

void FaultDevice::CutPower() { Arm({.repeat = Fault::Repeat::kFromThenOn}); }

uint64_t FaultDevice::Hits() const {
  const MutexLock lock(mutex_);
  return hits_;
}

uint64_t FaultDevice::Operations() const {
  const MutexLock lock(mutex_);
  return operations_;
}

std::optional<Fault::Effect> FaultDevice::Strike(Fault::On kind, Bytes offset, Bytes length) {
  const MutexLock lock(mutex_);
  if (!fault_ || (fault_->on != kind && fault_->on != Fault::On::kAny)) return std::nullopt;
  if (offset < fault_->spared_to && offset + length > fault_->spared_from) return std::nullopt;
  ++operations_;
  const bool is_hit = fault_->repeat == Fault::Repeat::kOnce ? operations_ == fault_->nth : operations_ >= fault_->nth;
  if (!is_hit) return std::nullopt;
  ++hits_;
  return fault_->effect;
}

absl::Status FaultDevice::Report(Fault::Effect effect, std::string_view operation, Bytes offset, Bytes length) const {
  return TransferError(Name(), operation, offset, length, effect == Fault::Effect::kNoSpace ? ENOSPC : EIO);
}

absl::Status FaultDevice::Read(Bytes offset, std::span<char> out) {
  const std::optional<Fault::Effect> effect = Strike(Fault::On::kRead, offset, Bytes{out.size()});
  return effect ? DamagedRead(*effect, offset, out) : inner().Read(offset, out);
}

absl::Status FaultDevice::Write(Bytes offset, std::string_view data) {
  const std::optional<Fault::Effect> effect = Strike(Fault::On::kWrite, offset, Bytes{data.size()});
  return effect ? DamagedWrite(*effect, offset, data) : inner().Write(offset, data);
}

absl::Status FaultDevice::Flush() {
  const std::optional<Fault::Effect> effect = Strike(Fault::On::kFlush);
  if (!effect) return inner().Flush();
  switch (*effect) {
    case Fault::Effect::kIoError:
    case Fault::Effect::kNoSpace:
    case Fault::Effect::kHalfDone:
      return DeviceError(Name(), "flush", *effect == Fault::Effect::kNoSpace ? ENOSPC : EIO);
    case Fault::Effect::kLost:
      return absl::OkStatus();
    default:
      return inner().Flush();
  }
}

absl::Status FaultDevice::Discard(Bytes offset, Bytes length) {
  // Counts as an operation of kAny only. Whatever effect hits it, it fails and is not done.
  const std::optional<Fault::Effect> effect = Strike(Fault::On::kAny);
  return effect ? Report(*effect, "discard", offset, length) : inner().Discard(offset, length);
}

absl::Status FaultDevice::DamagedRead(Fault::Effect effect, Bytes offset, std::span<char> out) {
  const Bytes length{out.size()};
  switch (effect) {
    case Fault::Effect::kIoError:
    case Fault::Effect::kNoSpace:
      return Report(effect, "read", offset, length);
    case Fault::Effect::kHalfDone:
    case Fault::Effect::kShort:
      BETR_RETURN_IF_ERROR(inner().Read(offset, out.first(out.size() / 2)));
      return effect == Fault::Effect::kShort ? absl::OkStatus() : Report(effect, "read", offset, length);
    case Fault::Effect::kLost:
    case Fault::Effect::kZeros:
      std::ranges::fill(out, '\0');
      return absl::OkStatus();
    case Fault::Effect::kMisdirected:
      return inner().Read(Neighbour(offset, length), out);
    case Fault::Effect::kFlippedBit:
      BETR_RETURN_IF_ERROR(inner().Read(offset, out));
      FlipBit(out);
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status FaultDevice::DamagedWrite(Fault::Effect effect, Bytes offset, std::string_view data) {
  const Bytes length{data.size()};
  std::string damaged(data);
  switch (effect) {
    case Fault::Effect::kIoError:
    case Fault::Effect::kNoSpace:
      return Report(effect, "write", offset, length);
    case Fault::Effect::kHalfDone:
    case Fault::Effect::kShort:
      BETR_RETURN_IF_ERROR(inner().Write(offset, data.substr(0, (kBlockSize * (length / kBlockSize / 2)).value)));
      return effect == Fault::Effect::kShort ? absl::OkStatus() : Report(effect, "write", offset, length);
    case Fault::Effect::kLost:
      return absl::OkStatus();
    case Fault::Effect::kZeros:
      std::ranges::fill(damaged, '\0');
      return inner().Write(offset, damaged);
    case Fault::Effect::kMisdirected:
      return inner().Write(Neighbour(offset, length), data);
    case Fault::Effect::kFlippedBit:
      FlipBit(damaged);
      return inner().Write(offset, damaged);
  }
  return absl::OkStatus();
}

Bytes FaultDevice::Neighbour(Bytes offset, Bytes length) const {
  if (offset + length + kBlockSize <= Size()) return offset + kBlockSize;
  return offset >= kBlockSize ? offset - kBlockSize : offset;
}

void FaultDevice::FlipBit(std::span<char> bytes) {
  if (bytes.empty()) return;
  const MutexLock lock(mutex_);
  char& byte = random_.Pick(bytes);
  byte = static_cast<char>(byte ^ (1 << random_.Uniform(8)));
}

}  // namespace betr
