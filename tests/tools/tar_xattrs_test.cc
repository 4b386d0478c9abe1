// SPDX-License-Identifier: Apache-2.0
// Many and large extended attributes in archives, whose readers have limits.
#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "fs/tar/tar_copy.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/tools/tar_archive.h"

namespace betr::test {
namespace {

using Xattrs = std::map<std::string, std::string>;

void MakeFile(Image& image, const std::string& path, const Xattrs& xattrs) {
  Must(image.paths().WriteFile(path, "content"));
  const OpenFile file = Must(image.paths().Open(path));
  for (const auto& [name, value] : xattrs) Must(image.fs().SetXattr(file.inode(), name, value));
}

Xattrs XattrsOf(Image& image, const std::string& path) {
  const OpenFile file = Must(image.paths().Open(path));
  Xattrs xattrs;
  for (const std::string& name : Must(image.fs().ListXattrs(file.inode()))) {
    xattrs[name] = Must(image.fs().GetXattr(file.inode(), name));
  }
  return xattrs;
}

std::vector<std::string> NamesOf(const Xattrs& xattrs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : xattrs) names.push_back(name);
  return names;
}

Xattrs LargeXattrs(char count) {
  Xattrs xattrs;
  for (char i = 0; i < count; ++i) xattrs["user." + std::string(1, static_cast<char>('a' + i))] = std::string(65536, i);
  return xattrs;
}

TEST_CASE("an archive with large extended attributes can be read back", "[tools]") {
  Image image;
  Must(image.paths().MakeDirectory("from"));
  Xattrs xattrs = LargeXattrs(8);
  for (const char* name : {"user.%41", "user.%2541", "user.x y", "user.x%20y", "user.x=y", "user.x%3Dy", "user.\xff"}) {
    xattrs[name] = std::string("of ") + name;
  }
  MakeFile(image, "from/f", xattrs);
  MakeFile(image, "from/last", {});
  const ArchiveFile file;
  Must(fs::ExportTar(&image.fs(), "from", file.descriptor(), {}));
  const ArchiveFile back(file.Content());
  Must(fs::ImportTar(&image.fs(), back.descriptor(), "to", {}));
  CHECK(NamesOf(XattrsOf(image, "to/f")) == NamesOf(xattrs));
  CHECK(XattrsOf(image, "to/f") == xattrs);
  CHECK(*image.paths().ReadFile("to/last") == "content");
  image.Check();
}

TEST_CASE("what goes beyond an extended header of an archive is left out and told of", "[tools]") {
  Image image;
  Must(image.paths().MakeDirectory("from"));
  Xattrs xattrs = LargeXattrs(17);
  xattrs["user.z"] = "small";
  MakeFile(image, "from/f", xattrs);
  MakeFile(image, "from/last", {});
  const ArchiveFile file;
  CHECK(Errno(fs::ExportTar(&image.fs(), "from", file.descriptor(), {})) == E2BIG);
  const ArchiveFile again;
  fs::CopyOptions options;
  std::vector<std::string> told;
  options.gone_without = [&](const absl::Status& status) { told.emplace_back(status.message()); };
  CHECK(Must(fs::ExportTar(&image.fs(), "from", again.descriptor(), options)).gone_without == 2);
  const std::string why = ": extended attributes beyond 1 MiB: Argument list too long";
  CHECK(told == std::vector<std::string>{"./f: without user.b" + why, "./f: without user.a" + why});
  const ArchiveFile back(again.Content());
  Must(fs::ImportTar(&image.fs(), back.descriptor(), "to", {}));
  xattrs.erase("user.b");
  xattrs.erase("user.a");
  CHECK(XattrsOf(image, "to/f") == xattrs);
  CHECK(*image.paths().ReadFile("to/last") == "content");
  image.Check();
}

}  // namespace
}  // namespace betr::test
