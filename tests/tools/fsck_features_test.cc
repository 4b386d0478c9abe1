// SPDX-License-Identifier: Apache-2.0
// fsck.betr on an image with features that only allow to read it: it looks, and writes nothing.
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "device/file_device.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "support/must.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using Holder = store::UsedExtent::Holder;
using test::Must;

void AddFeature(const std::string& path) {
  const auto device = Must(FileDevice::Open(path, FileDevice::Access::kReadWrite));
  layout::Superblock newest = Must(layout::ReadNewest(*device)).superblock;
  newest.features.read_only_compatible = 0x50;
  Must(layout::WriteCopy(*device, newest));
  for (int slot = 0; slot < 2; ++slot) {
    Must(layout::WriteSuperblock(*device, newest));
    newest.generation = Generation{newest.generation.value - 1};
  }
}

TEST_CASE("fsck writes nothing to an image with features that it does not know") {
  const SampleImage image;
  AddFeature(image.path());
  int found = 4;
  SECTION("a slot") { image.Flip(layout::kSlotOffset[0] + Bytes{300}); }
  SECTION("both slots") {
    for (const Bytes slot : layout::kSlotOffset) image.Flip(slot + Bytes{300});
  }
  SECTION("the catalog") { image.FlipExtent(Holder::kCatalog, 0); }
  SECTION("a node") { image.FlipExtent(Holder::kNode, 7); }
  SECTION("nothing") { found = 0; }
  const std::string before = image.Content();
  ToolRun run;
  CHECK_FSCK(found, run, "-n", image.path());
  for (const auto& [option, with] : {std::pair{"-p", "-f"}, {"-y", "-f"}, {"-y", "--dry-run"}}) {
    const int exit = run.Run(Fsck, {option, with, image.path()});
    INFO(option << " " << with << ": " << run.out << run.err);
    CHECK((exit & ~(kFsckUncorrected | kFsckOperational)) == 0);
    CHECK((exit == 0) == (found == 0));
    CHECK_FALSE(Says(run, "repaired:"));
    CHECK_FALSE(Says(run, "lost:"));
  }
  CHECK((found == 0 || Says(run, "0x50")));
  CHECK((image.Content() == before));
}

}  // namespace
}  // namespace betr::tools
