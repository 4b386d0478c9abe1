// SPDX-License-Identifier: Apache-2.0
// fsck.betr: what a repair overwrites, kept and put back.
#include <catch2/catch.hpp>
#include <filesystem>

#include "json_output.h"
#include "layout/superblock.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using Holder = store::UsedExtent::Holder;

TEST_CASE("fsck --undo keeps what is overwritten, and --undo-apply puts it back") {
  const SampleImage image;
  image.FlipExtent(Holder::kNode, 7);
  image.FlipExtent(Holder::kTablePage, 0);
  const std::string undo = image.path() + ".undo";
  const std::string before = image.Content();
  ToolRun run;
  CHECK_FSCK(1, run, "-y", "--undo", undo, image.path());
  CHECK_FSCK(0, run, image.path());
  CHECK(image.Content() != before);
  CHECK_FSCK(8, run, "-y", "--undo", undo, image.path());
  CHECK(Says(run, "File exists"));
  CHECK_FSCK(0, run, "--undo-apply", undo, image.path());
  CHECK(Says(run, "blocks put back"));
  std::string after = image.Content();
  // The note about the owner is not part of it.
  after.replace(layout::kOwnerOffset.value, 4096, before, layout::kOwnerOffset.value, 4096);
  CHECK(after == before);
  CHECK_FSCK(4, run, image.path());
  CHECK_FSCK(0, run, "--undo-apply", undo, image.path());
  CHECK(Says(run, "0 blocks put back"));
  CHECK_FSCK(8, run, "--undo-apply", image.path(), image.path());
  CHECK_FSCK(16, run, "--undo-apply", undo, "-y", image.path());
  CHECK_FSCK(16, run, "--undo-apply", undo, "--lost-limit", "5", image.path());
  CHECK_FSCK(16, run, "--undo-apply", undo, "--cache", "16M", image.path());
  const std::string unused = image.path() + ".unused";
  CHECK_FSCK(16, run, "--undo", unused, image.path());
  CHECK_FSCK(16, run, "-n", "--undo", unused, image.path());
  CHECK_FALSE(std::filesystem::exists(unused));
}

TEST_CASE("fsck --undo-apply prints one document, whatever comes of it") {
  const SampleImage image;
  image.FlipExtent(Holder::kTablePage, 0);
  const std::string undo = image.path() + ".undo";
  ToolRun run;
  CHECK_FSCK(1, run, "-y", "--undo", undo, image.path());
  CHECK_FSCK(8, run, "--json", "--undo-apply", image.path(), image.path());
  const Json failed = Json::parse(run.out);
  CHECK(failed["schema"] == "betr.fsck-undo");
  CHECK(failed["exit_code"] == 8);
  CHECK(failed["blocks_put_back"].is_null());
  CHECK(run.err == "fsck.betr: " + failed["error"].get<std::string>() + "\n");
  CHECK_FSCK(8, run, "--json", "--undo-apply", undo, image.path() + ".none");
  CHECK_FALSE(Json::parse(run.out)["error"].is_null());

  CHECK_FSCK(0, run, "--json", "--undo-apply", undo, image.path());
  const Json done = Json::parse(run.out);
  CHECK(done["image"] == image.path());
  CHECK(done["exit_code"] == 0);
  CHECK(done["error"].is_null());
  CHECK(done["blocks_put_back"] > 0);
  CHECK(done["undo_file_cut_short"] == false);
}

TEST_CASE("fsck --undo-apply leaves alone another image, and one that was changed since") {
  const SampleImage image;
  image.Flip(layout::kSlotOffset[1] + Bytes{20});  // the repair writes this slot and the copy
  const std::string undo = image.path() + ".undo";
  ToolRun run;
  CHECK_FSCK(1, run, "-y", "--undo", undo, image.path());
  const auto refuses = [&](const SampleImage& other) {
    const std::string before = other.Content();
    CHECK_FSCK(8, run, "--undo-apply", undo, other.path());
    CHECK(Says(run, "is that of another image, or was changed afterwards"));
    CHECK(other.Content() == before);
    CHECK_FSCK(0, run, "-f", "--undo-apply", undo, other.path());
    CHECK(other.Content() != before);
  };
  SECTION("another image") {
    const SampleImage other;
    REQUIRE(other.Content().size() == image.Content().size());
    refuses(other);
  }
  SECTION("changed since") {
    image.Forge([](store::Inspection&, store::State& state) { state.next_node = state.next_node.Next(); });
    refuses(image);
  }
}

}  // namespace
}  // namespace betr::tools
