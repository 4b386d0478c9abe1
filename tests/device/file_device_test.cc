// SPDX-License-Identifier: Apache-2.0
// Files as devices: contents, sizes, and every error that can be provoked without special rights.
#include "device/file_device.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/device/device_model.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"

namespace betr {
namespace {

using Catch::Matchers::Contains;
using Access = FileDevice::Access;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

std::string Block(char c) { return std::string(kBlockSize.value, c); }

uint64_t UsedBytes(const std::string& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

// The descriptor by which this process has the file open.
int DescriptorOf(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::equivalent(entry.path(), path, ignored)) return std::stoi(entry.path().filename());
  }
  return -1;
}

TEST_CASE("a file device holds what a string holds", "[device]") {
  const TempDir dir;
  Random random(TestSeed());
  std::string model(KiB(512).value, '\0');
  {
    const auto device = FileDevice::Create(dir.File("image"), KiB(512)).value();
    CompareWithModel(*device, &model, random, 500);
    REQUIRE(device->Flush().ok());
  }
  const auto device = FileDevice::Open(dir.File("image"), Access::kReadWrite).value();
  CHECK(device->Name() == dir.File("image"));
  CHECK_FALSE(device->IsBlockDevice());
  CompareWithModel(*device, &model, random, 100);
}

TEST_CASE("an image is created sparse, once, and grows", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  const auto device = FileDevice::Create(path, GiB(2)).value();
  CHECK(device->Size() == GiB(2));
  CHECK(UsedBytes(path) < KiB(64).value);
  CHECK(absl::IsAlreadyExists(FileDevice::Create(path, GiB(2)).status()));
  REQUIRE(device->Write(GiB(2) - kBlockSize, Block('e')).ok());
  CHECK(absl::IsOutOfRange(device->Write(GiB(2), Block('f'))));
  REQUIRE(device->Grow(GiB(3)).ok());
  CHECK(device->Size() == GiB(3));
  REQUIRE(device->Write(GiB(3) - kBlockSize, Block('f')).ok());
  CHECK(std::filesystem::file_size(path) == GiB(3).value);
}

TEST_CASE("what cannot be opened says why", "[device]") {
  const TempDir dir;
  const absl::Status missing = FileDevice::Open(dir.File("none"), Access::kReadOnly).status();
  CHECK(absl::IsNotFound(missing));
  CHECK(Message(missing) == dir.File("none") + ": open: No such file or directory");
  CHECK(absl::IsInvalidArgument(FileDevice::Open(dir.path(), Access::kReadOnly).status()));
  CHECK(absl::IsInvalidArgument(FileDevice::Open("/dev/null", Access::kReadOnly).status()));
  CHECK(absl::IsNotFound(FileDevice::Create(dir.File("no/dir"), KiB(4)).status()));
}

TEST_CASE("read-only means that nothing is written", "[device]") {
  const TempDir dir;
  REQUIRE(FileDevice::Create(dir.File("image"), KiB(16)).ok());
  const auto device = FileDevice::Open(dir.File("image"), Access::kReadOnly).value();
  CHECK(absl::IsFailedPrecondition(device->Write(Bytes{0}, Block('x'))));
  CHECK(absl::IsFailedPrecondition(device->Discard(Bytes{0}, KiB(4))));
  CHECK(absl::IsFailedPrecondition(device->Grow(KiB(20))));
  CHECK(device->Flush().ok());
  CHECK(ReadAll(*device) == std::string(KiB(16).value, '\0'));
}

TEST_CASE("the odd end of a file is not part of the device", "[device]") {
  const TempDir dir;
  std::ofstream(dir.File("odd")) << std::string(5000, 'o');
  const auto device = FileDevice::Open(dir.File("odd"), Access::kReadOnly).value();
  CHECK(device->Size() == kBlockSize);
  char byte = 0;
  CHECK(absl::IsOutOfRange(device->Read(kBlockSize, {&byte, 1})));
  CHECK(device->Readahead(Bytes{0}, kBlockSize).ok());
  CHECK(absl::IsOutOfRange(device->Readahead(Bytes{0}, KiB(8))));
}

TEST_CASE("a file that is cut under the device is an error of the device", "[device]") {
  const TempDir dir;
  const auto device = FileDevice::Create(dir.File("image"), KiB(64)).value();
  std::filesystem::resize_file(dir.File("image"), KiB(32).value);
  std::string out(KiB(8).value, '\0');
  CHECK(device->Read(KiB(24), out).ok());
  const absl::Status status = device->Read(KiB(28), out);
  CHECK(absl::IsUnavailable(status));
  CHECK_THAT(Message(status), Contains("read of 4096 bytes at 32768"));
}

TEST_CASE("discarded blocks give their space back", "[device]") {
  const TempDir dir;
  const auto device = FileDevice::Create(dir.File("image"), MiB(1)).value();
  for (uint64_t at = 0; at < 256; ++at) REQUIRE(device->Write(kBlockSize * at, Block('d')).ok());
  REQUIRE(device->Flush().ok());
  REQUIRE(device->Discard(KiB(4), KiB(1016)).ok());
  REQUIRE(device->Discard(KiB(4), Bytes{0}).ok());
  REQUIRE(device->Flush().ok());
  std::string out(kBlockSize.value, '\0');
  REQUIRE(device->Read(Bytes{0}, out).ok());
  CHECK(out == Block('d'));
  REQUIRE(device->Read(KiB(1020), out).ok());
  CHECK(out == Block('d'));
  CHECK(device->Size() == MiB(1));
  // Undefined by contract, so only the space is looked at, and only where holes exist.
  if (UsedBytes(dir.File("image")) >= MiB(1).value) WARN("no holes on this file system");
}

TEST_CASE("no space for a write is a failure of the device, and names the place", "[device]") {
  const TempDir dir;
  const auto device = FileDevice::Create(dir.File("image"), MiB(1)).value();
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = KiB(512).value;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  // The first half fits: the device has to go on after a short write to find the error.
  const absl::Status status = device->Write(KiB(508), Block('a') + Block('b'));
  const absl::Status after = device->Write(Bytes{0}, Block('c'));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(absl::IsUnavailable(status));
  CHECK_THAT(Message(status), Contains("image: write of 4096 bytes at 524288: "));
  CHECK(after.ok());
}

TEST_CASE("a failed flush fails for ever", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  const auto device = FileDevice::Create(path, MiB(1)).value();
  REQUIRE(device->Flush().ok());
  const int fd = DescriptorOf(path);
  REQUIRE(fd >= 0);
  const int kept = dup(fd);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);  // cannot be synchronised
  REQUIRE(dup2(null, fd) == fd);
  const absl::Status failed = device->Flush();
  REQUIRE(dup2(kept, fd) == fd);
  close(null);
  close(kept);
  CHECK(absl::IsUnavailable(failed));
  CHECK_THAT(Message(failed), Contains("image: flush: "));
  CHECK(device->Write(Bytes{0}, Block('x')).ok());
  CHECK(device->Flush() == failed);
}

}  // namespace
}  // namespace betr
