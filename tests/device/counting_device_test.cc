// SPDX-License-Identifier: Apache-2.0
// Counts of operations, bytes and seeks.
#include "device/counting_device.h"

#include <catch2/catch.hpp>

#include "device/memory_device.h"

namespace betr {
namespace {

std::string Blocks(uint64_t count) { return std::string((kBlockSize * count).value, 'b'); }

TEST_CASE("operations, bytes and seeks are counted", "[device]") {
  MemoryDevice memory(MiB(1));
  CountingDevice device(memory);
  std::string out(100, '\0');
  REQUIRE(device.Write(Bytes{0}, Blocks(2)).ok());
  REQUIRE(device.Write(KiB(8), Blocks(1)).ok());   // goes on where the last one ended
  REQUIRE(device.Write(KiB(64), Blocks(1)).ok());  // seeks
  REQUIRE(device.Flush().ok());
  REQUIRE(device.Read(KiB(68), out).ok());
  const IoStats middle = device.Stats();
  CHECK(
      middle ==
      IoStats{
          .reads = 1, .writes = 3, .flushes = 1, .read_bytes = Bytes{100}, .written_bytes = KiB(16), .write_seeks = 1});

  REQUIRE(device.Read(Bytes{0}, out).ok());
  REQUIRE(device.Discard(KiB(8), KiB(12)).ok());
  CHECK_FALSE(device.Read(MiB(1), out).ok());
  CHECK(device.Stats() - middle ==
        IoStats{.reads = 2, .discards = 1, .read_bytes = Bytes{200}, .discarded_bytes = KiB(12), .read_seeks = 2});
  CHECK(device.Name() == "memory");
  CHECK(device.Size() == MiB(1));
}

}  // namespace
}  // namespace betr
