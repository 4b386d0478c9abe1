// SPDX-License-Identifier: Apache-2.0
#include "support/damage/subject.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "betr/filesystem.h"
#include "betr/path_filesystem.h"
#include "fs/block_delta.h"
#include "store/borrowed_device.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr Bytes kSize = MiB(4);

// Makes a subject: writes to a store and remembers moments.
class Maker {
 public:
  Maker(std::string name, Logging logging, Bytes node_size = Bytes{512}) : logging_(logging), device_(kSize) {
    subject_.name = std::move(name);
    subject_.size = kSize;
    FormatOptions format;
    format.node_size = node_size;
    format.basement_size = node_size / 4;
    format.fanout = 4;
    format.log_size = KiB(64);
    format.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
    Must(Store::Format(device_, format));
    Open();
  }

  Store& store() { return *store_; }
  MemoryDevice& device() { return device_; }
  std::unique_ptr<Store> Release() { return std::move(store_); }

  void Open() {
    StoreOptions options = SubjectOptions(false);
    options.logging = logging_;
    store_ = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
  }

  void Close() {
    Must(store_->Close());
    store_.reset();
  }

  void Put(TreeId tree, std::string_view prefix, int from, int to) {
    WriteBatch batch;
    for (int i = from; i < to; ++i) {
      batch.Put(tree, fmt::format("{}{:03}", prefix, i), fmt::format("{}-{}", i, std::string(size_t(i % 7) * 5, 'v')));
    }
    Must(store_->Write(batch));
  }

  // Something that reading may give from now on, if the log is damaged.
  void Remember() { subject_.states.push_back(ReadContents(*store_)); }
  void RememberImage() { subject_.history.push_back(device_.Pages()); }

  Subject Finish() {
    subject_.image = device_.Pages();
    if (subject_.states.empty()) {
      const std::unique_ptr<Store> look = Must(OpenSubject(device_, true));
      subject_.states.push_back(ReadContents(*look));
    }
    return std::move(subject_);
  }

 private:
  const Logging logging_;
  MemoryDevice device_;
  std::unique_ptr<Store> store_;
  Subject subject_;
};

void Fill(Maker& maker) {
  Store& store = maker.store();
  const TreeId tree = Must(store.CreateTree("main"));
  const TreeId other = Must(store.CreateTree("other", "zstd"));
  maker.Put(tree, "usr/lib/", 0, 60);
  maker.Put(tree, "var/", 0, 30);
  Must(store.Checkpoint());
  maker.RememberImage();
  Must(store.ClonePrefix(tree, "usr/", tree, "copy/"));
  Must(store.ClonePrefix(tree, "usr/lib/", other, "lib/"));
  static_cast<void>(Must(store.Snapshot(tree, "before")));
  maker.Put(tree, "copy/lib/", 20, 40);
  Must(store.Checkpoint());
  maker.RememberImage();
  Must(store.EraseRange(tree, Range::Prefix("var/01")));
  Must(store.RenamePrefix(tree, "usr/lib/00", tree, "usr/\xff\x01"));
  Must(store.Erase(tree, "usr/lib/017"));
  for (int i = 0; i < 20; ++i) {
    Must(store.Upsert(tree, fmt::format("var/{:03}", i), fs::kBlockUpsert, fs::EncodeBlockTruncate(3)));
  }
  Must(store.Checkpoint());
  maker.RememberImage();
  maker.Put(tree, "usr/lib/", 40, 50);
  Must(store.Checkpoint());
  maker.Put(tree, "usr/lib/", 50, 52);  // so little that it stays in the root
}

