// SPDX-License-Identifier: Apache-2.0
// Archives of an image that somebody has forged: here because tests of lib/fs do without libarchive.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "fs/key.h"
#include "fs/record.h"
#include "fs/tar/tar_copy.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

namespace key = fs::key;

TEST_CASE("an archive of zones in themselves, with two names each, ends", "[tools]") {
  Image image;
  planted::Damage(image, [](const planted::Trees& t) {
    fs::InodeRecord root;
    root.type = FileType::kDirectory;
    root.zone = 1;
    Must(t.store.Put(t.meta, key::kVersionKey, fs::EncodeVersion({{1, 2}, true})));
    Must(t.store.Put(t.meta, key::Entry("", "d"), fs::EncodeInode(root)));
    for (uint64_t zone = 1; zone <= 100; ++zone) {
      root.zone = zone % 100 + 1;
      for (const char* name : {"a", "b"}) {
        Must(t.store.Put(t.meta, key::Entry(key::Zone(zone), name), fs::EncodeInode(root)));
      }
    }
  });
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  REQUIRE(null >= 0);
  fs::CopyOptions options;
  options.progress = [](const fs::CopyTotals& totals, std::string_view) {
    return totals.files < 10'000 ? absl::OkStatus() : absl::OutOfRangeError("no end");
  };
  CHECK(Errno(fs::ExportTar(&image.fs(), "", null, options)) == EUCLEAN);
  options.gone_without = [](const absl::Status& status) { CHECK(Errno(status) == EUCLEAN); };
  CHECK(Must(fs::ExportTar(&image.fs(), "", null, options)).gone_without == 101);
  close(null);
}

}  // namespace
}  // namespace betr::test
