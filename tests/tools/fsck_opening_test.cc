// SPDX-License-Identifier: Apache-2.0
// fsck.betr on what it cannot have, or cannot check to the end.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "device/file_device.h"
#include "layout/open_locked.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using nlohmann::json;

int CancelledFsck(Arguments args, ToolIo& io) {
  const std::atomic<bool> is_cancelled = true;
  return FsckMain(args, io, is_cancelled);
}

TEST_CASE("fsck says by its exit code what kept it from checking") {
  const SampleImage image;
  ToolRun run;
  CHECK_FSCK(16, run, "--no-such-option");
  CHECK_FSCK(16, run);
  CHECK_FSCK(16, run, "-n", "-y", image.path());
  CHECK_FSCK(8, run, image.path() + ".none");
  CHECK_FSCK(8, run, "/dev/null");
  CHECK_FSCK(8, run, "--json", image.path() + ".none");
  CHECK(json::parse(run.out)["exit_code"] == 8);
  CHECK(json::parse(run.out)["error"].get<std::string>().starts_with("open: "));
  CHECK(run.Run(CancelledFsck, {image.path()}) == 32);
  const auto holder = layout::OpenLocked(image.path(), FileDevice::Access::kReadWrite);
  REQUIRE(holder.ok());
  CHECK_FSCK(8, run, image.path());
  CHECK_FSCK(8, run, "-y", image.path());
}

TEST_CASE("fsck looks at an image beside others that read it, and repairs none that somebody reads") {
  const SampleImage image;
  const auto reader = test::Must(layout::OpenLocked(image.path(), FileDevice::Access::kReadOnly));
  ToolRun run;
  CHECK_FSCK(0, run, "-n", image.path());
  CHECK_FSCK(0, run, "-y", "--dry-run", image.path());
  for (const char* mode : {"-p", "-y"}) {
    CHECK_FSCK(8, run, mode, image.path());
    CHECK(Says(run, "open: " + image.path() + ": in use for reading by others"));
  }
}

TEST_CASE("fsck does not call clean what it could not look at") {
  const TempDir directory;
  const std::string path = directory.File("image");
  for (const Bytes size : {Bytes{0}, Bytes{100}, Bytes{9000}, MiB(1)}) {
    std::ofstream(path) << std::string(size.value, 'n');
    for (const char* mode : {"-n", "-p", "-y", "--data"}) {
      ToolRun run;
      CHECK_FSCK(8, run, mode, path);
      CHECK(!Says(run, "clean"));
      CHECK(Says(run, path + (size < layout::kLogOffset ? ": too small for a betr image" : ": not a betr image")));
    }
  }
}

}  // namespace
}  // namespace betr::tools
