// SPDX-License-Identifier: Apache-2.0
// fsck.betr: how it tells what is lost, and that there is more.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/must.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using nlohmann::json;

// Damages a leaf below a node that clones share.
void LoseSharedLeaf(const SampleImage& image) {
  Bytes place{0};
  image.Inspect([&](store::Inspection& look) {
    NodeId leaf;
    uint32_t most = 1;
    const dag::NodeTable& table = look.state()->table;
    table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (record.references > most) {
        most = record.references;
        leaf = id;
      }
    });
    REQUIRE(most > 1);
    while (table.Find(leaf)->height > 0) leaf = test::Must(dag::LoadNode(table, leaf))->edges.front().link.target;
    for (const store::UsedExtent& used : look.extents()) {
      if (used.holder == store::UsedExtent::Holder::kNode && NodeId{used.id} == leaf) place = used.extent.Offset();
    }
  });
  REQUIRE(place.value > 0);
  image.Flip(place + Bytes{40});
}

size_t Lines(const std::string& text, std::string_view front) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("\n" + std::string(front), at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("fsck tells what is lost before it repairs, and again by what it knows then") {
  const SampleImage image;
  LoseSharedLeaf(image);
  ToolRun run;
  CHECK_FSCK(1, run, "-y", image.path());
  CHECK(Lines(run.out, "giving up: tree ") > 1);
  CHECK(Lines(run.out, "giving up: ") == Lines(run.out, "lost: "));
  CHECK(run.out.find("giving up: ") < run.out.find("repaired: "));
  CHECK_FALSE(Says(run, "not all that is lost"));
}

TEST_CASE("fsck tells what is lost before it repairs, also where JSON is wanted") {
  const SampleImage image;
  LoseSharedLeaf(image);
  ToolRun run;
  CHECK(run.Run(Fsck, {"-y", "--json", "--dry-run", image.path()}) == 4);
  CHECK(run.err.starts_with("would give up: tree "));
  CHECK(run.Run(Fsck, {"-y", "--json", image.path()}) == 1);
  CHECK(run.err.starts_with("giving up: tree "));
  CHECK(Lines("\n" + run.err, "giving up: ") == json::parse(run.out)["lost"].size());
}

TEST_CASE("fsck says that not all that is lost is listed") {
  const SampleImage image;
  LoseSharedLeaf(image);
  ToolRun run;
  SECTION("as text") {
    CHECK_FSCK(9, run, "-y", "--lost-limit", "1", image.path());
    CHECK(Says(run, "and further ones: stopped after "));
    CHECK(Says(run, "0 errors left, not all that is lost is listed"));
    CHECK(Says(run, "--lost-limit 10 "));
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("as JSON") {
    CHECK(run.Run(Fsck, {"-y", "--json", "--lost-limit", "1", image.path()}) == 9);
    const json document = json::parse(run.out);
    CHECK_FALSE(document["all_lost_listed"]);
    const json& lost = document["lost"];
    CHECK(std::any_of(lost.begin(), lost.end(), [](const json& loss) { return loss["partial"].get<bool>(); }));
  }
  SECTION("beforehand") {
    CHECK_FSCK(12, run, "-y", "--dry-run", "--lost-limit", "1", image.path());
    CHECK_FSCK(4, run, "-y", "--dry-run", image.path());
    CHECK(run.Run(Fsck, {"-y", "--dry-run", "--json", image.path()}) == 4);
    CHECK(json::parse(run.out)["all_lost_listed"]);
  }
  CHECK_FSCK(16, run, "--lost-limit", "0", image.path());
}

}  // namespace
}  // namespace betr::tools
