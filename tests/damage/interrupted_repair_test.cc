// SPDX-License-Identifier: Apache-2.0
// fsck.betr -y that a crash interrupts, at any write: the next one goes on, and what the first would have kept is kept.
// And whatever ends it, what it loses was told before anything was written.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "base/random.h"
#include "betr/path_filesystem.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "fs/check/lost_trees.h"
#include "fs/key.h"
#include "fsck.h"
#include "store/offline/check_store.h"
#include "store/offline/salvage.h"
#include "support/damage/corpus.h"
#include "support/damage/run_fsck_on.h"
#include "support/device/hook_device.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/tools/run_tool.h"

namespace betr::test {
namespace {

// Paths, and what is there: the content of files, the type of everything else.
using Files = std::map<std::string, std::string>;

Files ReadFiles(MemoryDevice& device) {
  MemoryDevice copy(device.Size(), device.Pages());
  const std::unique_ptr<FileSystem> fs = Must(FileSystem::Mount(Must(OpenSubject(copy, false)), {}));
  PathFileSystem paths(fs.get());
  Files files;
  Must(paths.Walk("", [&](const std::string& name, const FileAttributes& attributes) {
    const bool is_file = attributes.type == FileType::kRegular;
    files[name] = is_file ? Must(paths.ReadFile(name)) : fmt::format("type {}", static_cast<int>(attributes.type));
    return absl::OkStatus();
  }));
  Must(fs->Unmount());
  return files;
}

bool HasLostTrees(MemoryDevice& device) {
  const std::vector<TreeInfo> trees = Must(OpenSubject(device, true))->Trees();
  return std::any_of(trees.begin(), trees.end(),
                     [](const TreeInfo& tree) { return tree.name.starts_with(store::kLostTreePrefix); });
}

bool IsStoreWhole(MemoryDevice& device) {
  bool is_whole = true;
  const auto image = Must(store::Inspection::Open(device, MiB(4)));
  store::CheckStore(*image, store::CheckDepth::kFull, [&](const store::Finding&) { is_whole = false; });
  return is_whole;
}

std::string Difference(const Files& expected, const Files& found) {
  std::string text;
  for (const auto& [path, content] : expected) {
    const auto at = found.find(path);
    if (at == found.end()) {
      text += path + " is gone\n";
    } else if (at->second != content) {
      text += path + " is another\n";
    }
  }
  for (const auto& [path, content] : found) text += expected.contains(path) ? "" : path + " is new\n";
  return text;
}

// A damaged file system, its repair, and what that wrote.
class Interrupted {
 public:
  Interrupted(const Subject& subject, const DamageCase& test) : name_(test.name) {
    Bench bench(subject);
    test.damage(bench);
    damaged_ = bench.device().Pages();
    size_ = subject.size;
    device_ = std::make_unique<MemoryDevice>(size_, damaged_);
    recorder_ = std::make_unique<RecordingDevice>(*device_, damaged_);
    const FsckRun repair = RunFsckOn(*recorder_, {"-y"});
    INFO(name_ << "\n" << repair.out << repair.err);
    REQUIRE(repair.exit == tools::kFsckCorrected);
    said_ = repair.out;
    expected_ = ReadFiles(*device_);
  }

  const WriteHistory& history() const { return recorder_->History(); }

  // Goes on where the crash left it.
  void GoOn(const CrashPlan& plan) {
    const std::unique_ptr<MemoryDevice> image = history().CrashImage(plan);
    const FsckRun second = RunFsckOn(*image, {"-y"});
    INFO(name_ << ": crash " << FormatPlan(plan) << "\nfirst:\n" << said_ << "\nsecond:\n" << second.out << second.err);
    REQUIRE((second.exit == tools::kFsckClean || second.exit == tools::kFsckCorrected));
    const FsckRun third = RunFsckOn(*image, {"-f"});
    INFO("third:\n" << third.out << third.err);
    REQUIRE(third.exit == tools::kFsckClean);
    CHECK_FALSE(HasLostTrees(*image));
    CHECK(Difference(expected_, ReadFiles(*image)) == "");
    ++crashes_;
  }

