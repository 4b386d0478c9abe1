// SPDX-License-Identifier: Apache-2.0
// A replay in a directory where something else is than the trace says: links out of it, devices, fifos. Nothing of that
// is followed or opened, and nothing outside is touched.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "replay/directory_target.h"
#include "support/device/temp_dir.h"
#include "support/replay/operations.h"
#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

namespace fs = std::filesystem;
using Kind = OperationKind;

constexpr NodeNumber kRoot{1};
constexpr NodeNumber kDirectory{2};
constexpr NodeNumber kFile{3};
constexpr FileNumber kOpen{1};

// A target with `x`, by the trace a directory with a file `f`, and in truth what the test makes of it.
class Trap {
 public:
  Trap() {
    fs::create_directories(File("victim/empty"));
    std::ofstream(File("victim/f")) << "secret";
    fs::permissions(File("victim/f"), fs::perms(0600));
    fs::create_directory(File("in"));
    auto target = DirectoryTarget::Open(File("in"), 1);
    REQUIRE(target.ok());
    target_ = *std::move(target);
    target_->BindRoot(kRoot);
    Operation lookup = MakeOperation(Kind::kLookup, {kDirectory, kRoot, "x", {}});
    lookup.type = FileType::kDirectory;
    target_->Perform(lookup);
    REQUIRE(stat(File("victim/f").c_str(), &before_) == 0);
  }

  std::string File(const std::string& name) const { return dir_.File(name); }
  int Perform(const Operation& operation) { return target_->Perform(operation).error; }

  void CheckVictim() const {
    struct stat after {};
    REQUIRE(stat(File("victim/f").c_str(), &after) == 0);
    CHECK(after.st_size == before_.st_size);
    CHECK(after.st_mode == before_.st_mode);
    CHECK(after.st_ctim.tv_sec == before_.st_ctim.tv_sec);
    CHECK(after.st_ctim.tv_nsec == before_.st_ctim.tv_nsec);
    size_t objects = 0;
    for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(File("victim"))) ++objects;
    CHECK(objects == 2);
  }

 private:
  TempDir dir_;
  std::unique_ptr<DirectoryTarget> target_;
  struct stat before_ {};
};

Operation Opening(const Place& place, uint32_t flags) {
  Operation open = MakeOperation(Kind::kOpen, place);
  open.flags = flags;
  open.file = kOpen;
  return open;
}

Operation Creation(const Place& place, uint32_t flags) {
  Operation create = Opening(place, flags | O_CREAT);
  create.kind = Kind::kCreate;
  create.mode = 0666;
  return create;
}

// Operations on a place where a file is by the trace.
std::vector<Operation> OnFile(const Place& place) {
  std::vector<Operation> all{Opening(place, O_RDWR | O_TRUNC), Opening(place, O_RDWR | O_CREAT | O_TRUNC),
                             Creation(place, O_WRONLY | O_TRUNC), Creation(place, O_WRONLY | O_EXCL)};
  for (const Kind kind : {Kind::kTruncate, Kind::kChangeMode, Kind::kSetXattr, Kind::kGetXattr, Kind::kRemoveXattr,
                          Kind::kListXattrs, Kind::kReadLink, Kind::kStat}) {
    all.push_back(MakeOperation(kind, place));
    all.back().mode = 06777;
    all.back().text = "user.x";
    all.back().value = "y";
    all.back().length = 3;
  }
  return all;
}

TEST_CASE("a symlink where the trace has a directory is not followed") {
  Trap trap;
  fs::create_directory_symlink(trap.File("victim"), trap.File("in/x"));
  for (const Operation& operation : OnFile({kFile, kDirectory, "f", {}})) {
    INFO(NameOf(operation.kind));
    CHECK(trap.Perform(operation) != 0);
  }
  const Place free{NodeNumber{9}, kDirectory, "planted", {}};
  CHECK(trap.Perform(Creation(free, O_WRONLY)) != 0);
  for (const Kind kind : {Kind::kMakeDirectory, Kind::kMakeNode, Kind::kSymlink}) {
    Operation make = MakeOperation(kind, free);
    make.text = "target";
    CHECK(trap.Perform(make) != 0);
  }
  Operation unnamed = Creation({NodeNumber{9}, {}, {}, {}}, O_RDWR);
  unnamed.variant = Variant::kUnnamed;
  unnamed.to.node = kDirectory;
  CHECK(trap.Perform(unnamed) != 0);
  CHECK(trap.Perform(MakeOperation(Kind::kUnlink, {kFile, kDirectory, "f", {}})) != 0);
  CHECK(trap.Perform(MakeOperation(Kind::kRemoveDirectory, {NodeNumber{4}, kDirectory, "empty", {}})) != 0);
  for (const Kind kind : {Kind::kChangeOwner, Kind::kChangeTimes}) {
    Operation change = MakeOperation(kind, {kFile, kDirectory, "f", {}});
    change.uid = 7;
    change.accessed.kind = change.modified.kind = TimeChange::Kind::kNow;
    CHECK(trap.Perform(change) != 0);
  }
  std::ofstream(trap.File("in/own")) << "own";
  for (const Kind kind : {Kind::kLink, Kind::kRename}) {
    Operation in = MakeOperation(kind, {kFile, kRoot, "own", {}});
    in.to = free;
    CHECK(trap.Perform(in) != 0);
    Operation out = MakeOperation(kind, {kFile, kDirectory, "f", {}});
    out.to = {NodeNumber{9}, kRoot, "stolen", {}};
    CHECK(trap.Perform(out) != 0);
  }
  trap.CheckVictim();
  CHECK_FALSE(fs::exists(trap.File("in/stolen")));
}

