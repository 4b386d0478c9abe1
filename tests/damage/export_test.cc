// SPDX-License-Identifier: Apache-2.0
// Copies out of a damaged image: all that can be read is copied, and what cannot is named.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "betrcp.h"
#include "fs/key.h"
#include "fs/record.h"
#include "mkfs.h"
#include "support/damage/bench.h"
#include "support/device/temp_dir.h"
#include "support/tools/run_tool.h"

namespace betr::test {
namespace {

namespace key = fs::key;
using Catch::Matchers::Contains;

const std::string kLarge = "/folk/otto/large";

// Content of files, targets of symlinks, nothing of directories; by paths that begin with a slash.
using Tree = std::map<std::string, std::string>;

Tree ReadTree(const std::filesystem::path& top) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
    std::string& content = tree["/" + entry.path().lexically_relative(top).string()];
    if (entry.is_symlink()) {
      content = std::filesystem::read_symlink(entry.path());
    } else if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      content.assign(std::istreambuf_iterator<char>(file), {});
    }
  }
  return tree;
}

struct Saved {
  int exit;
  std::string out;
  std::string err;
  Tree tree;
};

// What two ways of copying make of an image.
class Rescue {
 public:
  explicit Rescue(Bench& bench) { bench.Save(Image()); }

  Saved CopyTree(const std::vector<std::string>& options = {"-a"}) {
    tools::ToolRun run;
    std::filesystem::create_directory(dir_.File("out"));
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {Image() + ":/.", dir_.File("out")});
    run.Run(tools::BetrcpMain, arguments);
    return {run.exit, run.out, run.err, ReadTree(dir_.File("out"))};
  }

  Saved CopyArchive() {
    tools::ToolRun run;
    const std::string archive = dir_.File("archive");
    run.Run(tools::BetrcpMain, {"--tar", Image() + ":/", archive});
    Saved saved{run.exit, run.out, run.err, {}};
    if (!std::filesystem::exists(archive)) return saved;
    tools::ToolRun unpack;
    INFO(run.err);
    REQUIRE(unpack.Run(tools::MkfsMain, {"-q", "-s", "16M", "--tar", archive, dir_.File("made")}) == 0);
    std::filesystem::create_directory(dir_.File("unpacked"));
    REQUIRE(unpack.Run(tools::BetrcpMain, {"-a", dir_.File("made") + ":/.", dir_.File("unpacked")}) == 0);
    saved.tree = ReadTree(dir_.File("unpacked"));
    return saved;
  }

 private:
  std::string Image() const { return dir_.File("image"); }

  TempDir dir_;
};

// Whether an error is about the file, or about a directory that it is in.
bool IsNamed(const std::string& errors, std::string path) {
  // One file; the error is with the name that comes first.
  if (path.ends_with("/second") && IsNamed(errors, path.substr(0, path.rfind('/')) + "/docs/page-03")) return true;
  if (path.ends_with("/page-03") && errors.find("/second: ") != std::string::npos) return true;
  for (; !path.empty(); path.resize(path.rfind('/'))) {
    for (const char* const end : {": ", "/: "}) {
      if (errors.find(path + end) != std::string::npos) return true;
    }
  }
  return errors.find(" /: ") != std::string::npos || errors.find(" ./: ") != std::string::npos;
}

// Returns the number of files of which a part was saved.
int CheckSaved(const Saved& saved, const Tree& sound, char filled) {
  INFO("exit " << saved.exit << "\n" << saved.err);
  CHECK((saved.exit == 0 || saved.exit == 4));
  CHECK((saved.exit == 0) == saved.err.empty());
  int parts = 0;
  for (const auto& [path, content] : sound) {
    INFO(path);
    const auto found = saved.tree.find(path);
    if (found != saved.tree.end() && found->second == content) continue;
    CHECK((saved.tree.empty() || IsNamed(saved.err, path)));
    if (found == saved.tree.end()) continue;
    const std::string part = found->second.substr(0, found->second.find(filled));
    CHECK(content.starts_with(part));
    CHECK(found->second.substr(part.size()).find_first_not_of(filled) == std::string::npos);
    if (filled == '\0') CHECK(found->second.size() == content.size());
    parts += part.empty() ? 0 : 1;
  }
  for (const auto& [path, content] : saved.tree) CHECK(sound.contains(path));
  return parts;
}

TEST_CASE("whatever node is damaged, copies hold all that can be read, and errors name the rest", "[damage]") {
  const Subject subject = FileSystemImage();
  Bench whole(subject);
  const Tree sound = Rescue(whole).CopyTree().tree;
  REQUIRE(sound.contains(kLarge));
  int damaged = 0;
  int parts = 0;
  MemoryDevice device(subject.size, subject.image);
  for (const Structure& structure : StructuresOf(device)) {
    if (structure.kind != Structure::Kind::kNodeHeader && structure.kind != Structure::Kind::kBlocks) continue;
    INFO(structure.name);
    Bench bench(subject);
    bench.Zero(structure);
    Rescue rescue(bench);
    const Saved tree = rescue.CopyTree();
    parts += CheckSaved(tree, sound, '\xff');
    const Saved archive = rescue.CopyArchive();
    parts += CheckSaved(archive, sound, '\0');
    CHECK(tree.exit == archive.exit);
    damaged += tree.exit == 4 && !tree.tree.empty() ? 1 : 0;
  }
  CHECK(damaged > 10);
  CHECK(parts > 0);
}

// The values are missing.
void AddLargeXattr(const FileTrees& t, const std::string& at) {
  fs::InodeRecord record = *fs::DecodeInode(**t.store.Get(t.meta, at), "record");
  record.xattrs.insert(record.xattrs.begin(), {.name = "user.gone", .external = true, .size = 3000, .value = {}});
  REQUIRE(t.store.Put(t.meta, at, fs::EncodeInode(record)).ok());
}

TEST_CASE("an extended attribute that cannot be read is named, and all else copied", "[damage]") {
  const Subject subject = FileSystemImage();
  Bench bench(subject);
  const Tree sound = Rescue(bench).CopyTree().tree;
  bench.ChangeFiles([](const FileTrees& t) {
    AddLargeXattr(t, std::string(key::kRootObject));
    AddLargeXattr(t, key::Entry(key::Content(key::Content("", "folk"), "otto"), "large"));
  });
  Rescue rescue(bench);
  const std::string why = "without attribute: user.gone: the value of this extended attribute is missing\n";
  const Saved tree = rescue.CopyTree({"-a", "--json"});
  CHECK(tree.exit == 4);
  CHECK(tree.tree == sound);
  CHECK(tree.err == "betrcp: export: /folk/otto/large: " + why + "betrcp: export: /: " + why);
  CHECK_THAT(tree.out, Contains("\"unreadable\": 2"));
  const Saved archive = rescue.CopyArchive();
  CHECK(archive.exit == 4);
  CHECK(archive.tree == sound);
  CHECK(archive.err == "betrcp: export: ./: " + why + "betrcp: export: ./folk/otto/large: " + why);
}

}  // namespace
}  // namespace betr::test