  // The same, but that a repair which loses nothing comes first: it looks closely if there is anything to find.
  void GoOnAfterPreen(const CrashPlan& plan) {
    const std::unique_ptr<MemoryDevice> image = history().CrashImage(plan);
    const bool is_store_whole = IsStoreWhole(*image);
    const FsckRun look = RunFsckOn(*image, {});
    const FsckRun preen = RunFsckOn(*image, {"-p"});
    INFO(name_ << ": crash " << FormatPlan(plan) << "\nlook:\n" << look.out << "\n-p:\n" << preen.out << preen.err);
    if (look.exit != tools::kFsckClean && is_store_whole) REQUIRE_FALSE(Says(preen, "not looked at closely"));
    const FsckRun whole = RunFsckOn(*image, {"-y"});
    INFO("-y:\n" << whole.out << whole.err);
    REQUIRE((whole.exit & ~tools::kFsckCorrected) == 0);
    CHECK(Difference(expected_, ReadFiles(*image)) == "");
    CHECK(RunFsckOn(*image, {"-f"}).exit == tools::kFsckClean);
    // What was found clean is not written to, so it goes on to say how it was ended.
    CHECK((whole.exit == tools::kFsckClean || Says(RunFsckOn(*image, {"-p"}), "not looked at closely")));
  }

  void GoOnAfterEachWrite() {
    for (size_t events = 0; events <= history().EventCount(); ++events) GoOn(history().PrefixPlan(events));
  }

  void GoOnAfterSome(Random& random, int count) {
    for (int i = 0; i < count; ++i) GoOn(history().SectorPlan(random.Uniform(history().EventCount() + 1), random));
  }

  // As without a crash.
  const Files& files() const { return expected_; }
  uint64_t crashes() const { return crashes_; }

