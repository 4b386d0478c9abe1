// SPDX-License-Identifier: Apache-2.0
// Copies that are only tried say and count what the same copy then does, and change nothing.
#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "device/overlay_device.h"
#include "fs/transfer/host_file.h"
#include "fs/transfer/tree_copy.h"
#include "store/borrowed_device.h"
#include "support/fs/host_tree.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

namespace host = std::filesystem;

using test::HostTree;
using test::Image;
using test::Mirror;
using test::Must;
using test::TreeCopies;

// What a copy has told.
class Telling {
 public:
  explicit Telling(CopyOptions with) : options(std::move(with)) {
    options.written = [this](std::string_view path, bool is_new) {
      told.push_back((is_new ? "A " : "M ") + std::string(path));
    };
    options.removed = [this](std::string_view path) { told.push_back("D " + std::string(path)); };
    options.gone_without = [this](const absl::Status& status) { told.push_back("? " + std::string(status.message())); };
  }
  CopyOptions options;
  std::vector<std::string> told;
};

CopyOptions Tried(CopyOptions options) {
  options.dry_run = true;
  return options;
}

// What would change if anything in a tree of the host did.
std::string Fingerprint(const HostTree& tree) {
  std::string all;
  const auto add = [&](const std::string& path) {
    struct stat there {};
    REQUIRE(lstat(path.c_str(), &there) == 0);
    const FileTime changed = ToFileTime(there.st_ctim);
    all += path + " " + std::to_string(there.st_ino) + " " + std::to_string(there.st_nlink) + " " +
           std::to_string(changed.seconds) + "." + std::to_string(changed.nanoseconds) + "\n";
  };
  if (!host::exists(tree.Path())) return "nothing";
  add(tree.Path());
  for (const auto& entry : host::recursive_directory_iterator(tree.Path())) add(entry.path());
  return all;
}

// The image's file system, of which nothing is kept.
class TrialOf {
 public:
  explicit TrialOf(Image& image) : kept_((image.Unmount(), image.device())) {
    StoreOptions options;
    options.background = false;
    Must(FileSystem::RegisterUpserts(&options.functions));
    fs_ = Must(FileSystem::Mount(Must(Store::Open(std::make_unique<store::BorrowedDevice>(kept_), std::move(options))),
                                 MountOptions()));
  }
  FileSystem& fs() { return *fs_; }

 private:
  OverlayDevice kept_;
  std::unique_ptr<FileSystem> fs_;
};

void CheckSame(const CopyTotals& tried, const CopyTotals& done) {
  CHECK(tried.files == done.files);
  CHECK(tried.bytes == done.bytes);
  CHECK(tried.unchanged == done.unchanged);
  CHECK(tried.removed == done.removed);
  CHECK(tried.excluded == done.excluded);
  CHECK(tried.gone_without == done.gone_without);
}

// Any way to copy over an earlier copy.
CopyOptions AnyOptions(Random& random) {
  CopyOptions options = Mirror();
  options.all_attributes = options.update = !random.OneIn(4);
  options.remove_others = random.OneIn(2);
  if (random.OneIn(4)) Must(options.exclusions.Add("b"));
  return options;
}

}  // namespace

TEST_CASE("a copy to the host that is tried changes nothing, and says what it would") {
  Random random(TestSeed());
  HostTree tree;
  HostTree out(2'000'000);
  TreeCopies copy;
  for (int round = 0; round < 60 * TestScale(); ++round) {
    INFO("round " << round);
    for (uint64_t i = random.Uniform(8); i > 0; --i) tree.Change(random);
    for (uint64_t i = host::exists(out.Path()) ? random.Uniform(3) : 0; i > 0; --i) out.Change(random);
    copy.Import(tree, "in", Mirror());
    const CopyOptions options = AnyOptions(random);
    Telling tried(Tried(options));
    const std::string before = Fingerprint(out);
    const CopyTotals trial = copy.Export("in", out, tried.options);
    CHECK(Fingerprint(out) == before);
    Telling done(options);
    CheckSame(trial, copy.Export("in", out, done.options));
    REQUIRE(tried.told == done.told);
    if (random.OneIn(5)) host::remove_all(out.Path());
  }
}

TEST_CASE("a copy from the host that is tried says what it would do, whatever becomes of the file system") {
  Random random(TestSeed());
  HostTree tree;
  TreeCopies copy;
  for (int round = 0; round < 60 * TestScale(); ++round) {
    INFO("round " << round);
    for (uint64_t i = random.Uniform(8); i > 0; --i) tree.Change(random);
    const CopyOptions options = AnyOptions(random);
    Telling tried(Tried(options));
    const std::string before = test::Describe(copy.image.paths(), "");
    const CopyTotals trial = Must(ImportTrees(&TrialOf(copy.image).fs(), {{tree.Path(), "in"}}, tried.options));
    CHECK(test::Describe(copy.image.paths(), "") == before);
    Telling done(options);
    CheckSame(trial, copy.Import(tree, "in", done.options));
    REQUIRE(tried.told == done.told);
    if (random.OneIn(8)) Must(copy.image.paths().RemoveTree("in"));
  }
}

TEST_CASE("what a trial tells") {
  HostTree tree;
  HostTree out(2'000'000);
  TreeCopies copy;
  host::create_directory(tree.Path("a"));
  tree.Write("a/f", "1");
  host::create_hard_link(tree.Path("a/f"), tree.Path("a/g"));
  tree.Write("b", "2");
  copy.Import(tree, "in", {});
  host::create_directory(out.Path("b"));
  out.Write("b/x", "");
  out.Write("c", "");

  SECTION("of a copy to the host") {
    Telling tried(Tried(Mirror()));
    const CopyTotals totals = copy.Export("in", out, tried.options);
    CHECK(tried.told == std::vector<std::string>{"D " + out.Path("c"), "D " + out.Path("b"), "A " + out.Path("b"),
                                                 "A " + out.Path("a"), "A " + out.Path("a/f"), "A " + out.Path("a/g")});
    CHECK(totals.files == 5);
    CHECK(totals.bytes == Bytes{2});
    CHECK(totals.removed == 2);
    CHECK(host::exists(out.Path("b/x")));
  }
  SECTION("of one for which there is no place") {
    Telling tried(Tried({}));
    const std::vector<CopyPair> trees = {{"in", out.Path("none/in")}};
    CHECK(test::Errno(ExportTrees(&copy.image.fs(), trees, tried.options)) == ENOENT);
  }
  SECTION("of content that is changed in its place") {
    copy.Import(tree, "in", Mirror());
    tree.Write("b", "3");
    Telling tried(Tried(Mirror()));
    const CopyTotals totals = Must(ImportTrees(&TrialOf(copy.image).fs(), {{tree.Path(), "in"}}, tried.options));
    CHECK(tried.told == std::vector<std::string>{"M in/b"});
    CHECK(totals.unchanged == 2);
    CHECK(copy.Read("in/b") == "2");
  }
}

}  // namespace betr::fs
