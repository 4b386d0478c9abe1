// SPDX-License-Identifier: Apache-2.0
// Extended attributes: in the record, beside it, over the border; limits and errors.
#include <catch2/catch.hpp>
#include <cerrno>
#include <map>

#include "base/random.h"
#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// So many xattrs are put into a record, past the operations, that few more fit: each of those writes the whole record.
constexpr size_t kPlanted = 16300;

void PlantXattrs(Image& image, const std::string& object) {
  const std::unique_ptr<Store> store = image.OpenStore();
  const TreeId meta = store->FindTree("meta").value();
  fs::InodeRecord record = fs::DecodeInode(store->Get(meta, object).value().value(), "record").value();
  for (size_t i = 0; i < kPlanted; ++i) {
    const std::string name = {static_cast<char>(128 + i / 128), static_cast<char>(128 + i % 128)};
    record.xattrs.push_back({.name = name + (i < kPlanted - 150 ? "+" : ""), .value = {}});
  }
  REQUIRE(store->Put(meta, object, fs::EncodeInode(record)).ok());
  REQUIRE(store->Close().ok());
}

TEST_CASE("xattrs: errors and limits", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  const OpenFile file = *image.paths().Create("f", {});
  const InodeId id = file.inode();
  CHECK(Errno(fs.GetXattr(id, "user.x")) == ENODATA);
  CHECK(Errno(fs.RemoveXattr(id, "user.x")) == ENODATA);
  CHECK(Errno(fs.SetXattr(id, "user.x", "v", XattrMode::kReplace)) == ENODATA);
  CHECK(fs.SetXattr(id, "user.x", "v", XattrMode::kCreate).ok());
  CHECK(Errno(fs.SetXattr(id, "user.x", "v", XattrMode::kCreate)) == EEXIST);
  CHECK(fs.SetXattr(id, "user.x", "", XattrMode::kReplace).ok());
  CHECK(*fs.GetXattr(id, "user.x") == "");
  CHECK(Errno(fs.SetXattr(id, "", "v")) == ERANGE);
  CHECK(Errno(fs.SetXattr(id, std::string(256, 'n'), "v")) == ERANGE);
  CHECK(fs.SetXattr(id, std::string(255, 'n'), "v").ok());
  CHECK(Errno(fs.SetXattr(id, "user.big", std::string(65537, 'v'))) == E2BIG);
  CHECK(fs.SetXattr(id, "user.big", std::string(65536, 'v')).ok());
  CHECK(fs.GetXattr(id, "user.big")->size() == 65536);
  CHECK(*fs.ListXattrs(id) == std::vector<std::string>{std::string(255, 'n'), "user.big", "user.x"});
}

TEST_CASE("what is made with xattrs has them, or is not made", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  NewFile file{.xattrs = {{"user.small", "s"}, {"user.large", std::string(1000, 'l')}}};
  const auto check = [&](InodeId inode) {
    CHECK(*fs.GetXattr(inode, "user.small") == "s");
    CHECK(*fs.GetXattr(inode, "user.large") == std::string(1000, 'l'));
    CHECK(fs.ListXattrs(inode)->size() == 2);
  };
  const Entry named = *fs.Create(kRootInode, "f", file);
  check(named.inode);
  CHECK(fs.GetAttributes(named.inode)->changed == named.attributes.changed);
  const Entry unnamed = *fs.CreateUnnamed(kRootInode, file);
  check(unnamed.inode);
  REQUIRE(fs.Link(unnamed.inode, kRootInode, "g").ok());
  check(unnamed.inode);
  for (const InodeId inode : {named.inode, unnamed.inode, unnamed.inode}) fs.Forget(inode);
  fs.Close(unnamed.inode);

  file.xattrs.emplace_back("user.small", "twice");
  CHECK(Errno(fs.Create(kRootInode, "h", file)) == EEXIST);
  file.xattrs.back() = {"user.huge", std::string(65537, 'h')};
  CHECK(Errno(fs.Create(kRootInode, "h", file)) == E2BIG);
  CHECK(Errno(fs.Lookup(kRootInode, "h")) == ENOENT);
}

