// SPDX-License-Identifier: Apache-2.0
// System calls that transfer less than they were asked for, or are interrupted, make no difference.
#include "support/device/short_io.h"

#include <catch2/catch.hpp>

#include "device/file_device.h"
#include "support/device/device_model.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"

namespace betr {

TEST_CASE("short and interrupted transfers are gone on with", "[device]") {
  const TempDir dir;
  Random random(TestSeed());
  std::string model(KiB(256).value, '\0');
  const auto device = FileDevice::Create(dir.File("image"), KiB(256)).value();
  const ShortIo short_io(TestSeed());
  CompareWithModel(*device, &model, random, 500);
  CHECK(short_io.Short() > 100);
  CHECK(short_io.Interrupted() > 100);
}

}  // namespace betr
