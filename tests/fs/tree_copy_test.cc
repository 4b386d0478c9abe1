// SPDX-License-Identifier: Apache-2.0
// Trees of the host that change while they are copied.
#include "fs/tree_copy.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "support/device/temp_dir.h"
#include "support/fs/image.h"

namespace betr::fs {
namespace {

using Catch::Matchers::Contains;

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
    return ImportTrees(&image_.fs(), {CopyPair{directory_.File("tree"), "in"}}, options);
  }

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
  CHECK_THAT(std::string(copied.status().message()), Contains("b: is no regular file any more"));
}

TEST_CASE("a file that becomes a device while it is copied is not read") {
  ChangingTree tree;
  bool is_device = true;
  const auto copied = tree.Import("b", [&] {
    REQUIRE(unlink(tree.Path("b").c_str()) == 0);
    is_device = mknod(tree.Path("b").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;
  });
  if (!is_device) return;  // for user 0 only
  CHECK(copied.status().message().find("no regular file any more") != std::string::npos);
  CHECK(tree.image().paths().Stat("in/b").status().code() == absl::StatusCode::kNotFound);
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
