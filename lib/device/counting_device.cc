// SPDX-License-Identifier: Apache-2.0
#include "device/counting_device.h"

#include <utility>

namespace betr {

IoStats operator-(const IoStats& later, const IoStats& earlier) {
  return {.reads = later.reads - earlier.reads,
          .writes = later.writes - earlier.writes,
          .flushes = later.flushes - earlier.flushes,
          .discards = later.discards - earlier.discards,
          .read_bytes = later.read_bytes - earlier.read_bytes,
          .written_bytes = later.written_bytes - earlier.written_bytes,
          .discarded_bytes = later.discarded_bytes - earlier.discarded_bytes,
          .read_seeks = later.read_seeks - earlier.read_seeks,
          .write_seeks = later.write_seeks - earlier.write_seeks};
}

bool CountingDevice::Seek(Bytes offset, Bytes length) { return std::exchange(head_, offset + length) != offset; }

absl::Status CountingDevice::Read(Bytes offset, std::span<char> out) {
  {
    const MutexLock lock(mutex_);
    ++stats_.reads;
    stats_.read_bytes += Bytes{out.size()};
    if (Seek(offset, Bytes{out.size()})) ++stats_.read_seeks;
  }
  return inner().Read(offset, out);
}

absl::Status CountingDevice::Write(Bytes offset, std::string_view data) {
  {
    const MutexLock lock(mutex_);
    ++stats_.writes;
    stats_.written_bytes += Bytes{data.size()};
    if (Seek(offset, Bytes{data.size()})) ++stats_.write_seeks;
  }
  return inner().Write(offset, data);
}

absl::Status CountingDevice::Flush() {
  {
    const MutexLock lock(mutex_);
    ++stats_.flushes;
  }
  return inner().Flush();
}

absl::Status CountingDevice::Discard(Bytes offset, Bytes length) {
  {
    const MutexLock lock(mutex_);
    ++stats_.discards;
    stats_.discarded_bytes += length;
  }
  return inner().Discard(offset, length);
}

IoStats CountingDevice::Stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace betr
