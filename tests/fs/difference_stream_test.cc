// SPDX-License-Identifier: Apache-2.0
// Differences one by one are those that FindDifferences tells, of one instant, and whoever has enough lets go of them.
#include "betr/difference_stream.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/fs/image.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

std::unique_ptr<DifferenceStream> Compare(PathFileSystem& paths, const std::string& before, const std::string& after) {
  return Must(paths.fs().NewDifferences(Must(paths.Open(before)).inode(), Must(paths.Open(after)).inode()));
}

// What has not been asked for yet.
std::vector<std::string> Rest(DifferenceStream& stream) {
  std::vector<std::string> paths;
  while (const std::optional<EntryDifference> difference = Must(stream.Next())) paths.push_back(difference->path);
  return paths;
}

std::vector<std::string> Told(PathFileSystem& paths, const std::string& before, const std::string& after) {
  std::vector<std::string> told;
  Must(paths.FindDifferences(before, after, [&](const EntryDifference& difference) {
    told.push_back(difference.path);
    return absl::OkStatus();
  }));
  return told;
}

// A tree and a clone of it in which every third file, two links and a directory are others.
void MakeTrees(PathFileSystem& paths) {
  Must(paths.MakeDirectories("t/sub/deep"));
  for (int i = 0; i < 60; ++i) Must(paths.WriteFile("t/sub/f" + std::to_string(i), std::to_string(i)));
  Must(paths.Link("t/sub/f1", "t/one"));
  Must(paths.Link("t/sub/f2", "outside"));
  Must(paths.Clone("t", "c"));
  for (int i = 0; i < 60; i += 3) Must(paths.WriteFile("c/sub/f" + std::to_string(i), "changed"));
  Must(paths.WriteFile("c/one", "changed"));
  Must(paths.WriteFile("outside", "changed"));
  Must(paths.RemoveDirectory("c/sub/deep"));
}

TEST_CASE("differences come one by one, as all was when they were asked for", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTrees(paths);
  const std::vector<std::string> expected = Told(paths, "t", "c");
  REQUIRE(expected.size() > 20);
  const std::unique_ptr<DifferenceStream> stream = Compare(paths, "t", "c");
  const std::optional<EntryDifference> first = Must(stream->Next());
  REQUIRE(first);
  CHECK(first->path == expected.front());
  Must(paths.WriteFile("c/sub/f1", "too late"));
  Must(paths.WriteFile("c/another", "too late"));
  Must(paths.RemoveTree("c/sub"));
  Must(paths.fs().store().Checkpoint());
  std::vector<std::string> all = Rest(*stream);
  all.insert(all.begin(), first->path);
  CHECK(all == expected);
  CHECK(Rest(*stream).empty());
  CHECK(Told(paths, "t", "c") != expected);
}

TEST_CASE("of files there is one difference at most, and none of what is alike", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTrees(paths);
  CHECK(Rest(*Compare(paths, "t/sub/f0", "c/sub/f0")) == std::vector<std::string>{""});
  CHECK(Rest(*Compare(paths, "t/sub/f4", "c/sub/f4")).empty());
  CHECK(Rest(*Compare(paths, "t", "t")).empty());
  CHECK(Rest(*Compare(paths, "t", "c/one")) == std::vector<std::string>{""});
}

TEST_CASE("whoever has enough of differences leaves nothing behind", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTrees(paths);
  std::vector<std::unique_ptr<DifferenceStream>> streams;
  for (const int asked : {0, 1, 7}) {
    streams.push_back(Compare(paths, "t", "c"));
    for (int i = 0; i < asked; ++i) REQUIRE(Must(streams.back()->Next()));
    Must(paths.WriteFile("c/sub/f" + std::to_string(asked), "changed once more"));
    Must(paths.fs().store().Checkpoint());
  }
  Must(paths.RemoveTree("t"));
  Must(paths.RemoveTree("c"));
  streams.erase(streams.begin());
  CHECK_FALSE(Rest(*streams.back()).empty());
  streams.clear();
  image.Check();
}

TEST_CASE("what cannot be compared is told at once", "[fs][difference]") {
  Image image;
  planted::Fill(image);
  Must(image.paths().Clone("d", "c"));
  const OpenFile removed = Must(image.paths().Open("c"));
  CHECK(Errno(image.fs().NewDifferences(kRootInode, InodeId{1'000'000})) == ESTALE);
  Must(image.paths().RemoveTree("c"));
  CHECK(Errno(image.fs().NewDifferences(kRootInode, removed.inode())) == ENOENT);
}

// By size, which tells the files of these tests apart.
std::vector<uint64_t> SizesBelow(PathFileSystem& paths, const std::vector<std::string>& tops) {
  std::vector<uint64_t> sizes;
  for (const std::string& top : tops) {
    Must(paths.Walk(top, [&](const std::string&, const FileAttributes& attributes) {
      sizes.push_back(attributes.size);
      return absl::OkStatus();
    }));
  }
  std::ranges::sort(sizes);
  return sizes;
}

TEST_CASE("all names of both can be looked at, before and between differences", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTrees(paths);
  for (const std::vector<std::string>& tops : std::vector<std::vector<std::string>>{
           {"t", "c"}, {"t/sub", "c"}, {"", "c"}, {"t/sub/f1", "c/one"}, {"outside", "t"}}) {
    const std::unique_ptr<DifferenceStream> stream = Compare(paths, tops[0], tops[1]);
    REQUIRE(Must(stream->Next()));
    std::vector<uint64_t> sizes;
    Must(stream->VisitAll([&](const FileAttributes& attributes) {
      sizes.push_back(attributes.size);
      return absl::OkStatus();
    }));
    std::ranges::sort(sizes);
    CHECK(sizes == SizesBelow(paths, tops));
    std::vector<std::string> expected = Told(paths, tops[0], tops[1]);
    expected.erase(expected.begin());
    CHECK(Rest(*stream) == expected);
  }
  int visited = 0;
  const absl::Status stopped = Compare(paths, "t", "c")->VisitAll([&](const FileAttributes&) {
    return ++visited < 5 ? absl::OkStatus() : absl::CancelledError("enough");
  });
  CHECK(absl::IsCancelled(stopped));
  CHECK(visited == 5);
}

}  // namespace
}  // namespace betr::test