 private:
  const std::string name_;
  PageMap damaged_;
  Bytes size_{0};
  std::unique_ptr<MemoryDevice> device_;
  std::unique_ptr<RecordingDevice> recorder_;
  std::string said_;
  Files expected_;
  uint64_t crashes_ = 0;
};

TEST_CASE("a repair that a crash interrupts is gone on with by the next one", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  Random random(TestSeed());
  for (const DamageCase& test : FileStoreCases()) {
    Interrupted repair(subject, test);
    repair.GoOnAfterEachWrite();
    repair.GoOnAfterSome(random, static_cast<int>(30 * TestScale()));
    std::cout << fmt::format("{}: {} crashes of a repair with {} writes\n", test.name, repair.crashes(),
                             repair.history().EventCount());
  }
}

TEST_CASE("fsck -p looks closely at what an interrupted repair has left, and keeps it", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  for (const DamageCase& test : FileStoreCases()) {
    Interrupted repair(subject, test);
    for (size_t events = 0; events <= repair.history().EventCount(); ++events) {
      repair.GoOnAfterPreen(repair.history().PrefixPlan(events));
    }
  }
}

TEST_CASE("whichever read fails, fsck -y keeps all files that it would keep", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  const auto step = std::max<uint64_t>(1, static_cast<uint64_t>(15 / TestScale()));
  for (const DamageCase& test : FileStoreCases()) {
    const Interrupted whole(subject, test);
    Bench bench(subject);
    test.damage(bench);
    const PageMap damaged = bench.device().Pages();
    for (uint64_t nth = 1;; nth += step) {
      MemoryDevice copy(subject.size, damaged);
      FaultDevice failing(copy);
      failing.Arm({.on = Fault::On::kRead, .nth = nth});
      const FsckRun first = RunFsckOn(failing, {"-y"});
      INFO(test.name << ": read " << nth << "\n" << first.out << first.err);
      if (failing.Hits() == 0) break;
      const FsckRun second = RunFsckOn(copy, {"-y"});
      INFO("second:\n" << second.out << second.err);
      CHECK((second.exit & ~tools::kFsckCorrected) == 0);
      CHECK(Difference(whole.files(), ReadFiles(copy)) == "");
    }
  }
}

TEST_CASE("what a repair has found and did not put into its place is found by the next one", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  Bench bench(subject);
  bench.ChangeFiles([](const FileTrees& t) {
    const TreeId lost = Must(t.store.CreateTree(std::string(store::kLostTreePrefix) + "7"));
    Must(t.store.RenamePrefix(t.meta, fs::key::Content(fs::key::Content("", "folk"), "anna"), lost, ""));
  });
  const std::string finding = "tree \"lost+found.7\": a repair has found it";
  const FsckRun look = RunFsckOn(bench.device(), {});
  INFO(look.out << look.err);
  CHECK(look.exit == tools::kFsckUncorrected);
  CHECK(Says(look, finding));
  CHECK(HasLostTrees(bench.device()));
  const std::string how = GENERATE("-p", "-y");
  const FsckRun repair = RunFsckOn(bench.device(), {how});
  INFO(how << "\n" << repair.out << repair.err);
  CHECK((repair.exit & tools::kFsckCorrected) != 0);
  CHECK(Says(repair, finding));
  CHECK(Says(repair, "node 7: files in /lost+found/node-7"));
  CHECK_FALSE(HasLostTrees(bench.device()));
  CHECK((RunFsckOn(bench.device(), {"-y"}).exit & ~tools::kFsckCorrected) == 0);
  CHECK(RunFsckOn(bench.device(), {"-f"}).exit == tools::kFsckClean);
  CHECK(Says(RunFsckOn(bench.device(), {"-p"}), "not looked at closely"));
  CHECK(ReadFiles(bench.device()).contains("lost+found/node-7/docs/page-05"));
}

TEST_CASE("fsck -p does not look closely at a store because of the names of its trees", "[damage][repair]") {
  MemoryDevice device(MiB(4));
  FormatOptions format;
  format.node_size = KiB(4);
  format.basement_size = KiB(1);
  format.log_size = KiB(64);
  Must(Store::Format(device, format));
  {
    const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
    Must(store->Put(Must(store->CreateTree("data")), "key", "value"));
    Must(store->Close());
  }
  CHECK(Says(RunFsckOn(device, {"-p"}), "not looked at closely"));
}

TEST_CASE("each lost tree is put into its place by one batch", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  Bench bench(subject);
  bench.ChangeFiles([](const FileTrees& t) {
    for (const char* name : {"anna", "berta", "otto"}) {
      const TreeId lost = Must(t.store.CreateTree(std::string(store::kLostTreePrefix) + name));
      Must(t.store.RenamePrefix(t.meta, fs::key::Content(fs::key::Content("", "folk"), name), lost, ""));
    }
  });
  {
    const std::unique_ptr<Store> store = Must(OpenSubject(bench.device(), false));
    Must(fs::AdoptLostTrees(store.get(), [](std::string_view) {}));
    Must(store->Sync());
  }
  const auto image = Must(store::Inspection::Open(bench.device(), MiB(4)));
  CHECK(store::CheckStore(*image, store::CheckDepth::kQuick, [](const store::Finding&) {}).log_records == 3);
  CHECK_FALSE(HasLostTrees(bench.device()));
}

TEST_CASE("what is lost is told before anything is written", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  for (const DamageCase& test : FileStoreCases()) {
    Bench bench(subject);
    test.damage(bench);
    tools::ToolRun run;
    std::ostream* printed = nullptr;  // what the tool prints to, and once the device
    HookDevice device(bench.device(), nullptr, [&] {
      if (printed != nullptr) *std::exchange(printed, nullptr) << "first write\n";
      return absl::OkStatus();
    });
    const int exit = run.Run(
        [&](tools::Arguments args, tools::ToolIo& io) {
          printed = &io.out;
          return tools::FsckDeviceMain(args, io, kNeverCancelled, device);
        },
        {"-y", "memory"});
    INFO(test.name << "\n" << run.out << run.err);
    CHECK(exit == tools::kFsckCorrected);
    REQUIRE(run.out.find("first write\n") != std::string::npos);
    CHECK((run.out.find("giving up: ") < run.out.find("first write\n")) == test.is_lossy);
  }
}

TEST_CASE("what is lost is told whichever write fails", "[damage][repair]") {
  const Subject subject = FileSystemImage();
  for (const DamageCase& test : FileStoreCases()) {
    Bench bench(subject);
    test.damage(bench);
    const PageMap damaged = bench.device().Pages();
    for (uint64_t nth = 1;; ++nth) {
      MemoryDevice copy(subject.size, damaged);
      FaultDevice failing(copy);
      failing.Arm({.on = Fault::On::kWrite, .nth = nth, .repeat = Fault::Repeat::kFromThenOn});
      const FsckRun run = RunFsckOn(failing, {"-y"});
      INFO(test.name << ": write " << nth << "\n" << run.out << run.err);
      if (failing.Hits() == 0) break;
      CHECK((run.exit & tools::kFsckOperational) != 0);
      CHECK((run.out.find("giving up: ") != std::string::npos) == test.is_lossy);
      CHECK((run.out.find("\nlost: ") != std::string::npos) == test.is_lossy);
      const bool is_left = (RunFsckOn(copy, {"-f"}).exit & tools::kFsckUncorrected) != 0;
      CHECK((!is_left || (run.exit & tools::kFsckUncorrected) != 0));
    }
  }
}

}  // namespace
}  // namespace betr::test
