// SPDX-License-Identifier: Apache-2.0
// lib/fs/tar/tar_copy.h; here because tests of lib/fs do without libarchive. betrcp_test.sh compares with tar(1).
#include "fs/tar/tar_copy.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "support/fs/image.h"
#include "support/tools/tar_archive.h"

namespace betr::test {
namespace {

std::string Export(Image& image, const std::string& inside, const fs::CopyOptions& options = {}) {
  const ArchiveFile file;
  const absl::StatusOr<fs::CopyTotals> totals = fs::ExportTar(&image.fs(), inside, file.descriptor(), options);
  INFO(totals.status());
  REQUIRE(totals.ok());
  return file.Content();
}

absl::StatusOr<fs::CopyTotals> TryImport(Image& image, const std::string& archive, const std::string& inside,
                                         const fs::CopyOptions& options = {}) {
  const ArchiveFile file(archive);
  return fs::ImportTar(&image.fs(), file.descriptor(), inside, options);
}

fs::CopyTotals Import(Image& image, const std::string& archive, const std::string& inside,
                      const fs::CopyOptions& options = {}) {
  const absl::StatusOr<fs::CopyTotals> totals = TryImport(image, archive, inside, options);
  INFO(totals.status());
  REQUIRE(totals.ok());
  return *totals;
}

std::string ImportError(const std::string& archive) {
  Image image;
  const absl::StatusOr<fs::CopyTotals> totals = TryImport(image, archive, "in");
  REQUIRE_FALSE(totals.ok());
  image.Check();
  return std::string(totals.status().message());
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void MakeSpecial(PathFileSystem& paths, const std::string& path, FileType type, uint64_t device = 0) {
  NewFile file;
  file.type = type;
  file.device = device;
  REQUIRE(paths.Create(path, file).ok());
}

// Some of everything that an archive can hold.
void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  REQUIRE(paths.MakeDirectory(top + "/empty", 01700).ok());
  for (int i = 0; i < 20; ++i) {
    REQUIRE(paths.WriteFile(top + "/sub/deep/g" + std::to_string(i), std::string(1000 * i, 'a' + i)).ok());
  }
  REQUIRE(paths.WriteFile(top + "/set-id", "x", 06755).ok());
  REQUIRE(paths.WriteFile(top + "/caf\xc3\xa9", "utf-8").ok());
  REQUIRE(paths.WriteFile(top + "/cafe\xcc\x81", "utf-8, decomposed").ok());
  REQUIRE(paths.WriteFile(top + "/\xff\xfe bytes", "no utf-8").ok());
  REQUIRE(paths.WriteFile(top + "/" + std::string(255, 'n'), "long").ok());
  REQUIRE(paths.MakeSymlink("../\xff/nowhere", top + "/link").ok());
  REQUIRE(paths.MakeSymlink(std::string(300, 't'), top + "/long link").ok());
  REQUIRE(paths.Link(top + "/set-id", top + "/sub/other name").ok());
  REQUIRE(paths.Link(top + "/\xff\xfe bytes", top + "/sub/\xfe").ok());
  MakeSpecial(paths, top + "/fifo", FileType::kFifo);
  MakeSpecial(paths, top + "/char", FileType::kCharDevice, makedev(5, 1));
  MakeSpecial(paths, top + "/block", FileType::kBlockDevice, makedev(259, 70000));
}

void SetTimes(Image& image, const std::string& top) {
  PathFileSystem& paths = image.paths();
  std::vector<std::string> all;
  REQUIRE(paths
              .Walk(top,
                    [&](const std::string& path, const FileAttributes&) {
                      all.push_back(top + "/" + path);
                      return absl::OkStatus();
                    })
              .ok());
  int64_t second = -1000;
  for (const std::string& path : all) {
    AttributeChange change;
    change.uid = 12345;
    change.gid = 3'000'000'000;
    change.accessed = {second + 3, 123456789};
    change.modified = {second + 2, 999999999};
    change.changed = {second + 4, 1};
    second += 900;
    REQUIRE(paths.SetAttributes(path, change).ok());
  }
}

// All that Describe leaves out: the other times, devices, extended attributes.
std::string DescribeRest(Image& image, const std::string& top) {
  std::string lines;
  const absl::Status walked =
      image.paths().Walk(top, [&](const std::string& path, const FileAttributes& attributes) -> absl::Status {
        lines += path + " " + std::to_string(attributes.device);
        for (const FileTime& time : {attributes.accessed, attributes.changed}) {
          lines += " " + std::to_string(time.seconds) + "." + std::to_string(time.nanoseconds);
        }
        BETR_ASSIGN_OR_RETURN(const OpenFile file, image.paths().Open(top + "/" + path));
        BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, image.fs().ListXattrs(file.inode()));
        for (const std::string& name : names) lines += " " + name + "=" + *image.fs().GetXattr(file.inode(), name);
        lines += "\n";
        return absl::OkStatus();
      });
  REQUIRE(walked.ok());
  return lines;
}

TEST_CASE("a tree comes back from an archive as it was", "[tools]") {
  Image image;
  MakeTree(image.paths(), "t");
  for (const std::string path : {"t/set-id", "t/sub", "t/link"}) {
    const OpenFile file = *image.paths().Open(path);
    REQUIRE(image.fs().SetXattr(file.inode(), "user.plain", std::string("a\0b\n", 4)).ok());
    REQUIRE(image.fs().SetXattr(file.inode(), "user.with = % blank", "v").ok());
    REQUIRE(image.fs().SetXattr(file.inode(), "user.none", "").ok());
    REQUIRE(image.fs().SetXattr(file.inode(), "trusted.large", std::string(5000, 'x')).ok());
  }
  SetTimes(image, "t");
  const std::string archive = Export(image, "t");
  image.Tick();
  const fs::CopyTotals totals = Import(image, archive, "new/copy");
  CHECK(totals.files == 36);
  CHECK(Describe(image.paths(), "new/copy") == Describe(image.paths(), "t"));
  CHECK(DescribeRest(image, "new/copy") == DescribeRest(image, "t"));
  CHECK(image.paths().Stat("new/copy/sub/other name")->inode_number ==
        image.paths().Stat("new/copy/set-id")->inode_number);
  CHECK(Export(image, "new/copy") == archive);
  image.Check();
  CHECK(DescribeRest(image, "new/copy") == DescribeRest(image, "t"));
}

TEST_CASE("an archive is read twice into the same place, and from a pipe", "[tools]") {
  Image image;
  MakeTree(image.paths(), "t");
  SetTimes(image, "t");
  const std::string before = Describe(image.paths(), "t");
  const std::string archive = Export(image, "t");
  REQUIRE(image.paths().WriteFile("t/mine", "stays").ok());
  REQUIRE(image.paths().RemoveTree("t/sub/deep").ok());
  REQUIRE(image.paths().WriteFile("t/sub/deep", "in the way").ok());
  REQUIRE(image.paths().MakeDirectories("t/fifo/in/the/way").ok() == false);
  REQUIRE(image.paths().Unlink("t/fifo").ok());
  REQUIRE(image.paths().MakeDirectories("t/fifo/in/the/way").ok());
  CHECK(ToErrno(TryImport(image, archive, "t/").status()) == EISDIR);
  CHECK(image.paths().Exists("t/fifo/in/the/way").value());
  REQUIRE(image.paths().RemoveTree("t/fifo").ok());
  CHECK(ToErrno(TryImport(image, archive, "t/").status()) == ENOTDIR);
  CHECK(*image.paths().ReadFile("t/sub/deep") == "in the way");
  REQUIRE(image.paths().Unlink("t/sub/deep").ok());
  Import(image, archive, "t/");
  CHECK(*image.paths().ReadFile("t/mine") == "stays");
  REQUIRE(image.paths().Unlink("t/mine").ok());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string small = Finished(Member("one", '0', "1"));
  REQUIRE(write(ends[1], small.data(), small.size()) == static_cast<ssize_t>(small.size()));
  close(ends[1]);
  CHECK(fs::ImportTar(&image.fs(), ends[0], "pipe", {}).ok());
  close(ends[0]);
  CHECK(*image.paths().ReadFile("pipe/one") == "1");
  Import(image, archive, "t");
  CHECK(Describe(image.paths(), "t") == before);
  image.Check();
}

TEST_CASE("holes stay holes", "[tools]") {
  Image image;
  PathFileSystem& paths = image.paths();
  for (const std::string name : {"s/begins", "s/ends", "s/both", "s/all"}) {
    REQUIRE(paths.MakeDirectories("s").ok());
    const OpenFile file = *paths.Create(name, NewFile());
    if (name != "s/ends" && name != "s/all") REQUIRE(image.fs().Write(file.inode(), MiB(40).value + 5, "late").ok());
    if (name != "s/begins" && name != "s/all") REQUIRE(image.fs().Write(file.inode(), 0, "early").ok());
    AttributeChange change;
    change.size = MiB(100).value + 3;
    if (name != "s/begins") REQUIRE(paths.SetAttributes(name, change).ok());
  }
  const ArchiveFile file;
  const absl::StatusOr<fs::CopyTotals> out = fs::ExportTar(&image.fs(), "s", file.descriptor(), {});
  REQUIRE(out.ok());
  CHECK(out->bytes < KiB(64));
  const std::string archive = file.Content();
  CHECK(archive.size() < 100'000);
  CHECK(Import(image, archive, "c").bytes < KiB(64));
  for (const std::string name : {"begins", "ends", "both", "all"}) {
    INFO(name);
    CHECK(paths.Stat("c/" + name)->size == paths.Stat("s/" + name)->size);
    CHECK(*paths.ReadFile("c/" + name) == *paths.ReadFile("s/" + name));
  }
  CHECK(*image.fs().SeekData(paths.Open("c/both")->inode(), 4096) == MiB(40).value);
  CHECK(Errno(image.fs().SeekData(paths.Open("c/all")->inode(), 0)) == ENXIO);
  image.Check();
}

TEST_CASE("without attributes a copy is new, and has no links", "[tools]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  SetTimes(image, "t");
  const std::string archive = Export(image, "t");
  fs::CopyOptions options;
  options.all_attributes = false;
  options.uid = 7;
  options.gid = 8;
  image.Tick();
  Import(image, archive, "plain", options);
  const FileAttributes plain = *paths.Stat("plain/set-id");
  CHECK(plain.permissions == 0755);
  CHECK((plain.uid == 7 && plain.gid == 8 && plain.links == 1));
  CHECK(plain.modified == image.fs().Now());
  CHECK(*paths.ReadFile("plain/sub/other name") == "x");
  CHECK(paths.Stat("plain/sub/other name")->links == 1);
  CHECK(paths.Stat("plain")->uid == 7);

  Import(image, Export(image, "t", options), "out");
  CHECK(paths.Stat("out/set-id")->permissions == 0755);
  CHECK(paths.Stat("out/set-id")->links == 1);
  CHECK(paths.Stat("out/sub/other name")->gid == 8);

  fs::CopyOptions root;
  root.all_root = true;
  Import(image, archive, "root", root);
  CHECK(paths.Stat("root/set-id")->permissions == 06755);
  CHECK((paths.Stat("root/set-id")->uid == 0 && paths.Stat("root/sub/deep")->gid == 0));
  image.Check();
}

TEST_CASE("no time of an import is later than the latest", "[tools]") {
  Image image;
  MakeTree(image.paths(), "t");
  fs::CopyOptions options;
  options.latest_time = FileTime{5000, 6};
  options.all_attributes = GENERATE(true, false);
  Import(image, Export(image, "t"), "new/copy", options);
  REQUIRE(image.paths()
              .Walk("new",
                    [&](const std::string& path, const FileAttributes& attributes) {
                      INFO(path);
                      CHECK(attributes.accessed <= *options.latest_time);
                      CHECK(attributes.modified <= *options.latest_time);
                      CHECK(attributes.changed <= *options.latest_time);
                      CHECK(attributes.born <= *options.latest_time);
                      return absl::OkStatus();
                    })
              .ok());
  CHECK(image.paths().Stat("")->modified <= *options.latest_time);
}

TEST_CASE("directories keep their times in any order of entries", "[tools]") {
  Image image;
  Import(image,
         Finished(Member("d/", '5') + Member("e/", '5') + Member("d/a", '0', "1") + Member("/e//./b", '0', "2") +
                  Member("d/c", '0', "3") + Member("f/g", '0', "4") + Member("f", '5') + Member("f/h", '0') +
                  Member("./i", '2', "", "d") + Member("j", '1', "", "./f/g")),
         "");
  for (const char* path : {"d", "e", "f"}) CHECK(image.paths().Stat(path)->modified == FileTime{100, 0});
  CHECK(*image.paths().ReadFile("e/b") == "2");
  CHECK(*image.paths().ReadFile("j") == "4");
  CHECK(image.paths().Stat("j")->links == 2);
  CHECK(image.paths().Stat("j")->changed == FileTime{100, 0});
  image.Check();
}

TEST_CASE("a file is an archive of one", "[tools]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().WriteFile("d/f", "content").ok());
  const std::string archive = Export(image, "/d/./f/");
  CHECK(Import(image, archive, "x").files == 1);
  CHECK(*image.paths().ReadFile("x/f") == "content");
  CHECK(Import(image, std::string(10240, '\0'), "nothing").files == 0);
  CHECK_FALSE(TryImport(image, "", "no-archive").ok());
  CHECK(image.paths().Stat("nothing")->type == FileType::kDirectory);
  CHECK(Errno(TryImport(image, archive, "x/f")) == ENOTDIR);
  CHECK(Errno(TryImport(image, archive, "x/f/g")) == ENOTDIR);
}

TEST_CASE("sockets are left out of archives", "[tools]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  MakeSpecial(image.paths(), "d/socket", FileType::kSocket);
  REQUIRE(image.paths().WriteFile("d/z", "content").ok());
  CHECK(Import(image, Export(image, "d"), "x").files == 2);
  CHECK(*image.paths().List("x") == std::vector<std::string>{"z"});
}

TEST_CASE("bad archives give errors that name the entry", "[tools]") {
  CHECK(Contains(ImportError(Finished(Member("../up", '0'))), "../up: the name contains '..'"));
  CHECK(Contains(ImportError(Finished(Member("a/../../up", '0'))), "a/../../up: the name contains '..'"));
  CHECK(Contains(ImportError(Finished(Member("l", '1', "", "../x"))), "l: link to ../x: the name contains '..'"));
  CHECK(Contains(ImportError(Finished(Member("l", '1', "", "none"))), "l: link to none: "));
  CHECK(Contains(ImportError(Finished(Member("s", '2', "", "f") + Member("s/x", '0', "1"))), "s/x: /in/f: No such"));
  CHECK(Contains(ImportError(Finished(Member(".", '0', "1"))), ".: the directory that is unpacked into"));
  CHECK(Contains(ImportError("this is no archive, and longer than nothing at all"), "archive: "));
  const std::string members = Member("first", '0', "1") + Member("second", '0', std::string(3000, 'x'));
  CHECK(Contains(ImportError(members.substr(0, 3000)), "second: content: Truncated"));
  CHECK(Contains(ImportError(members.substr(0, 1024 + 100)), "after first: "));
  const std::string long_name = Member("././@LongLink", 'L', std::string(600, 'n'));
  CHECK(Contains(ImportError(members + long_name.substr(0, 1024)), "after second: Truncated archive"));
  std::string damaged = members;
  damaged[1024] = 'X';
  CHECK(Contains(ImportError(damaged), "after first: "));
  Image image;
  Import(image, Finished(Member("/absolute", '0', "1") + Member("s", '2', "", "/")), "in");
  CHECK(*image.paths().ReadFile("in/absolute") == "1");
}

TEST_CASE("progress is told, and ends a copy", "[tools]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().WriteFile("d/large", std::string(MiB(9).value, 'x')).ok());
  int calls = 0;
  fs::CopyOptions options;
  options.progress = [&](const fs::CopyTotals&, std::string_view) {
    return ++calls < 100 ? absl::OkStatus() : absl::CancelledError("enough");
  };
  const std::string archive = Export(image, "d", options);
  CHECK(calls == 4);
  Import(image, archive, "x", options);
  CHECK(calls == 8);
  calls = 98;
  CHECK(TryImport(image, archive, "x", options).status() == absl::CancelledError("enough"));
  calls = 98;
  const ArchiveFile file;
  CHECK(fs::ExportTar(&image.fs(), "d", file.descriptor(), options).status() == absl::CancelledError("enough"));
  CHECK(Errno(fs::ExportTar(&image.fs(), "none", file.descriptor(), {})) == ENOENT);
  const int closed = -1;
  CHECK_FALSE(fs::ExportTar(&image.fs(), "d", closed, {}).ok());
  CHECK_FALSE(fs::ImportTar(&image.fs(), closed, "d", {}).ok());
}

}  // namespace
}  // namespace betr::test
