// SPDX-License-Identifier: Apache-2.0
// Trees of the host that change while they are copied.
#include "fs/transfer/tree_copy.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "support/device/temp_dir.h"
#include "support/fs/image.h"

namespace betr::fs {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

// A directory of the host with the files a, b and c, each holding its name.
class ChangingTree {
 public:
  ChangingTree() {
    for (const char* name : {"a", "b", "c"}) Write(name, name);
  }

  std::string Path(const std::string& name = "") const { return directory_.File("tree/" + name); }

  void Write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(Path());
    std::ofstream(Path(name)) << content;
  }

  // Copies it to /in. `change` is done when `name` has been looked at and not yet opened.
  absl::StatusOr<CopyTotals> Import(const std::string& name, const std::function<void()>& change) {
    CopyOptions options;
    options.progress = [&](const CopyTotals&, std::string_view path) {
      if (path == Path(name)) change();
      return absl::OkStatus();
    };
    if (goes_on) options.gone_without = [this](const absl::Status& status) { told += std::string(status.message()); };
    return ImportTrees(&image_.fs(), {CopyPair{directory_.File("tree"), "in"}}, options);
  }

  // The names that the copy has.
  std::string Names() {
    const std::vector<std::string> list = image_.paths().List("in").value();
    return std::accumulate(list.begin(), list.end(), std::string());
  }

  bool goes_on = true;
  std::string told;

  test::Image& image() { return image_; }

 private:
  TempDir directory_;
  test::Image image_;
};

TEST_CASE("a file that becomes a fifo while it is copied is not waited for") {
  ChangingTree tree;
  const auto copied = tree.Import("b", [&] {
    REQUIRE(unlink(tree.Path("b").c_str()) == 0);
    REQUIRE(mkfifo(tree.Path("b").c_str(), 0600) == 0);
  });
  REQUIRE(copied.ok());
  CHECK(copied->gone_without == 1);
  CHECK_THAT(tree.told, EndsWith("b: is no regular file any more"));
  CHECK(tree.Names() == "ac");
}

TEST_CASE("a file that becomes a device while it is copied is not read") {
  ChangingTree tree;
  bool is_device = true;
  const auto copied = tree.Import("b", [&] {
    REQUIRE(unlink(tree.Path("b").c_str()) == 0);
    is_device = mknod(tree.Path("b").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;
  });
  if (!is_device) return;  // for user 0 only
  REQUIRE(copied.ok());
  CHECK_THAT(tree.told, EndsWith("b: is no regular file any more"));
  CHECK(tree.Names() == "ac");
}

TEST_CASE("a copy goes on behind a file that vanishes") {
  ChangingTree tree;
  const std::string when = GENERATE("a", "b");  // before it has been looked at, or after
  tree.goes_on = GENERATE(true, false);
  const auto copied = tree.Import(when, [&] { REQUIRE(unlink(tree.Path("b").c_str()) == 0); });
  INFO(copied.status());
  if (!tree.goes_on) {
    CHECK(test::Errno(copied) == ENOENT);
    return;
  }
  REQUIRE(copied.ok());
  CHECK(copied->gone_without == 1);
  CHECK_THAT(tree.told, Contains("/b: ") && EndsWith("No such file or directory"));
  CHECK(tree.Names() == "ac");
}

TEST_CASE("a copy goes on behind a directory that vanishes") {
  ChangingTree tree;
  std::filesystem::create_directory(tree.Path("b-directory"));
  tree.Write("b-directory/file", "");
  const auto copied = tree.Import("c", [&] { std::filesystem::remove_all(tree.Path("b-directory")); });
  INFO(copied.status());
  REQUIRE(copied.ok());
  CHECK(copied->gone_without == 1);
  CHECK_THAT(tree.told, EndsWith("b-directory: open: No such file or directory"));
  CHECK(tree.Names() == "abb-directoryc");
}

TEST_CASE("a copy goes on behind a file whose name a directory has") {
  ChangingTree tree;
  REQUIRE(tree.image().paths().MakeDirectories("in/b").ok());
  tree.goes_on = GENERATE(true, false);
  const auto copied = tree.Import("", [] {});
  INFO(copied.status());
  if (!tree.goes_on) {
    CHECK(test::Errno(copied) == EISDIR);
    return;
  }
  REQUIRE(copied.ok());
  CHECK(copied->gone_without == 1);
  CHECK_THAT(tree.told, EndsWith("/b: cannot replace a directory by what is none: Is a directory"));
  CHECK(tree.Names() == "abc");
}

TEST_CASE("a file that is replaced while it is copied is copied as what it is now") {
  ChangingTree tree;
  const auto copied = tree.Import("b", [&] {
    tree.Write("new", "newer");
    REQUIRE(chmod(tree.Path("new").c_str(), 0640) == 0);
    REQUIRE(rename(tree.Path("new").c_str(), tree.Path("b").c_str()) == 0);
  });
  INFO(copied.status());
  REQUIRE(copied.ok());
  CHECK(tree.image().paths().ReadFile("in/b").value() == "newer");
  CHECK(tree.image().paths().Stat("in/b").value().permissions == 0640);
}

}  // namespace
}  // namespace betr::fs
