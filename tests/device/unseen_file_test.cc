// SPDX-License-Identifier: Apache-2.0
// Files that appear when they are whole, on hosts that can do all, and on others.
#include "device/unseen_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "device/file_device.h"
#include "support/device/directory_flushes.h"
#include "support/device/lacking_host.h"
#include "support/device/temp_dir.h"

namespace betr {
namespace {

using Lacks = LackingHost::Lacks;

Lacks AnyHost() {
  return GENERATE(Lacks{}, Lacks{.proc = true}, Lacks{.proc = true, .links_of_open = true},
                  Lacks{.unnamed_files = true}, Lacks{.unnamed_files = true, .exclusive_rename = true},
                  Lacks{.unnamed_files = true, .links = true},
                  Lacks{.unnamed_files = true, .exclusive_rename = true, .links = true});
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

ptrdiff_t Names(const TempDir& dir) {
  return std::distance(std::filesystem::directory_iterator(dir.path()), std::filesystem::directory_iterator());
}

std::unique_ptr<UnseenFile> MakeWith(const std::string& path, std::string_view content) {
  auto file = UnseenFile::Make(path).value();
  REQUIRE(write(file->fd(), content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  return file;
}

}  // namespace

TEST_CASE("a new file appears whole", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const std::string path = dir.File("file");
  {
    const auto file = MakeWith(path, "all of it");
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(file->path() == path);
    CHECK(Names(dir) == (file->hidden_path().empty() ? 0 : 1));
    const DirectoryFlushes flushes;
    REQUIRE(file->Appear().ok());
    CHECK(flushes.Paths() == std::vector{std::filesystem::canonical(dir.path()).string()});
    CHECK(Names(dir) == 1);
    CHECK(Content(path) == "all of it");
  }
  CHECK(Content(path) == "all of it");
  CHECK(Names(dir) == 1);
}

TEST_CASE("a new file has a name where it must, beside its path", "[device]") {
  const LackingHost host(GENERATE(Lacks{.unnamed_files = true}, Lacks{.proc = true, .links_of_open = true}));
  const TempDir dir;
  const auto file = MakeWith(dir.File("file"), "all of it");
  CHECK(file->hidden_path().starts_with(dir.File(".betr-")));
  CHECK(Content(file->hidden_path()) == "all of it");
  REQUIRE(file->Appear().ok());
  CHECK_FALSE(std::filesystem::exists(file->hidden_path()));
}

TEST_CASE("nothing is left of a new file that does not appear", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  MakeWith(dir.File("file"), "some of it").reset();
  CHECK(Names(dir) == 0);
}

TEST_CASE("a new file replaces nothing", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const std::string path = dir.File("file");
  const auto file = MakeWith(path, "mine");
  SECTION("a file") {
    std::ofstream(path) << "theirs";
    CHECK(absl::IsAlreadyExists(file->Appear()));
    CHECK(Content(path) == "theirs");
    CHECK(absl::IsAlreadyExists(UnseenFile::Make(path).status()));
  }
  SECTION("a link to nowhere") {
    std::filesystem::create_symlink("nowhere", path);
    CHECK(absl::IsAlreadyExists(file->Appear()));
    CHECK(std::filesystem::is_symlink(path));
    CHECK(absl::IsAlreadyExists(UnseenFile::Make(path).status()));
  }
  SECTION("a directory") {
    std::filesystem::create_directory(path);
    CHECK(absl::IsAlreadyExists(file->Appear()));
    CHECK(absl::IsAlreadyExists(UnseenFile::Make(path).status()));
    CHECK(absl::IsAlreadyExists(UnseenFile::Make(path + "/").status()));
  }
}

TEST_CASE("a new file whose name cannot be made durable is gone", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const std::string path = dir.File("file");
  {
    const auto file = MakeWith(path, "mine");
    DirectoryFlushes flushes;
    flushes.Fail(EIO);
    const absl::Status status = file->Appear();
    CHECK(absl::IsUnavailable(status));
    CHECK(status.message().find("flush the directory") != std::string_view::npos);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  CHECK(Names(dir) == 0);
}

TEST_CASE("a new file is made durable also if signals come between", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const auto file = MakeWith(dir.File("file"), "mine");
  DirectoryFlushes flushes;
  flushes.Interrupt();
  REQUIRE(file->Appear().ok());
  CHECK(flushes.Paths().size() == 1);
  CHECK(Content(dir.File("file")) == "mine");
}

TEST_CASE("a new file has the rights of any other", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const mode_t before = umask(027);
  REQUIRE(MakeWith(dir.File("file"), "")->Appear().ok());
  umask(before);
  struct stat info {};
  REQUIRE(stat(dir.File("file").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("what is no path for a new file says why", "[device]") {
  const LackingHost host(GENERATE(Lacks{}, Lacks{.unnamed_files = true}));
  const TempDir dir;
  std::ofstream(dir.File("file")) << "some";
  const auto message = [](const std::string& path) { return std::string(UnseenFile::Make(path).status().message()); };
  CHECK(message("") == ": create: No such file or directory");
  CHECK(message(dir.File("no/file")) == dir.File("no/file") + ": create: No such file or directory");
  CHECK(message(dir.File("file/file")) == dir.File("file/file") + ": create: Not a directory");
  CHECK(message(dir.File("new/")) == dir.File("new/") + ": create: Is a directory");
  CHECK(message(dir.File(std::string(256, 'x'))) == dir.File(std::string(256, 'x')) + ": create: File name too long");
  CHECK(absl::IsInvalidArgument(UnseenFile::Make(dir.File(std::string("a\0b", 3))).status()));
  CHECK(Names(dir) == 1);
}

TEST_CASE("a file is made in the directory where the process is", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const absl::Status made = MakeWith("file", "here")->Appear();
  std::filesystem::current_path(before);
  CHECK(made.ok());
  CHECK(Content(dir.File("file")) == "here");
  CHECK(Names(dir) == 1);
}

TEST_CASE("a lock on a device in a new file holds until both are gone", "[device]") {
  const LackingHost host(AnyHost());
  const TempDir dir;
  const std::string path = dir.File("file");
  using LockMode = FileDevice::LockMode;
  auto file = UnseenFile::Make(path).value();
  auto device = FileDevice::In(*file, KiB(64)).value();
  REQUIRE(device->Lock(LockMode::kExclusive, Bytes{0}).ok());
  device.reset();
  REQUIRE(file->Appear().ok());
  const auto other = FileDevice::Open(path, FileDevice::Access::kReadWrite).value();
  CHECK(other->Size() == KiB(64));
  CHECK(absl::IsFailedPrecondition(other->Lock(LockMode::kExclusive, Bytes{0})));
  file.reset();
  CHECK(other->Lock(LockMode::kExclusive, Bytes{0}).ok());
}

}  // namespace betr
