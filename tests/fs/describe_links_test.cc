// SPDX-License-Identifier: Apache-2.0
// What is lost of files with several names, or without any, where the lists of names are lost, too.
#include <catch2/catch.hpp>

#include "fs/check/describe_loss.h"
#include "fs/key.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

using planted::Damage;
using planted::Trees;
namespace key = fs::key;
using Lines = std::vector<std::string>;

// /l, /d/l and /d/e/l are names of one file, /m and /d/m of another one; /c is a clone of /d.
void Fill(Image& image) {
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("d/e"));
  Must(paths.WriteFile("l", std::string(8000, 'l')));
  Must(paths.Link("l", "d/l"));
  Must(paths.Link("l", "d/e/l"));
  Must(paths.WriteFile("m", std::string(100, 'm')));
  Must(paths.Link("m", "d/m"));
  Must(paths.Clone("d", "c"));
}

Lines Say(Image& image, std::string_view tree, const Range& lost, bool changes_only = false) {
  const std::unique_ptr<Store> store = image.OpenStore(true);
  Lines lines;
  Must(fs::DescribeLosses(*store, {{std::string(tree), lost, changes_only, "x"}},
                          [&](const fs::Loss& loss) { lines.push_back(ToText(loss)); }));
  return lines;
}

TEST_CASE("a file of whose names not all are listed is called by all that refer to it", "[fs][links]") {
  Image image;
  Fill(image);
  image.Unmount();
  const bool are_all_lost = GENERATE(false, true);
  Damage(image, [&](const Trees& trees) {
    const std::string front = key::GroupNames("");
    Must(trees.store.EraseRange(trees.meta,
                                are_all_lost ? Range::Prefix(front) : Range::Prefix(front + key::Content("", "d"))));
  });
  CHECK(Say(image, kDataTree, Range::Prefix(key::Groups(""))) ==
        Lines{"/l (also /d/l, /d/e/l): bytes 0 to 7999: lost", "/m (also /d/m): bytes 0 to 99: lost"});
  CHECK(Say(image, kDataTree, Range::Prefix(key::Groups(key::Content("", "c")))) ==
        Lines{"/c/l (also /c/e/l): bytes 0 to 7999: lost", "/c/m: bytes 0 to 99: lost"});
  CHECK(Say(image, kMetaTree, Range::Prefix(key::Groups("")), true) ==
        Lines{"names from //i up to //i...: the latest changes are lost (x)",
              "/l (also /d/l, /d/e/l): the latest changes are lost (x)",
              "/m (also /d/m): the latest changes are lost (x)"});
}

TEST_CASE("files without any name are told apart, and from those that were unlinked", "[fs][links]") {
  Image image;
  Fill(image);
  for (const char* const name : {"open", "still open"}) {
    Must(image.paths().WriteFile(name, std::string(5000, 'o')));
    Must(image.fs().Open(image.paths().Open(name)->inode()));
    Must(image.paths().Unlink(name));
  }
  image.Crash();
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const TreeId meta = Must(store->FindTree(kMetaTree));
    for (const std::string& lost : {key::GroupNames(""), std::string(1, '\0'), key::Content("", "d")}) {
      Must(store->EraseRange(meta, Range::Prefix(lost)));
    }
    Must(store->Close());
  }
  CHECK(Say(image, kDataTree, Range::Prefix(key::Groups(""))) ==
        Lines{"a file that has lost its names: bytes 0 to 7999: lost",
              "a file that has lost its names: bytes 0 to 99: lost"});
  const std::string unlinked = "a file that was unlinked, but open: bytes 0 to 4999: lost";
  CHECK(Say(image, kDataTree, Range::Prefix(key::kOrphansPrefix)) == Lines{unlinked, unlinked});
}

}  // namespace
}  // namespace betr::test
