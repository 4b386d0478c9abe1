// SPDX-License-Identifier: Apache-2.0
// Paths that are longer than one may be, as a repair has left them: what they lead to can be read, moved to where paths
// are short, and removed. Nothing new comes to lie there.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

using planted::Damage;
using planted::Trees;
namespace key = fs::key;

const std::string kContent(10'000, 'c');
const std::string kLost = "lost+found";
const std::string kBelowLost(250, 'p');
const std::string kFile(200, 'f');
const std::string kDirectory(200, 'd');
const std::string kLink(200, 'l');

// The names of 15 directories below each other: with the slashes, 3840 bytes.
std::vector<std::string> Names() { return std::vector<std::string>(15, std::string(kMaxNameSize, 'n')); }

// A directory, found name by name as the kernel does it.
OpenFile Find(FileSystem& fs, const std::vector<std::string>& names) {
  OpenFile at = Must(PathFileSystem(&fs).Open(""));
  for (const std::string& name : names) at = Must(OpenFile::Take(&fs, Must(fs.Lookup(at.inode(), name))));
  return at;
}

// An image in which everything in /t has come to lie in /lost+found/ppp: the lowest directory there has a path of 4,101
// bytes. In it are a file, a name of another one, and a directory, with names of 200 bytes.
class LongImage {
 public:
  LongImage() {
    std::vector<std::string> names = Names();
    std::string path = "t";
    for (const std::string& name : names) path += "/" + name;
    Must(image_.paths().MakeDirectories(path));
    {
      FileSystem& fs = image_.fs();
      names.insert(names.begin(), "t");
      const OpenFile bottom = Find(fs, names);
      NewFile directory;
      directory.type = FileType::kDirectory;
      const Entry file = Must(fs.Create(bottom.inode(), kFile, {}));
      Must(fs.Write(file.inode, 0, kContent).status());
      Must(fs.SetXattr(file.inode, "user.x", std::string(3000, 'x')));
      fs.Forget(file.inode, 1);
      const Entry link = Must(fs.Create(bottom.inode(), kLink, {}));
      Must(fs.Link(link.inode, kRootInode, "link").status());
      fs.Forget(link.inode, 2);
      const Entry made = Must(fs.Create(bottom.inode(), kDirectory, directory));
      fs.Forget(made.inode, 1);
    }
    image_.Unmount();
    Damage(image_, Lengthen);
  }

  Image& image() { return image_; }
  FileSystem& fs() { return image_.fs(); }
  OpenFile Bottom() { return Find(fs(), LostNames()); }
  static std::vector<std::string> LostNames() {
    std::vector<std::string> names = Names();
    names.insert(names.begin(), {kLost, kBelowLost});
    return names;
  }

 private:
  static void Lengthen(const Trees& t) {
    const std::string from = key::Content("", "t");
    const std::string above = key::Content("", kLost);
    const std::string to = key::Content(above, kBelowLost);
    fs::InodeRecord made = *fs::DecodeInode(*Must(t.store.Get(t.meta, key::Entry("", "t"))), "t");
    made.reach = kMaxPathSize + 1;
    const std::string record = fs::EncodeInode(made);
    Must(t.store.Put(t.meta, key::Entry("", kLost), record));
    Must(t.store.Put(t.meta, key::Entry(above, kBelowLost), record));
    Must(t.store.Erase(t.meta, key::Entry("", "t")));
    Must(t.store.RenamePrefix(t.meta, key::GroupName("", from), t.meta, key::GroupName("", to)));
    for (const TreeId tree : {t.meta, t.data}) Must(t.store.RenamePrefix(tree, from, tree, to));
  }

  Image image_;
};

TEST_CASE("what has too long a path can be read, moved and removed", "[fs]") {
  LongImage image;
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.image().paths();
  SECTION("by unlinking it") {
    Must(fs.Unlink(image.Bottom().inode(), kFile));
    Must(fs.Unlink(image.Bottom().inode(), kLink));
    Must(fs.RemoveDirectory(image.Bottom().inode(), kDirectory));
    CHECK(Must(paths.Stat("link")).links == 1);
    std::vector<std::string> names = LongImage::LostNames();
    while (!names.empty()) {
      const std::string last = names.back();
      names.pop_back();
      Must(fs.RemoveDirectory(Find(fs, names).inode(), last));
    }
  }
  SECTION("while it is open") {
    const OpenFile file = Must(OpenFile::Take(&fs, Must(fs.Lookup(image.Bottom().inode(), kFile))));
    Must(fs.Unlink(image.Bottom().inode(), kFile));
    std::string content(kContent.size(), '\0');
    CHECK(Must(fs.Read(file.inode(), 0, content)) == content.size());
    CHECK(content == kContent);
    Must(paths.RemoveTree(kLost));
  }
  SECTION("with all that is above") {
    Must(paths.RemoveTree(kLost));
    CHECK(Must(paths.Stat("link")).links == 1);
  }
  SECTION("by moving it") {
    for (const std::string& name : {kFile, kLink, kDirectory}) {
      Must(fs.Rename(image.Bottom().inode(), name, kRootInode, name.substr(0, 1)));
    }
    Must(paths.RemoveTree(kLost));
    CHECK(Must(paths.ReadFile("f")) == kContent);
    CHECK(Must(fs.GetXattr(Must(paths.Open("f")).inode(), "user.x")) == std::string(3000, 'x'));
    CHECK(Must(paths.Stat("l")).links == 2);
    Must(paths.WriteFile("d/x", "x"));
  }
  SECTION("by moving what is above it") {
    std::vector<std::string> above = LongImage::LostNames();
    above.resize(2);
    Must(fs.Rename(Find(fs, above).inode(), Names().front(), kRootInode, "short"));
    Must(paths.RemoveTree(kLost));
    std::string path = "short";
    for (int i = 1; i < 15; ++i) path += "/" + Names().front();
    CHECK(Must(paths.ReadFile(path + "/" + kFile)) == kContent);
    CHECK(Must(paths.Stat(path + "/" + kLink)).links == 2);
  }
  SECTION("by moving it over what is there") {
    Must(paths.WriteFile("there", "there"));
    Must(fs.Rename(image.Bottom().inode(), kFile, kRootInode, "there"));
    CHECK(Must(paths.ReadFile("there")) == kContent);
    Must(paths.RemoveTree(kLost));
  }
  SECTION("step by step") {
    // Too long still, but no longer than it was.
    Must(paths.Rename(kLost, "lost"));
    Must(fs.Rename(Find(fs, {"lost"}).inode(), kBelowLost, Find(fs, {"lost"}).inode(), "p"));
    std::vector<std::string> names = Names();
    names.insert(names.begin(), {"lost", "p"});
    Must(fs.Rename(Find(fs, names).inode(), kFile, Find(fs, names).inode(), std::string(200, 'g')));
    Must(fs.Rename(Find(fs, names).inode(), std::string(200, 'g'), kRootInode, "f"));
    CHECK(Must(paths.ReadFile("f")) == kContent);
    Must(paths.RemoveTree("lost"));
  }
  image.image().Check();
}

TEST_CASE("what has too long a path can be changed, and linked from elsewhere", "[fs]") {
  LongImage image;
  FileSystem& fs = image.fs();
  {
    const Entry file = Must(fs.Lookup(image.Bottom().inode(), kFile));
    Must(fs.Write(file.inode, 5000, "written").status());
    Must(fs.Link(file.inode, kRootInode, "linked").status());
    fs.Forget(file.inode, 2);
  }
  image.image().Unmount();
  CHECK(Must(image.image().paths().ReadFile("linked")).substr(5000, 7) == "written");
  Must(image.fs().Unlink(image.Bottom().inode(), kFile));
  CHECK(Must(image.image().paths().Stat("linked")).links == 1);
  Must(image.image().paths().RemoveTree(kLost));
  image.image().Check();
}

TEST_CASE("nothing new gets too long a path", "[fs]") {
  LongImage image;
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.image().paths();
  Must(paths.MakeDirectory("d"));
  Must(paths.WriteFile("f", "f"));
  const OpenFile bottom = image.Bottom();
  const std::string longer(201, 'x');
  CHECK(Errno(fs.Create(bottom.inode(), "x", {})) == ENAMETOOLONG);
  CHECK(Errno(fs.Link(Must(paths.Open("f")).inode(), bottom.inode(), "x")) == ENAMETOOLONG);
  CHECK(Errno(fs.Clone(Must(paths.Open("d")).inode(), bottom.inode(), "x")) == ENAMETOOLONG);
  CHECK(Errno(fs.Clone(Must(paths.Open(kLost)).inode(), kRootInode, "x")) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(kRootInode, "f", bottom.inode(), "x")) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(kRootInode, "f", bottom.inode(), kFile)) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(bottom.inode(), kFile, bottom.inode(), longer)) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(bottom.inode(), kDirectory, bottom.inode(), longer)) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(kRootInode, kLost, kRootInode, kLost + "x")) == ENAMETOOLONG);
  for (const std::string& name : {kFile, kDirectory}) {
    CHECK(Errno(fs.Rename(kRootInode, "d", bottom.inode(), name, RenameMode::kExchange)) == ENAMETOOLONG);
    CHECK(Errno(fs.Rename(bottom.inode(), name, kRootInode, "d", RenameMode::kExchange)) == ENAMETOOLONG);
  }
  Must(fs.Rename(bottom.inode(), kFile, bottom.inode(), kDirectory, RenameMode::kExchange));
}

}  // namespace
}  // namespace betr::test
