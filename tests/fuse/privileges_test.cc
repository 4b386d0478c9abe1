// SPDX-License-Identifier: Apache-2.0
// Set-id bits that have to go before a request is handled.
#include "privileges.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "base/random.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::fuse {
namespace {

using test::Must;

// All space, also what is kept for operations that make room.
void TakeSpace(Store* store) {
  const TreeId junk = Must(store->CreateTree("junk"));
  Random random(1);
  int puts = 0;
  for (const size_t size : {60'000, 8'000, 100}) {
    for (absl::Status put; put.ok(); ++puts) {
      WriteBatch batch;
      batch.MayUseReserve();
      batch.Put(junk, std::to_string(puts), random.String(size));
      put = store->Write(batch);
    }
  }
}

TEST_CASE("whoever cannot take set-id bits away is told so", "[fuse][full]") {
  test::ImageOptions options;
  options.size = MiB(16);
  options.compression = "none";
  test::Image image(options);
  Must(image.paths().WriteFile("program", "p"));
  const OpenFile program = Must(image.paths().Open("program"));
  Must(image.fs().SetAttributes(program.inode(), {.permissions = 06755}).status());
  TakeSpace(&image.fs().store());
  CHECK(ToErrno(DropPrivileges(image.fs(), nullptr, program.inode())) == ENOSPC);
  CHECK(Must(image.fs().GetAttributes(program.inode())).permissions == 06755);
  CHECK(ToErrno(DropPrivileges(image.fs(), nullptr, InodeId{12345})) == ESTALE);
}

}  // namespace
}  // namespace betr::fuse
