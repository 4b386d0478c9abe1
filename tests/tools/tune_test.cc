// SPDX-License-Identifier: Apache-2.0
// tune.betr: what it says, what it changes, what it refuses; and mkfs.betr --reserve.
#include "tune.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "betr/store.h"
#include "device/file_device.h"
#include "layout/superblock_copy.h"
#include "mkfs.h"
#include "support/device/read_hook.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/tools/run_fsck.h"
#include "support/tools/run_tool.h"

namespace betr::tools {
namespace {

constexpr const char* kUuid = "01234567-89ab-cdef-0123-456789abcdef";
constexpr const char* kOther = "76543210-89ab-cdef-0123-456789abcdef";

std::unique_ptr<Store> OpenToRead(const std::string& image) {
  StoreOptions options;
  options.read_only = true;
  return test::Must(Store::OpenImage(image, options));
}

struct TuneTest {
  TuneTest() {
    CHECK(run.Run(MkfsMain, {"-q", "-s", "16M", "-L", "first", "-U", kUuid, "--reserve", "30%", image}) == 0);
    INFO(run.err);
  }

  int Run(const std::vector<std::string>& arguments) { return run.Run(TuneMain, arguments); }
  nlohmann::json Now() {
    CHECK(Run({"--json", image}) == 0);
    return nlohmann::json::parse(run.out);
  }

