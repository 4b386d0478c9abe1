// SPDX-License-Identifier: Apache-2.0
// Transactions refuse what nobody could read again.
#include "fs/transaction.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "fs/key.h"
#include "fs/mount.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

// A file system without FileSystem.
class Bare {
 public:
  Bare() {
    image_.Unmount();
    core_ = Must(fs::OpenCore(image_.OpenStore(), {}));
  }

  fs::Core& core() { return *core_; }
  fs::Inode& root() { return core_->inodes().root(); }
  std::string StoredRoot() { return Must(core_->GetMeta(fs::key::kRootObject)).value(); }

 private:
  Image image_;
  std::unique_ptr<fs::Core> core_;
};

TEST_CASE("no record is written that could not be decoded", "[fs]") {
  Bare bare;
  const std::string before = bare.StoredRoot();
  const fs::InodeRecord record = bare.root().record;
  {
    fs::Transaction transaction(&bare.core());
    fs::InodeRecord unreadable = record;
    unreadable.permissions = 010000;
    transaction.batch().Put(bare.core().meta(), fs::key::kRootObject, fs::EncodeInode(unreadable));
    CHECK(absl::IsInternal(transaction.Commit()));
  }
  {
    fs::Transaction transaction(&bare.core());
    fs::AttributeDelta unreadable;
    unreadable.size = kMaxFileSize.value + 1;
    transaction.Change(&bare.root(), unreadable);
    CHECK(absl::IsInternal(transaction.Commit()));
  }
  CHECK(bare.StoredRoot() == before);
  CHECK(bare.root().record == record);
  fs::Transaction transaction(&bare.core());
  transaction.TouchDirectory(&bare.root(), 0);
  CHECK(transaction.Commit().ok());
}

TEST_CASE("no transaction takes the root's record along", "[fs]") {
  Bare bare;
  const std::string before = bare.StoredRoot();
  for (const TreeId tree : {bare.core().meta(), bare.core().data()}) {
    for (const auto& add : std::initializer_list<std::function<void(WriteBatch*)>>{
             [&](WriteBatch* batch) { batch->EraseRange(tree, Range::Prefix("")); },
             [&](WriteBatch* batch) { batch->EraseRange(tree, Range::Prefix(fs::key::kGlobalPrefix)); },
             [&](WriteBatch* batch) { batch->RenamePrefix(tree, "", tree, "moved"); },
             [&](WriteBatch* batch) { batch->RenamePrefix(tree, "moved", tree, ""); },
             [&](WriteBatch* batch) { batch->ClonePrefix(tree, "moved", tree, ""); }}) {
      fs::Transaction transaction(&bare.core());
      add(&transaction.batch());
      CHECK(absl::IsInternal(transaction.Commit()));
    }
  }
  CHECK(bare.StoredRoot() == before);
}

TEST_CASE("an operation on what is gone is tried once", "[fs]") {
  int runs = 0;
  const absl::Status gone = fs::Repeated([&] {
    ++runs;
    return ErrnoError(ESTALE, "a removed file");
  });
  CHECK(Errno(gone) == ESTALE);
  CHECK(runs == 1);
}

}  // namespace
}  // namespace betr::test
