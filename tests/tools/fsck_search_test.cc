// SPDX-License-Identifier: Apache-2.0
// fsck.betr on a device whose beginning was wiped: whether there is an image can only be told by searching all of it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "layout/superblock.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

constexpr std::string_view kHint = "fsck.betr -y looks for the copy of its superblock";

void Overwrite(const std::string& path, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.flush().good());
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("fsck -y searches for the copy of an image whose beginning was wiped") {
  const SampleImage image;
  std::filesystem::resize_file(image.path(), std::filesystem::file_size(image.path()) + 3'000'000);
  char wiped = '\0';
  SECTION("with zeros") {}
  SECTION("with something that nobody knows") { wiped = 'x'; }
  Overwrite(image.path(), std::string(2 * layout::kUnit.value, wiped));
  const std::string before = ReadAll(image.path());
  ToolRun run;
  for (const char* option : {"-n", "-p"}) {
    CHECK_FSCK(8, run, option, image.path());
    CHECK(Says(run, "not a betr image"));
    CHECK(Says(run, kHint));
  }
  CHECK_FSCK(4, run, "-y", "--dry-run", image.path());
  CHECK(Says(run, "made anew from the copy"));
  CHECK((ReadAll(image.path()) == before));
  CHECK_FSCK(1, run, "-y", image.path());
  CHECK(Says(run, "made anew from the copy"));
  CHECK_FSCK(0, run, "-f", image.path());
}

TEST_CASE("fsck -y leaves alone what is no image, and what has become something else") {
  const SampleImage image;
  std::string path = image.path();
  std::string_view says;
  bool has_hint = false;
  SECTION("something else") {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + 3'000'000);
    std::string xfs(2 * layout::kUnit.value, '\0');
    xfs.replace(0, 4, "XFSB");
    Overwrite(path, xfs);
    says = "XFS";
  }
  SECTION("no image") {
    path += ".other";
    std::ofstream(path, std::ios::binary) << std::string(1'000'000, 'z');
    says = "no copy of a superblock";
    has_hint = true;
  }
  SECTION("nothing that could hold one") {
    path += ".tiny";
    std::ofstream(path, std::ios::binary) << "tiny";
    says = "too small";
  }
  const std::string before = ReadAll(path);
  ToolRun run;
  CHECK_FSCK(8, run, "-n", path);
  CHECK(Says(run, kHint) == has_hint);
  CHECK_FSCK(8, run, "-y", path);
  CHECK(Says(run, says));
  CHECK_FALSE(Says(run, kHint));
  CHECK((ReadAll(path) == before));
}

}  // namespace
}  // namespace betr::tools
