// SPDX-License-Identifier: Apache-2.0
#include "device/noting_device.h"

#include <catch2/catch.hpp>
#include <string>

#include "device/fault_device.h"
#include "device/memory_device.h"

namespace betr {

TEST_CASE("the first read that fails is remembered", "[device]") {
  MemoryDevice memory(KiB(64));
  FaultDevice faulty(memory);
  NotingDevice device(faulty);
  std::string block(kBlockSize.value, '\0');
  CHECK(device.Read(Bytes{0}, block).ok());
  CHECK(absl::IsOutOfRange(device.Read(KiB(64), block)));  // the caller's mistake
  faulty.Arm({.on = Fault::On::kWrite});
  CHECK_FALSE(device.Write(Bytes{0}, block).ok());
  CHECK(device.ReadError().ok());
  faulty.Arm({.on = Fault::On::kRead, .nth = 2, .repeat = Fault::Repeat::kFromThenOn});
  CHECK(device.Read(Bytes{0}, block).ok());
  const absl::Status first = device.Read(KiB(4), block);
  CHECK(absl::IsUnavailable(first));
  CHECK_FALSE(device.Read(KiB(8), block).ok());
  faulty.Disarm();
  CHECK(device.Read(KiB(4), block).ok());
  CHECK(device.ReadError() == first);
}

}  // namespace betr