void FillFiles(FileSystem& fs) {
  PathFileSystem paths(&fs);
  Must(paths.MakeDirectories("folk/anna/docs"));
  Must(paths.MakeDirectory("folk/otto"));
  for (int i = 0; i < 12; ++i) {
    Must(paths.WriteFile(fmt::format("folk/anna/docs/page-{:02}", i), std::string(size_t(i) * 400, char('a' + i))));
  }
  Must(paths.WriteFile("folk/otto/large", std::string(20000, 'L')));
  Must(paths.MakeSymlink("anna/docs", "folk/link"));
  Must(paths.Link("folk/anna/docs/page-03", "folk/anna/second"));
  Must(fs.Sync());
  Must(paths.Clone("folk/anna", "folk/berta"));
  Must(paths.WriteFile("folk/berta/docs/page-05", "changed"));
  const OpenFile file = Must(paths.Open("folk/otto/large"));
  Must(fs.SetXattr(file.inode(), "user.small", "note"));
  Must(fs.SetXattr(file.inode(), "user.large", std::string(3000, 'x')));
}

}  // namespace

Contents ReadContents(const Store& store) {
  Contents contents;
  for (const TreeInfo& tree : store.Trees()) {
    auto& entries = contents[tree.name];
    const std::unique_ptr<Cursor> cursor = Must(store.NewCursor(tree.id));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) entries.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
  }
  return contents;
}

StoreOptions SubjectOptions(bool read_only) {
  StoreOptions options;
  options.read_only = read_only;
  options.background = false;
  options.cache_size = MiB(4);
  options.checkpoint_period = std::chrono::seconds(0);
  options.settle_time = std::chrono::milliseconds(0);
  REQUIRE(FileSystem::RegisterUpserts(&options.functions).ok());
  return options;
}

absl::StatusOr<std::unique_ptr<Store>> OpenSubject(MemoryDevice& device, bool read_only) {
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), SubjectOptions(read_only));
}

Subject ClosedStore() {
  Maker maker("closed store", Logging::kFull);
  Fill(maker);
  maker.Close();
  return maker.Finish();
}

Subject CrashedStore() {
  Maker maker("crashed store", Logging::kFull);
  Fill(maker);
  Must(maker.store().Checkpoint());
  maker.Remember();
  const TreeId tree = Must(maker.store().FindTree("main"));
  for (int i = 0; i < 6; ++i) {
    maker.Put(tree, "log/", 10 * i, 10 * i + 8);
    Must(maker.store().Sync());
    maker.Remember();
    if (i == 2) {
      Must(maker.store().ClonePrefix(tree, "log/", tree, "gol/"));
      maker.Remember();
    }
  }
  Must(maker.store().EraseRange(tree, Range::Prefix("log/0")));
  Must(maker.store().Sync());
  maker.Remember();
  return maker.Finish();
}

Subject BulkStore() {
  Maker maker("bulk store", Logging::kBulk);
  Fill(maker);
  Must(maker.store().Sync());
  maker.RememberImage();
  maker.Put(Must(maker.store().FindTree("main")), "usr/bin/", 0, 30);
  Must(maker.store().Sync());
  return maker.Finish();
}

Subject FileSystemImage() {
  Maker maker("file system", Logging::kFull);
  RootOptions root;
  root.time = {1'000'000'000, 0};
  Must(FileSystem::Format(&maker.store(), root));
  Must(maker.store().Checkpoint());
  maker.RememberImage();
  ManualClock clock(std::chrono::seconds(1'000'000'000));
  MountOptions options;
  options.clock = &clock;
  const std::unique_ptr<FileSystem> fs = Must(FileSystem::Mount(maker.Release(), options));
  FillFiles(*fs);
  Must(fs->Unmount());
  return maker.Finish();
}

Subject WideStore() {
  Maker maker("wide store", Logging::kFull, KiB(8));
  Random random(1);
  const TreeId tree = Must(maker.store().CreateTree("main"));
  for (int i = 0; i < 40; ++i) Must(maker.store().Put(tree, fmt::format("key/{:03}", i), random.String(500)));
  // What a snapshot shares costs nothing, and its name fills the catalog.
  for (int i = 0; i < 20; ++i) static_cast<void>(Must(maker.store().Snapshot(tree, fmt::format("{:0>240}", i))));
  maker.Close();
  return maker.Finish();
}

}  // namespace betr::test
