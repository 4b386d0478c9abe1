// SPDX-License-Identifier: Apache-2.0
// Trees of the host that are removed: nothing that only seems to be in them, and all that is, however deep.
#include "fs/transfer/host_removal.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

#include "base/scoped_fd.h"
#include "support/fs/host_tree.h"
#include "support/must.h"

namespace betr::fs {
namespace {

namespace host = std::filesystem;

using test::HostTree;

absl::Status Remove(const HostTree& tree, const std::string& name) {
  HostDirectory working;
  return RemoveHostTree(&working, tree.Path(name), tree.Path(name), std::nullopt);
}

void MakeDeep(const HostTree& tree, int depth) {
  ScopedFd at(open(tree.Path().c_str(), O_RDONLY | O_DIRECTORY));
  for (int level = 0; level < depth; ++level) {
    REQUIRE(mkdirat(at.get(), "d", 0700) == 0);
    at = ScopedFd(openat(at.get(), "d", O_RDONLY | O_DIRECTORY));
  }
}

void RunOnSmallStack(const std::function<void()>& work) {
  constexpr size_t kStack = size_t{256} << 10;
  pthread_attr_t attributes;
  pthread_t thread{};
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, kStack) == 0);
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  std::function<void()> copy = work;
  REQUIRE(pthread_create(&thread, &attributes, run, &copy) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("what a directory of the same file system is bound to is not removed") {
  HostTree tree;
  host::create_directories(tree.Path("outside"));
  host::create_directories(tree.Path("goes/bound"));
  tree.Write("outside/file", "stays");
  const std::string bound = tree.Path("goes/bound");
  if (mount(tree.Path("outside").c_str(), bound.c_str(), "", MS_BIND, nullptr) != 0) return;  // only user 0 may
  const absl::Status below = Remove(tree, "goes");
  const absl::Status itself = Remove(tree, "goes/bound");
  REQUIRE(umount(bound.c_str()) == 0);
  CHECK(test::Errno(below) == EBUSY);
  CHECK(test::Errno(itself) == EBUSY);
  CHECK(host::exists(tree.Path("outside/file")));
  test::Must(Remove(tree, "goes"));
}

TEST_CASE("the depth of a tree that is removed is not limited by the stack") {
  HostTree tree;
  MakeDeep(tree, 3000);
  absl::Status removed;
  RunOnSmallStack([&] { removed = Remove(tree, "d"); });
  test::Must(removed);
  CHECK(host::is_empty(tree.Path()));
}

TEST_CASE("after a removal that fails what is above is removed as before") {
  HostTree tree;
  MakeDeep(tree, 100);
  struct stat image {};
  {
    ScopedFd at(open(tree.Path().c_str(), O_RDONLY | O_DIRECTORY));
    for (int level = 0; level < 60; ++level) at = ScopedFd(openat(at.get(), "d", O_RDONLY | O_DIRECTORY));
    const ScopedFd file(openat(at.get(), "image", O_WRONLY | O_CREAT, 0600));
    REQUIRE(fstat(file.get(), &image) == 0);
    REQUIRE(mkdirat(at.get(), "z", 0700) == 0);
  }
  HostDirectory working;
  HostDirectory top = test::Must(HostDirectory::Enter(&working, tree.Path(), tree.Path()));
  const absl::Status kept = RemoveHostTree(&top, "d", "d", HostFileId{image.st_dev, image.st_ino});
  CHECK(test::Errno(kept) == EBUSY);
  test::Must(RemoveHostTree(&top, "d", "d", std::nullopt));
  CHECK(host::is_empty(tree.Path()));
}

}  // namespace betr::fs
