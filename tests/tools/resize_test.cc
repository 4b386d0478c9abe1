// SPDX-License-Identifier: Apache-2.0
// resize.betr: sizes as people write them, what it says, what it refuses.
#include "resize.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "betr/store.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/tools/run_fsck.h"
#include "support/tools/run_tool.h"

namespace betr::tools {
namespace {

struct ResizeTest {
  ResizeTest() {
    FormatOptions format;
    format.node_size = KiB(64);
    format.log_size = MiB(1);
    test::Must(Store::CreateImage(image, MiB(8), format));
  }

  int Run(const std::vector<std::string>& arguments) { return run.Run(ResizeMain, arguments); }
  uint64_t FileSize() const { return std::filesystem::file_size(image); }

  TempDir dir;
  std::string image = dir.File("disk.img");
  ToolRun run;
};

TEST_CASE("resize.betr takes a size, or so much more") {
  ResizeTest test;
  CHECK(test.Run({test.image, "12M"}) == 0);
  CHECK(test.run.out == test.image + ": 12 MiB instead of 8 MiB\n");
  CHECK(test.FileSize() == MiB(12).value);
  CHECK(test.Run({test.image, "+4M"}) == 0);
  CHECK(test.run.out == test.image + ": 16 MiB instead of 12 MiB\n");
  CHECK(test.FileSize() == MiB(16).value);
  CHECK(test.Run({test.image, "16M"}) == 0);
  CHECK(test.run.out == test.image + ": has 16 MiB already\n");
  ToolRun fsck;
  CHECK_FSCK(0, fsck, "-f", test.image);
}

TEST_CASE("resize.betr tells sizes that look alike in bytes") {
  ResizeTest test;
  CHECK(test.Run({test.image, "+4K"}) == 0);
  CHECK(test.run.out == test.image + ": 8392704 bytes instead of 8388608\n");
}

TEST_CASE("resize.betr prints letters of an image's name as they are") {
  ResizeTest test;
  const std::string image = test.dir.File("b\u00fccher.img");
  std::filesystem::rename(test.image, image);
  CHECK(test.Run({image, "12M"}) == 0);
  CHECK(test.run.out == image + ": 12 MiB instead of 8 MiB\n");
}

TEST_CASE("resize.betr without a size takes that of the file") {
  ResizeTest test;
  std::filesystem::resize_file(test.image, MiB(20).value + 5000);
  CHECK(test.Run({test.image}) == 0);
  CHECK(test.run.out == test.image + ": 20 MiB instead of 8 MiB\n");
  CHECK(test.FileSize() == MiB(20).value + 5000);
}

TEST_CASE("resize.betr only says what it would do, and prints JSON") {
  ResizeTest test;
  CHECK(test.Run({"-n", "--json", test.image, "12M"}) == 0);
  const auto json = nlohmann::json::parse(test.run.out);
  CHECK(json["schema"] == "betr.resize");
  CHECK(json["image"] == test.image);
  CHECK(json["size_before"] == MiB(8).value);
  CHECK(json["size"] == MiB(12).value);
  CHECK(test.FileSize() == MiB(8).value);
  CHECK(test.Run({"-q", test.image, "12M"}) == 0);
  CHECK(test.run.out.empty());
  CHECK(test.FileSize() == MiB(12).value);
}

TEST_CASE("resize.betr refuses what cannot be, and changes nothing") {
  ResizeTest test;
  const auto refuses = [&](int exit, const std::vector<std::string>& arguments, const std::string& says) {
    CHECK(test.Run(arguments) == exit);
    INFO(test.run.err);
    CHECK(test.run.err.find(says) != std::string::npos);
    CHECK(test.FileSize() == MiB(8).value);
  };
  refuses(3, {test.image, "4M"}, "cannot become smaller");
  refuses(2, {test.image, "12MB"}, "12MB");
  refuses(2, {test.image, "+"}, "resize.betr");
  refuses(2, {test.image, "10"}, "10: less than 4 KiB");
  refuses(2, {test.image, "+18446744073709551615"}, "too large");
  refuses(3, {test.image, "2E"}, "at most 1 EiB");
  refuses(2, {}, "IMAGE is required");
  refuses(1, {test.dir.File("missing")}, "No such file");
  const std::string other = test.dir.File("other");
  { std::ofstream(other) << std::string(MiB(1).value, 'x'); }
  refuses(4, {other, "12M"}, "other");
  {
    const auto store = test::Must(Store::OpenImage(test.image, {}));
    refuses(3, {test.image, "12M"}, "in use");
  }
  std::filesystem::resize_file(test.image, MiB(6).value);
  CHECK(test.Run({test.image}) == 4);
}

}  // namespace
}  // namespace betr::tools
