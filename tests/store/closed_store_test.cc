// SPDX-License-Identifier: Apache-2.0
// A store that is closed, and one that a child of its process has inherited: both refuse to write, and nobody waits for
// threads that are gone.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "betr/store.h"
#include "device/file_device.h"
#include "support/device/temp_dir.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr unsigned kSecondsToHang = 30;

class Image {
 public:
  Image() : path_(dir_.File("image")) {
    FormatOptions format;
    format.node_size = KiB(64);
    format.log_size = MiB(1);
    const auto device = Must(FileDevice::Create(path_, MiB(64)));
    Must(Store::Format(*device, format));
  }

  // With threads.
  std::unique_ptr<Store> Open() {
    StoreOptions options;
    options.cache_size = MiB(16);
    return Must(Store::OpenImage(path_, std::move(options)));
  }

 private:
  TempDir dir_;
  std::string path_;
};

// Everything that would write, as calls.
std::vector<absl::Status> TryToWrite(Store& store, TreeId tree) {
  WriteBatch batch;
  batch.ClonePrefix(tree, "a", tree, "b");
  return {store.Put(tree, "key", "value"),
          store.EraseRange(tree, Range::All()),
          store.Write(batch),
          store.CreateTree("new").status(),
          store.Snapshot(tree, "snapshot").status(),
          store.DropTree(tree),
          store.Compact(tree),
          store.Checkpoint(),
          store.Sync()};
}

// The exit code of what a child does.
int InChild(const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsToHang);
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a closed store refuses to write and can be read", "[store]") {
  Image image;
  const auto store = image.Open();
  const TreeId tree = Must(store->CreateTree("tree"));
  Must(store->Put(tree, "key", "before"));
  Must(store->Close());
  for (const absl::Status& status : TryToWrite(*store, tree)) {
    CHECK(absl::IsFailedPrecondition(status));
    CHECK_THAT(std::string(status.message()), Catch::Contains("the store is closed"));
  }
  CHECK(Must(store->Get(tree, "key")) == "before");
  Must(store->Close());
}

TEST_CASE("a store is closed by several threads at once", "[store]") {
  Image image;
  for (int round = 0; round < 20; ++round) {
    const auto store = image.Open();
    std::vector<std::thread> closing;
    std::array<absl::Status, 3> ends;
    for (absl::Status& end : ends) {
      closing.emplace_back([&] { end = store->Close(); });
    }
    for (std::thread& thread : closing) thread.join();
    for (const absl::Status& end : ends) CHECK(end.ok());
  }
}

TEST_CASE("a child does not write to the store that it has inherited", "[store]") {
  Image image;
  auto store = image.Open();
  const TreeId tree = Must(store->CreateTree("tree"));
  Must(store->Put(tree, "key", "parent's"));
  const int exit = InChild([&] {
    bool refused = absl::IsFailedPrecondition(store->Close());
    for (const absl::Status& status : TryToWrite(*store, tree)) refused = refused && absl::IsFailedPrecondition(status);
    store.reset();
    return refused;
  });
  CHECK(exit == 0);
  Must(store->Put(tree, "after", "parent's"));
  Must(store->Sync());
  store.reset();
  store = image.Open();
  CHECK(Must(store->Get(tree, "key")) == "parent's");
  CHECK(Must(store->Get(tree, "after")) == "parent's");
  Must(store->Close());
  // What a child opens itself is its own.
  store.reset();
  CHECK(InChild([&] {
          const auto own = image.Open();
          return own->Put(tree, "key", "child's").ok() && own->Close().ok();
        }) == 0);
  CHECK(Must(image.Open()->Get(tree, "key")) == "child's");
}

TEST_CASE("a batch that was moved from is empty", "[store]") {
  WriteBatch batch;
  batch.Put(TreeId{1}, "key", "value");
  const Bytes size = batch.Size();
  WriteBatch taken(std::move(batch));
  CHECK(taken.Size() == size);
  CHECK(batch.Empty());  // NOLINT(bugprone-use-after-move): it promises that
  CHECK(batch.Size().value == 0);
  batch = std::move(taken);
  CHECK(batch.Size() == size);
  CHECK(taken.Size().value == 0);  // NOLINT(bugprone-use-after-move)
}

}  // namespace betr::test