TEST_CASE("a symlink where the trace has a file is not followed") {
  Trap trap;
  fs::create_symlink(trap.File("victim/f"), trap.File("in/f"));
  for (const Operation& operation : OnFile({kFile, kRoot, "f", {}})) {
    INFO(NameOf(operation.kind));
    const int error = trap.Perform(operation);
    if (operation.kind == Kind::kReadLink || operation.kind == Kind::kStat) continue;
    CHECK((error != 0 || operation.kind == Kind::kListXattrs || operation.kind == Kind::kChangeMode));
  }
  trap.CheckVictim();
}

TEST_CASE("a fifo where the trace has a file is not waited for") {
  Trap trap;
  REQUIRE(mkfifo(trap.File("in/f").c_str(), 0600) == 0);
  for (const uint32_t flags : {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_CREAT}) {
    CHECK(trap.Perform(Opening({kFile, kRoot, "f", {}}, flags)) == ENXIO);
  }
  CHECK(trap.Perform(Creation({kFile, kRoot, "f", {}}, O_WRONLY)) == EEXIST);
  // What is open as a fifo is not opened by what is taken for a file.
  Operation as_fifo = Opening({kFile, kRoot, "f", {}}, O_RDONLY);
  as_fifo.type = FileType::kFifo;
  CHECK(trap.Perform(as_fifo) == 0);
  Operation again = Opening({kFile, {}, {}, {}}, O_WRONLY);
  again.file = FileNumber{2};
  again.to_file = kOpen;
  CHECK(trap.Perform(again) == ENXIO);
}

TEST_CASE("a device where the trace has a file is not opened") {
  Trap trap;
  // That of a full disk, which does nothing. There is none for most users, and in some containers.
  if (mknod(trap.File("in/f").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) return;
  for (const uint32_t flags : {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_CREAT}) {
    CHECK(trap.Perform(Opening({kFile, kRoot, "f", {}}, flags)) == ENXIO);
  }
  CHECK(trap.Perform(Creation({kFile, kRoot, "f", {}}, O_WRONLY)) == EEXIST);
}

TEST_CASE("a file where the trace has a directory is not opened as one, for its path neither") {
  Trap trap;
  std::ofstream(trap.File("in/f")) << "file";
  Operation open = Opening({kFile, kRoot, "f", {}}, O_PATH | O_DIRECTORY);
  open.type = FileType::kDirectory;
  CHECK(trap.Perform(open) == ENOTDIR);
  open.flags = O_PATH;
  CHECK(trap.Perform(open) == 0);
}

TEST_CASE("directories that are each other's parents have no path") {
  Trap trap;
  const NodeNumber other{4};
  Operation lookup = MakeOperation(Kind::kLookup, {other, kDirectory, "y", {}});
  lookup.type = FileType::kDirectory;
  trap.Perform(lookup);
  // What is known already is where it was.
  Operation moved = MakeOperation(Kind::kLookup, {kDirectory, other, "x", {}});
  moved.type = FileType::kDirectory;
  trap.Perform(moved);
  fs::create_directories(trap.File("in/x/y"));
  CHECK(trap.Perform(MakeOperation(Kind::kStat, {kDirectory, kRoot, "x", {}})) == 0);
  // Without the root nothing leads anywhere.
  const NodeNumber one{5};
  const NodeNumber two{6};
  for (const auto& [node, parent] : {std::pair(one, two), std::pair(two, one)}) {
    Operation circle = MakeOperation(Kind::kLookup, {node, parent, "c", {}});
    circle.type = FileType::kDirectory;
    trap.Perform(circle);
  }
  CHECK(trap.Perform(MakeOperation(Kind::kMakeDirectory, {NodeNumber{7}, one, "d", {}})) == ENOENT);
}

// Renames by paths that are too long for one call failed in the directory, and a symlink stayed where the trace has a
// directory or file.
TEST_CASE("what happens far below happens in a directory, too") {
  std::vector<std::string> lines{"7 chdir(\"/w\") = 0"};
  for (char letter = 'a'; letter < 'a' + 18; ++letter) {
    const std::string name(250, letter);
    lines.push_back("7 mkdir(\"" + name + "\", 0755) = 0");
    lines.push_back("7 chdir(\"" + name + "\") = 0");
  }
  for (const char* line : {
           "7 mkdir(\"/w/P\", 0755) = 0",
           "7 rename(\"/w/P\", \"x\") = 0",
           "7 mkdir(\"/w/P\", 0755) = 0",
           "7 rmdir(\"/w/P\") = 0",
           "7 symlink(\"/nonexistent\", \"/w/P\") = 0",
           "7 openat(AT_FDCWD, \"x/planted\", O_WRONLY|O_CREAT, 0666) = 3",
           "7 write(3, \"x\", 10) = 10",
           "7 close(3) = 0",
           "7 unlink(\"x/doomed\") = -1 ENOENT (No such file or directory)",
           "7 symlink(\"/nonexistent\", \"/w/l\") = 0",
           "7 rename(\"/w/l\", \"l\") = 0",
           "7 openat(AT_FDCWD, \"/w/l\", O_WRONLY|O_CREAT, 0666) = 3",
           "7 chmod(\"/w/l\", 0640) = 0",
           "7 truncate(\"/w/l\", 3) = 0",
           "7 mknod(\"/w/f\", S_IFIFO|0644) = 0",
           "7 rename(\"/w/f\", \"f\") = 0",
           "7 openat(AT_FDCWD, \"/w/f\", O_WRONLY|O_CREAT, 0666) = 4",
       }) {
    lines.emplace_back(line);
  }
  TextRun run(lines);
  run.InDirectory();
  CHECK(run.result().interpreter.samples == std::vector<std::string>{});
}

}  // namespace
}  // namespace betr::replay
