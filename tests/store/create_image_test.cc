// SPDX-License-Identifier: Apache-2.0
// Stores in files, made by path: by programs that do not use the tools.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "betr/store.h"
#include "support/device/small_file_system.h"
#include "support/device/temp_dir.h"
#include "support/skip.h"

namespace betr::test {
namespace {

FormatOptions Small() {
  FormatOptions format;
  format.node_size = KiB(64);
  format.log_size = MiB(1);
  return format;
}

TEST_CASE("an image file is made, and never over another", "[store]") {
  TempDir directory;
  const std::string path = directory.File("image");
  REQUIRE(Store::CreateImage(path, MiB(16), Small()).ok());
  CHECK(std::filesystem::file_size(path) == MiB(16).value);
  {
    const auto store = Store::OpenImage(path, {}).value();
    REQUIRE(store->Put(store->CreateTree("tree").value(), "key", "value").ok());
    CHECK(absl::IsFailedPrecondition(Store::FormatImage(path, Small(), Store::Existing::kOverwrite)));
    REQUIRE(store->Close().ok());
  }
  CHECK(absl::IsAlreadyExists(Store::CreateImage(path, MiB(16), Small())));
  CHECK(absl::IsAlreadyExists(Store::FormatImage(path, Small())));
  CHECK(Store::OpenImage(path, {}).value()->Trees().size() == 1);
  REQUIRE(Store::FormatImage(path, Small(), Store::Existing::kOverwrite).ok());
  CHECK(Store::OpenImage(path, {}).value()->Trees().empty());
}

TEST_CASE("an image is made in an empty file, and not in one with anything in it", "[store]") {
  TempDir directory;
  const std::string path = directory.File("file");
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, MiB(16).value);
  CHECK(absl::IsAlreadyExists(Store::FormatImage(path, Small())));
  CHECK(std::ifstream(path).get() == 'x');
  std::ofstream(path, std::ios::in).put('\0');
  CHECK(Store::FormatImage(path, Small()).ok());
  CHECK(absl::IsNotFound(Store::FormatImage(directory.File("nothing"), Small())));
}

TEST_CASE("an image of any size is made without any option, and its sizes fit it", "[store]") {
  struct Fitted {
    Bytes image, node, log;
  };
  for (const auto& [image, node, log] :
       {Fitted{MiB(3), KiB(64), KiB(768)}, Fitted{MiB(16), KiB(64), MiB(1)}, Fitted{MiB(64), KiB(256), MiB(4)},
        Fitted{GiB(1), MiB(4), MiB(64)}, Fitted{GiB(64), MiB(4), MiB(256)}}) {
    TempDir directory;
    const std::string path = directory.File("image");
    INFO(image.value);
    REQUIRE(Store::CreateImage(path, image, {}).ok());
    auto store = Store::OpenImage(path, {}).value();
    CHECK(store->Format().node_size == node);
    CHECK(store->Format().basement_size == KiB(64));
    CHECK(store->Format().log_size == log);
    const TreeId tree = store->CreateTree("tree").value();
    REQUIRE(store->Put(tree, "key", "value").ok());
    REQUIRE(store->Close().ok());
    store.reset();
    CHECK(Store::OpenImage(path, {}).value()->Get(tree, "key").value() == "value");
  }
  TempDir directory;
  FormatOptions small_nodes;
  small_nodes.node_size = KiB(4);
  REQUIRE(Store::CreateImage(directory.File("image"), MiB(16), small_nodes).ok());
  CHECK(Store::OpenImage(directory.File("image"), {}).value()->Format().basement_size == KiB(4));
}

TEST_CASE("options that do not fit leave no file", "[store]") {
  TempDir directory;
  const std::string path = directory.File("image");
  FormatOptions bad = Small();
  bad.fanout = 1;
  CHECK(absl::IsInvalidArgument(Store::CreateImage(path, MiB(16), bad)));
  CHECK(absl::IsInvalidArgument(Store::CreateImage(path, MiB(1), FormatOptions())));
  CHECK(absl::IsInvalidArgument(Store::CreateImage(path, Bytes{MiB(16).value + 1}, Small())));
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a path with a zero byte names nothing", "[store]") {
  TempDir directory;
  const std::string path = directory.File("image") + std::string("\0.old", 5);
  const auto is_refused = [](const absl::Status& status) {
    INFO(status);
    CHECK(absl::IsInvalidArgument(status));
    CHECK(status.message().find("image\\x00.old") != std::string_view::npos);
  };
  is_refused(Store::CreateImage(path, MiB(16), Small()));
  CHECK(std::filesystem::is_empty(directory.path()));
  REQUIRE(Store::CreateImage(directory.File("image"), MiB(16), Small()).ok());
  is_refused(Store::FormatImage(path, Small(), Store::Existing::kOverwrite));
  is_refused(Store::OpenImage(path, {}).status());
}

TEST_CASE("a host without space for an image has no part of it", "[store]") {
  SmallFileSystem host(KiB(8));
  if (!host.Mounted()) BETR_SKIP("no file system can be mounted");
  const absl::Status made = Store::CreateImage(host.File("image"), MiB(16), Small());
  INFO(made);
  CHECK(absl::IsUnavailable(made));
  CHECK(made.message().find("image: write of") != std::string_view::npos);
  CHECK(made.message().find("No space left on device") != std::string_view::npos);
  CHECK_FALSE(std::filesystem::exists(host.File("image")));
}

}  // namespace
}  // namespace betr::test