  TempDir dir;
  std::string image = dir.File("disk.img");
  ToolRun run;
};

TEST_CASE("labels are shown as letters, and escaped only if they are none") {
  TuneTest test;
  const auto shown = [&](const std::string& label, const std::string& as) {
    CHECK(test.Run({"-L", label, test.image}) == 0);
    CHECK_THAT(test.run.out, Catch::Matchers::Contains("\n  label    " + as + "\n"));
    CHECK(test.run.Run(MkfsMain, {"-n", "-s", "16M", "-L", label, test.dir.File("new.img")}) == 0);
    CHECK_THAT(test.run.out, Catch::Matchers::Contains("\n  label        " + as + "\n"));
  };
  shown("d\xc3\xa9j\xc3\xa0 vu", "d\xc3\xa9j\xc3\xa0 vu");
  shown("\xc3\xa9\\x0a", "\xc3\xa9\\\\x0a");
  shown("\xc3\xa9\n", "\\xc3\\xa9\\x0a");
  shown("\xff", "\\xff");
}

TEST_CASE("tune.betr says what an image is called and keeps, also while it is in use") {
  TuneTest test;
  const auto store = OpenToRead(test.image);
  CHECK(test.Run({test.image}) == 0);
  CHECK(test.run.out.starts_with(test.image + "\n  label    first\n  uuid     " + kUuid + "\n  reserve  "));
  CHECK(test.run.out.ends_with(" (30 %)\n"));
  const nlohmann::json now = test.Now();
  CHECK(now["schema"] == "betr.tune");
  CHECK(now["image"] == test.image);
  CHECK(now["label"] == "first");
  CHECK(now["uuid"] == kUuid);
  CHECK(now["reserve"] == store->Space().reserve.value);
  CHECK(now["reserve_percent"] == 30.0);
  CHECK(test.Run({"-q", test.image}) == 0);
  CHECK(test.run.out.empty());
}

// What a checkpoint writes last.
void WriteNextSuperblock(const std::string& image) {
  const auto device = test::Must(FileDevice::Open(image, FileDevice::Access::kReadWrite));
  layout::Superblock next = test::Must(layout::ReadNewest(*device)).superblock;
  next.generation = next.generation.Next();
  CHECK(layout::WriteSuperblock(*device, next).ok());
  CHECK(layout::WriteCopy(*device, next).ok());
}

TEST_CASE("tune.betr does not take an image for damaged that is written to while it looks") {
  TuneTest test;
  for (int nth = 1; nth <= 6; ++nth) {
    const ReadHook hook(nth, [&] { WriteNextSuperblock(test.image); });
    CAPTURE(nth);
    CHECK(test.Run({test.image}) == 0);
    CHECK(test.run.err.empty());
  }
}

TEST_CASE("tune.betr changes what is asked for and nothing else") {
  TuneTest test;
  CHECK(test.Run({"-L", "second", test.image}) == 0);
  CHECK(test.Now()["label"] == "second");
  CHECK(test.Now()["uuid"] == kUuid);
  CHECK(test.Now()["reserve_percent"] == 30.0);
  CHECK(test.Run({"-U", kOther, "--reserve", "2.5", test.image}) == 0);
  CHECK(test.run.out.ends_with(" (2.5 % would be less than is needed)\n"));
  CHECK(test.Now()["label"] == "second");
  CHECK(test.Now()["uuid"] == kOther);
  CHECK(test.Now()["reserve_percent"] == 2.5);
  CHECK(test.Run({"--no-label", "-U", "random", "--reserve", "default", test.image}) == 0);
  CHECK(test.run.out.find("  label    none\n") != std::string::npos);
  CHECK(test.run.out.find(" (default)\n") != std::string::npos);
  CHECK(test.Now()["label"] == "");
  CHECK(test.Now()["uuid"] != kOther);
  CHECK(test.Now()["reserve_percent"].is_null());
  ToolRun fsck;
  CHECK_FSCK(0, fsck, "-f", test.image);
}

TEST_CASE("tune.betr only says what it would change") {
  TuneTest test;
  CHECK(test.Run({"-n", "-L", "second", "-U", "random", test.image}) == 0);
  CHECK(test.run.out.find("  label    second\n  uuid     random\n") != std::string::npos);
  CHECK(test.run.err == "tune.betr: dry run: nothing was changed\n");
  CHECK(test.Now()["label"] == "first");
  CHECK(test.Now()["uuid"] == kUuid);
}

TEST_CASE("tune.betr refuses what cannot be, and changes nothing") {
  TuneTest test;
  const nlohmann::json before = test.Now();
  const auto refuses = [&](int exit, const std::vector<std::string>& arguments, const std::string& says) {
    CHECK(test.Run(arguments) == exit);
    INFO(test.run.err);
    CHECK(test.run.err.find(says) != std::string::npos);
  };
  refuses(2, {}, "IMAGE is required");
  refuses(2, {"-U", "five", test.image}, "five");
  refuses(2, {"-L", "a", "--no-label", test.image}, "--no-label");
  refuses(2, {"--reserve", "0", test.image}, "--reserve: 0 %: must be 0.01 % to 50 %, or default");
  refuses(2, {"--reserve", "51%", test.image}, "--reserve: 51 %: must be");
  refuses(2, {"--reserve", "5G", test.image}, "--reserve: \"5G\": is no percentage");
  refuses(3, {"-L", std::string(65, 'x'), test.image}, "label must have at most 64 bytes");
  refuses(1, {"-L", "x", test.dir.File("missing")}, "No such file");
  const std::string other = test.dir.File("other");
  { std::ofstream(other) << std::string(MiB(1).value, 'x'); }
  refuses(4, {other}, "other");
  refuses(4, {"-L", "x", other}, "other");
  {
    const auto store = OpenToRead(test.image);
    refuses(3, {"-L", "x", test.image}, "in use");
  }
  CHECK(test.Now() == before);
}

TEST_CASE("mkfs.betr keeps the share that was asked for") {
  TuneTest test;
  const std::string made = test.dir.File("made.img");
  CHECK(test.run.Run(MkfsMain, {"-s", "64M", "--reserve", "5%", made}) == 0);
  CHECK(test.run.out.find("  reserve      ") != std::string::npos);
  CHECK(test.run.out.find(" (5 %)\n") != std::string::npos);
  CHECK(test.run.Run(MkfsMain, {"-n", "--json", "-s", "64M", "--reserve", "40", test.dir.File("not made")}) == 0);
  const uint64_t reserve = nlohmann::json::parse(test.run.out)["reserve"];
  CHECK(reserve > MiB(23).value);
  CHECK(reserve < MiB(26).value);
  CHECK(test.run.Run(MkfsMain, {"-s", "64M", "--reserve", "60%", test.dir.File("not made")}) == 2);
}

}  // namespace
}  // namespace betr::tools
