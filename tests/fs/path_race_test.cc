// SPDX-License-Identifier: Apache-2.0
// A path that names something at each instant can be opened at each instant, whatever others put there.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

TEST_CASE("who opens a path while files are renamed onto it finds one of them", "[fs][thread]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("/file", "first").ok());
  std::atomic<bool> is_done = false;
  absl::Status renamed;
  std::thread renamer([&] {
    for (int i = 0; renamed.ok() && i < 20'000 * TestScale(); ++i) {
      renamed = paths.WriteFile("/new", "another");
      if (renamed.ok()) renamed = paths.Rename("/new", "/file");
    }
    is_done = true;
  });
  absl::Status status;
  uint64_t opened = 0;
  while (status.ok() && !is_done) {
    status = paths.ReadFile("/file").status();
    if (status.ok() && opened % 4 == 0) status = paths.WriteFile("/file", "written");
    ++opened;
  }
  renamer.join();
  INFO(status << ", " << renamed << " after " << opened);
  CHECK(status.ok());
  CHECK(renamed.ok());
  CHECK(opened > 0);
  image.Check();
}

}  // namespace
}  // namespace betr::test