TEST_CASE("a removed directory that is still open has xattrs", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  REQUIRE(image.paths().MakeDirectory("d").ok());
  OpenFile directory = *image.paths().Open("d");
  const InodeId id = directory.inode();
  REQUIRE(fs.SetXattr(id, "user.before", "b").ok());
  REQUIRE(fs.SetXattr(id, "user.large", std::string(1000, 'l')).ok());
  REQUIRE(image.paths().RemoveDirectory("d").ok());
  CHECK(fs.SetXattr(id, "user.x", std::string(3000, 'x'), XattrMode::kCreate).ok());
  CHECK(Errno(fs.SetXattr(id, "user.x", "", XattrMode::kCreate)) == EEXIST);
  CHECK(Errno(fs.SetXattr(id, "user.y", "", XattrMode::kReplace)) == ENODATA);
  CHECK(*fs.GetXattr(id, "user.x") == std::string(3000, 'x'));
  CHECK(*fs.GetXattr(id, "user.before") == "b");
  CHECK(Errno(fs.SetXattr(id, "user.y", std::string(65536, 'y'))) == ENOSPC);
  CHECK(fs.SetXattr(id, "user.large", "small").ok());
  CHECK(*fs.GetXattr(id, "user.large") == "small");
  CHECK(fs.RemoveXattr(id, "user.before").ok());
  CHECK(Errno(fs.RemoveXattr(id, "user.before")) == ENODATA);
  CHECK(*fs.ListXattrs(id) == std::vector<std::string>{"user.large", "user.x"});
  directory = OpenFile();
  image.Check();
}

TEST_CASE("what was removed and has no content has xattrs as long as somebody refers to it", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  const Entry fifo = *fs.Create(kRootInode, "fifo", {.type = FileType::kFifo});
  REQUIRE(fs.SetXattr(fifo.inode, "trusted.large", std::string(1000, 'l')).ok());
  REQUIRE(fs.Unlink(kRootInode, "fifo").ok());
  CHECK(fs.SetXattr(fifo.inode, "trusted.x", "x").ok());
  CHECK(*fs.GetXattr(fifo.inode, "trusted.x") == "x");
  CHECK(fs.RemoveXattr(fifo.inode, "trusted.x").ok());
  CHECK(Errno(fs.GetXattr(fifo.inode, "trusted.large")) == ESTALE);
  fs.Forget(fifo.inode);
  // Of a file that is not open, by a name that something else may have by now.
  const Entry file = *fs.Create(kRootInode, "file", NewFile());
  REQUIRE(fs.SetXattr(file.inode, "user.large", std::string(1000, 'l')).ok());
  REQUIRE(fs.Unlink(kRootInode, "file").ok());
  CHECK(Errno(fs.GetXattr(file.inode, "user.large")) == ESTALE);
  CHECK(Errno(fs.SetXattr(file.inode, "user.x", "x")) == ESTALE);
  fs.Forget(file.inode);
  image.Check();
}

TEST_CASE("the names of all xattrs together have a limit", "[fs]") {
  Image image;
  const OpenFile file = *image.paths().Create("f", {});
  int error = 0;
  int count = 0;
  for (; error == 0 && count < 1000; ++count) {
    error = Errno(image.fs().SetXattr(file.inode(), std::string(251, 'n') + std::to_string(1000 + count), ""));
  }
  CHECK(error == ENOSPC);
  CHECK(count == 65536 / 256 + 1);
}

