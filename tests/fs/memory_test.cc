// SPDX-License-Identifier: Apache-2.0
// Memory: what files were written takes none once it is in the store, however long they stay open.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <vector>

#include "support/fs/image.h"
#include "support/process_memory.h"

namespace betr::test {

TEST_CASE("what was written to open files leaves memory", "[fs][memory]") {
  constexpr int kFiles = 500;
  ImageOptions options;
  options.node_size = MiB(1);
  options.basement_size = KiB(64);
  options.log_size = MiB(16);
  Image image(options);
  // Compresses well, so that the device, which is in memory, stays small.
  const std::string content(MiB(1).value, 'x');
  std::vector<OpenFile> files;
  static_cast<void>(image.fs());
  ForgetPeakMemory();
  const Bytes before = ResidentMemory();
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = fmt::format("f{}", i);
    REQUIRE(image.paths().Create(name, {}).ok());
    files.push_back(*image.paths().Open(name));
    REQUIRE(*image.fs().Write(files.back().inode(), 0, content) == content.size());
  }
  if (!kHasShadowMemory) CHECK(PeakMemory() <= before + MiB(kFiles / 2));
  std::string found(content.size(), '\0');
  REQUIRE(*image.fs().Read(files.front().inode(), 0, found) == found.size());
  CHECK(found == content);
  files.clear();
  image.Check();
}

}  // namespace betr::test
