// SPDX-License-Identifier: Apache-2.0
// What is lost is said by the paths that people know.
#include "fs/check/describe_loss.h"

#include <catch2/catch.hpp>

#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/image.h"

namespace betr::test {
namespace {

namespace key = fs::key;

// /d/f with three blocks and a large xattr; /d/g; /l, /d/l and /d/m, three names of one file of two blocks.
void Fill(Image& image) {
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d").ok());
  REQUIRE(paths.WriteFile("d/f", std::string(10000, 'f')).ok());
  REQUIRE(image.fs().SetXattr(paths.Open("d/f")->inode(), "user.x", std::string(3000, 'x')).ok());
  REQUIRE(paths.WriteFile("d/g", std::string(5000, 'g')).ok());
  REQUIRE(paths.WriteFile("l", std::string(8000, 'l')).ok());
  REQUIRE(paths.Link("l", "d/l").ok());
  REQUIRE(paths.Link("l", "d/m").ok());
}

std::vector<std::string> Say(Image& image, std::vector<store::LostRange> lost) {
  const std::unique_ptr<Store> store = image.OpenStore(true);
  std::vector<std::string> lines;
  const absl::Status status =
      fs::DescribeLosses(*store, std::move(lost), [&](const fs::Loss& loss) { lines.push_back(ToText(loss)); });
  INFO(status);
  REQUIRE(status.ok());
  return lines;
}

const std::string kD = key::Content("", "d");
const std::string kF = key::Entry(kD, "f");
const std::string kG = key::Entry(kD, "g");

store::LostRange Data(Range range, bool changes_only = false) {
  return {std::string(kDataTree), std::move(range), changes_only, "x"};
}
using Lines = std::vector<std::string>;

TEST_CASE("lost blocks are said as bytes of a file, as far as it goes", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  CHECK(Say(image, {Data(key::Blocks(kF, 1, 2))}) == Lines{"/d/f: bytes 4096 to 8191: lost"});
  CHECK(Say(image, {Data(key::Blocks(kF, 2, 9), true)}) ==
        Lines{"/d/f: bytes 8192 to 9999: the latest changes are lost"});
  CHECK(Say(image, {Data({Bound::At(key::Block(kF, 2)), Bound::At(key::Block(kG, 1))})}) ==
        Lines{"/d/f: bytes 8192 to 9999: lost", "/d/f: attribute user.x: lost", "/d/g: bytes 0 to 4095: lost"});
  CHECK(Say(image, {Data(key::Blocks(kF, 4, 5))}).empty());
}

TEST_CASE("what touches is said once", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  CHECK(Say(image, {Data(key::Blocks(kF, 1, 2)), Data(key::Blocks(kG, 0, 1)), Data(key::Blocks(kF, 0, 1))}) ==
        Lines{"/d/f: bytes 0 to 8191: lost", "/d/g: bytes 0 to 4095: lost"});
  CHECK(Say(image, {Data(Range::Only(key::Block(kF, 1))), Data(Range::Only(key::Block(kF, 0)))}) ==
        Lines{"/d/f: bytes 0 to 8191: lost"});
  CHECK(Say(image, {Data(key::Blocks(kF, 0, 1)), Data(key::Blocks(kF, 1, 2), true)}) ==
        Lines{"/d/f: bytes 0 to 4095: lost", "/d/f: bytes 4096 to 8191: the latest changes are lost"});
}

TEST_CASE("where further ones may be lost is said, and not joined with what is", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  store::LostRange further = Data(key::Blocks(kF, 0, 3));
  further.is_partial = true;
  further.why = "stopped after 5 ways through clones";
  CHECK(
      Say(image, {Data(key::Blocks(kF, 1, 2)), further}) ==
      Lines{"/d/f: bytes 4096 to 8191: lost",
            "tree \"data\": keys from /d/f/ up to /d/f/\\x03: and further ones: stopped after 5 ways through clones"});
  further.tree = kMetaTree;
  further.range = Range::All();
  CHECK(Say(image, {further}) == Lines{"names all: and further ones: stopped after 5 ways through clones"});
}

TEST_CASE("without a store, what is lost is said by keys", "[fs]") {
  Lines lines;
  fs::DescribeRanges({{"data", Range::Prefix(kD), false, "x"}, {"meta", Range::Only(kG), true, "y"}},
                     [&](const fs::Loss& loss) { lines.push_back(ToText(loss)); });
  CHECK(lines == Lines{"tree \"data\": keys from /d/ up to /d/...: lost (x)", "/d/g: the latest changes are lost (y)"});
}

TEST_CASE("a file with several names is called by all of them", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  CHECK(Say(image, {Data(Range::Prefix(key::Groups("")))}) == Lines{"/l (also /d/l, /d/m): bytes 0 to 7999: lost"});
}

TEST_CASE("what is lost in a zone is said by its path", "[fs][ablation]") {
  Image image;
  Experiments experiments;
  experiments.zone_size = KiB(4);
  image.Remount(experiments);
  Fill(image);
  REQUIRE(image.paths().Rename("d", "e").ok());
  image.Unmount();
  std::string zone;
  {
    const std::unique_ptr<Store> store = image.OpenStore(true);
    zone = key::Zone(fs::DecodeInode(**store->Get(*store->FindTree(kMetaTree), key::Entry("", "e")), "e")->zone);
  }
  REQUIRE_FALSE(zone.empty());
  CHECK(Say(image, {Data(key::Blocks(key::Entry(zone, "f"), 1, 2))}) == Lines{"/e/f: bytes 4096 to 8191: lost"});
  CHECK(Say(image, {Data(Range::Prefix(key::Groups("")))}) == Lines{"/l (also /e/l, /e/m): bytes 0 to 7999: lost"});
  CHECK(Say(image, {{std::string(kMetaTree), Range::Only(key::Entry(zone, "g")), false, "x"}}) ==
        Lines{"/e/g: lost (x)"});
  CHECK(Say(image, {{std::string(kMetaTree), key::Entries(key::Content(zone, "sub")), false, "x"}}) ==
        Lines{"names from /e/sub/ up to /e/sub/...: lost (x)"});
}

TEST_CASE("a file that was unlinked while open has no name any more", "[fs]") {
  Image image;
  Fill(image);
  REQUIRE(image.fs().Open(image.paths().Open("d/g")->inode()).ok());
  REQUIRE(image.paths().Unlink("d/g").ok());
  image.Crash();
  CHECK(Say(image, {Data(Range::Prefix(key::kOrphansPrefix))}) ==
        Lines{"a file that was unlinked, but open: bytes 0 to 4999: lost"});
}

TEST_CASE("lost names are said as a name or as a range of them", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  CHECK(Say(image, {{std::string(kMetaTree), Range::Only(kG), true, "log record 3"}}) ==
        Lines{"/d/g: the latest changes are lost (log record 3)"});
  CHECK(Say(image, {{std::string(kMetaTree), {Bound::At(kF), Bound::At(kG)}, false, "node 3: gone"},
                    {std::string(kMetaTree), {Bound::At(kG), Bound::Past(kD)}, false, "node 4: gone"}}) ==
        Lines{"names from /d/f up to /d/...: lost (node 3: gone, and more)"});
  CHECK(Say(image, {{std::string(kMetaTree), Range::All(), false, "catalog"}}) == Lines{"names all: lost (catalog)"});
}

TEST_CASE("names are said as one range, but for those that were written later; content by file", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  const std::string after = kF + '\0';
  CHECK(Say(image, {{std::string(kMetaTree), {Bound::At(kD), Bound::At(kF)}, false, "x"},
                    {std::string(kMetaTree), {Bound::At(after), Bound::At(kG)}, false, "x"}}) ==
        Lines{"names from /d/ up to /d/g: lost, but for what was written later (x)"});
  const std::string block = key::Block(kF, 1);
  const std::vector<store::LostRange> content = {Data({Bound::At(key::Block(kF, 0)), Bound::At(block)}),
                                                 Data({Bound::At(block + '\0'), Bound::At(key::Block(kF, 3))})};
  CHECK(Say(image, content) == Lines{"/d/f: bytes 0 to 4095: lost", "/d/f: bytes 8192 to 9999: lost"});
  Lines lines;
  fs::DescribeRanges(content, [&](const fs::Loss& loss) { lines.push_back(ToText(loss)); });
  CHECK(lines == Lines{"tree \"data\": keys from /d/f/ up to /d/f/\\x03: lost, but for what was written later (x)"});
  store::LostRange written = Data(key::Blocks(kF, 1, 2));
  written.but_written = true;
  CHECK(Say(image, {written}) == Lines{"/d/f: bytes 4096 to 8191: lost, but for what was written later"});
}

TEST_CASE("names elsewhere whose file's latest changes are lost are said, too", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  const Range groups = Range::Prefix(key::Groups(""));
  CHECK(Say(image, {{std::string(kMetaTree), groups, true, "node 3"}}) ==
        Lines{"names from //i up to //i...: the latest changes are lost (node 3)",
              "/l (also /d/l, /d/m): the latest changes are lost (node 3)"});
  CHECK(Say(image, {{std::string(kMetaTree), Range::All(), true, "node 3"}}) ==
        Lines{"names all: the latest changes are lost (node 3)"});
}

TEST_CASE("keys of other trees, and what nobody knows", "[fs]") {
  Image image;
  Fill(image);
  image.Unmount();
  CHECK(Say(image, {{"mail", {Bound::At("a"), Bound::Past("")}, false, "node 3"}}) ==
        Lines{"tree \"mail\": keys from /a to the end: lost (node 3)"});
  CHECK(Say(image, {{"", Range::All(), true, "log records 3 to 4 cannot be read"}}) ==
        Lines{"log records 3 to 4 cannot be read"});
}

}  // namespace
}  // namespace betr::test