TEST_CASE("very many xattrs with short names can be read again", "[fs]") {
  Image image;
  const std::string path = GENERATE("", "d/f");  // the root's record is read by mounting
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().WriteFile("d/f", "content").ok());
  image.Unmount();
  PlantXattrs(image, path.empty() ? std::string(fs::key::kRootObject) : fs::key::Entry(fs::key::Content("", "d"), "f"));
  size_t count = kPlanted;
  {
    const OpenFile file = *image.paths().Open(path);
    REQUIRE(image.fs().ListXattrs(file.inode())->size() == count);
    for (int error = 0; error == 0;) {
      error = Errno(image.fs().SetXattr(file.inode(), "n" + std::to_string(count), ""));
      CHECK((error == 0 || error == ENOSPC));
      if (error == 0) ++count;
    }
    CHECK(count > kPlanted);
    AttributeChange change;
    change.permissions = 0700;
    REQUIRE(image.fs().SetAttributes(file.inode(), change).ok());
  }
  image.Check();
  CHECK(image.paths().Stat(path)->permissions == 0700);
  CHECK(image.fs().ListXattrs(image.paths().Open(path)->inode())->size() == count);
  CHECK(image.paths().List("d")->size() == 1);
  CHECK(image.paths().RemoveTree("d").ok());
  image.Check();
}

TEST_CASE("random xattrs of files and directories, moved, cloned, linked", "[fs]") {
  Image image;
  Random random(TestSeed());
  std::string path = "f";
  REQUIRE(image.paths().WriteFile("f", std::string(10000, 'x')).ok());
  REQUIRE(image.paths().MakeDirectory("d").ok());
  std::map<std::string, std::string> model;
  for (int step = 0; step < 400; ++step) {
    {
      const OpenFile file = *image.paths().Open(path);
      const std::string name = "user." + std::to_string(random.Uniform(12));
      if (random.OneIn(4)) {
        REQUIRE(Errno(image.fs().RemoveXattr(file.inode(), name)) == (model.erase(name) > 0 ? 0 : ENODATA));
      } else {
        model[name] = random.String(random.OneIn(2) ? random.Uniform(300) : random.Uniform(5000));
        REQUIRE(image.fs().SetXattr(file.inode(), name, model[name]).ok());
      }
    }
    const std::string next = (random.OneIn(2) ? "d/" : "") + std::string("n") + std::to_string(step);
    if (random.OneIn(10)) {
      REQUIRE(image.paths().Rename(path, next).ok());
      path = next;
    } else if (random.OneIn(20)) {
      REQUIRE(image.paths().Link(path, next).ok());
      REQUIRE(image.paths().Unlink(path).ok());
      path = next;
    } else if (random.OneIn(10)) {
      REQUIRE(image.paths().Clone(path, next).ok());
      REQUIRE(image.paths().Unlink(path).ok());
      path = next;
    } else if (random.OneIn(30)) {
      image.Check();
    }
    const OpenFile file = *image.paths().Open(path);
    std::vector<std::string> names;
    for (const auto& [name, value] : model) {
      names.push_back(name);
      REQUIRE(*image.fs().GetXattr(file.inode(), name) == value);
    }
    REQUIRE(*image.fs().ListXattrs(file.inode()) == names);
  }
  image.Check();
}

TEST_CASE("directories and the root have xattrs too", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectories("d/e").ok());
  const std::string large(3000, 'L');
  REQUIRE(image.fs().SetXattr(kRootInode, "user.root", large).ok());
  REQUIRE(image.fs().SetXattr(image.paths().Open("d/e")->inode(), "user.e", large).ok());
  REQUIRE(image.paths().Clone("", "c").ok());
  REQUIRE(image.paths().Rename("d", "x").ok());
  image.Check();
  CHECK(*image.fs().GetXattr(image.paths().Open("x/e")->inode(), "user.e") == large);
  CHECK(*image.fs().GetXattr(image.paths().Open("c/d/e")->inode(), "user.e") == large);
  CHECK(*image.fs().GetXattr(image.paths().Open("c")->inode(), "user.root") == large);
  REQUIRE(image.paths().RemoveDirectory("x/e").ok());
  REQUIRE(image.paths().RemoveTree("c").ok());
  CHECK(*image.fs().GetXattr(kRootInode, "user.root") == large);
  image.Check();
}

}  // namespace
}  // namespace betr::test
