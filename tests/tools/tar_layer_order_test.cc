// SPDX-License-Identifier: Apache-2.0
// Layers of container images by whoever made them: what is said to be gone is so in what is below the layer, wherever
// in it that is said (lib/fs/tar/tar_layer.h).
#include <absl/strings/str_join.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/tar/tar_copy.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/tools/tar_archive.h"

namespace betr::test {
namespace {

using Members = std::vector<std::string>;

void MakeBase(Random& random, PathFileSystem& paths, const std::string& top, int levels) {
  Must(paths.MakeDirectory(top));
  for (const char name : {'a', 'b', 'c'}) {
    const std::string path = top + "/" + name;
    const uint64_t choice = random.Uniform(4);
    if (choice == 0) Must(paths.WriteFile(path, "old"));
    if (choice == 1) Must(paths.MakeSymlink("c", path));
    if (choice > 1 && levels > 0) MakeBase(random, paths, path, levels - 1);
  }
}

struct Layer {
  Members brought;  // directories before what is in them
  Members gone;
};

void MakeLayer(Random& random, const std::string& in, int levels, Layer* layer) {
  if (random.OneIn(4)) layer->gone.push_back(Member(in + ".wh..wh..opq", '0'));
  for (const char name : {'a', 'b', 'c'}) {
    const std::string path = in + name;
    if (random.OneIn(3)) layer->gone.push_back(Member(in + ".wh." + name, '0'));
    const uint64_t choice = random.Uniform(4);
    if (choice == 0) layer->brought.push_back(Member(path, '0', "new"));
    if (choice == 1) layer->brought.push_back(Member(path, '2', "", "b"));
    if (choice > 1 && levels > 0) {
      layer->brought.push_back(Member(path + "/", '5'));
      MakeLayer(random, path + "/", levels - 1, layer);
    }
  }
}

void Unpack(Image& image, const Members& members, const std::string& inside) {
  const ArchiveFile file(Finished(absl::StrJoin(members, "")));
  fs::CopyOptions options;
  options.is_layer = true;
  options.gone_without = [](const absl::Status&) {};  // gone in what is no directory yet
  Must(fs::ImportTar(&image.fs(), file.descriptor(), inside, options));
}

TEST_CASE("where in a layer it says that something is gone makes no difference", "[tools][layer]") {
  Random random(TestSeed());
  const auto rounds = static_cast<int>(300 * TestScale());
  for (int round = 0; round < rounds; ++round) {
    Image image;
    MakeBase(random, image.paths(), "first", 2);
    for (const char* copy : {"anywhere", "last"}) Must(image.paths().Clone("first", copy));
    image.Tick();
    Layer layer{.brought = {Member("./", '5')}, .gone = {}};  // all directories have their times from it
    MakeLayer(random, "", 2, &layer);
    Members first = layer.gone;
    first.insert(first.end(), layer.brought.begin(), layer.brought.end());
    Members anywhere = layer.brought;
    for (const std::string& gone : layer.gone) {
      anywhere.insert(anywhere.begin() + static_cast<ptrdiff_t>(random.Uniform(anywhere.size() + 1)), gone);
    }
    Members last = layer.brought;
    last.insert(last.end(), layer.gone.begin(), layer.gone.end());
    Unpack(image, first, "first");
    Unpack(image, anywhere, "anywhere");
    Unpack(image, last, "last");
    INFO("round " << round);
    for (const char* other : {"anywhere", "last"}) {
      std::string differs;
      Must(image.paths().FindDifferences("first", other, [&](const EntryDifference& difference) {
        differs += difference.path + " ";
        return absl::OkStatus();
      }));
      CHECK(differs == std::string());
    }
  }
}

}  // namespace
}  // namespace betr::test
