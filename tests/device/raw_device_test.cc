// SPDX-License-Identifier: Apache-2.0
// Raw block devices, on a loop device where this machine gives us one.
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "device/file_device.h"
#include "support/device/device_model.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"
#include "support/skip.h"

namespace betr {
namespace {

using Access = FileDevice::Access;
using LockMode = FileDevice::LockMode;

// A loop device over a file; its path is empty when there is none to be had. Goes away with its last user.
class LoopDevice {
 public:
  explicit LoopDevice(const std::string& file, Bytes offset = Bytes{0}, Bytes size = Bytes{0}) {
    const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    const int backing = open(file.c_str(), O_RDWR | O_CLOEXEC);
    loop_config config{};
    config.fd = static_cast<uint32_t>(backing);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    config.info.lo_offset = offset.value;
    config.info.lo_sizelimit = size.value;
    while (control >= 0 && !TryConfigure(control, config)) {
    }
    if (control >= 0) close(control);
    close(backing);
  }
  ~LoopDevice() {
    if (fd_ >= 0) close(fd_);
  }
  const std::string& path() const { return path_; }
  void NoticeNewSize() const { REQUIRE(ioctl(fd_, LOOP_SET_CAPACITY) == 0); }

 private:
  // False if the number that was free had been taken by somebody else before it was ours: another one may be free.
  bool TryConfigure(int control, const loop_config& config) {
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) return true;
    const std::string path = "/dev/loop" + std::to_string(number);
    fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0) return true;
    if (ioctl(fd_, LOOP_CONFIGURE, &config) == 0) {
      path_ = path;
      return true;
    }
    const bool taken = errno == EBUSY;
    close(std::exchange(fd_, -1));
    return !taken;
  }

  std::string path_;
  int fd_ = -1;
};

TEST_CASE("a raw block device is a device", "[device]") {
  const TempDir dir;
  std::string model(MiB(1).value, '\0');
  FileDevice::Create(dir.File("image"), MiB(1)).value();
  const LoopDevice loop(dir.File("image"));
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  const auto device = FileDevice::Open(loop.path(), Access::kReadWrite).value();
  CHECK(device->IsBlockDevice());
  REQUIRE(device->Size() == MiB(1));
  Random random(TestSeed());
  CompareWithModel(*device, &model, random, 100);
  CHECK(device->Discard(KiB(64), KiB(64)).ok());
  CHECK(device->Flush().ok());

  CHECK(absl::IsFailedPrecondition(device->Grow(MiB(2))));
  std::filesystem::resize_file(dir.File("image"), MiB(3).value);
  loop.NoticeNewSize();
  CHECK(device->Grow(MiB(2)).ok());
  CHECK(device->Size() == MiB(3));
}

TEST_CASE("who has claimed a block device may discard", "[device]") {
  const TempDir dir;
  FileDevice::Create(dir.File("image"), MiB(1)).value();
  const LoopDevice loop(dir.File("image"));
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  const auto device = FileDevice::Open(loop.path(), Access::kReadWrite).value();
  REQUIRE(device->Lock(LockMode::kExclusive, Bytes{0}).ok());
  REQUIRE(device->Write(KiB(64), std::string(KiB(4).value, 'x')).ok());
  REQUIRE(device->Discard(KiB(64), KiB(64)).ok());
  std::string read(KiB(4).value, 'y');
  REQUIRE(device->Read(KiB(64), read).ok());
  CHECK(read == std::string(KiB(4).value, '\0'));
}

TEST_CASE("an exclusive lock claims a block device", "[device]") {
  const TempDir dir;
  FileDevice::Create(dir.File("image"), MiB(1)).value();
  const LoopDevice loop(dir.File("image"));
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  auto first = FileDevice::Open(loop.path(), Access::kReadWrite).value();
  const auto second = FileDevice::Open(loop.path(), Access::kReadWrite).value();
  REQUIRE(first->Lock(LockMode::kExclusive, KiB(8)).ok());
  REQUIRE(first->Lock(LockMode::kExclusive, KiB(8)).ok());
  CHECK(open(loop.path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC) < 0);  // as mount would
  REQUIRE(first->PublishOwner({5, std::chrono::seconds{0}, "mount.betr", "host"}).ok());
  CHECK(std::string(second->Lock(LockMode::kShared, KiB(8)).message()) ==
        loop.path() + ": in use by pid 5 (mount.betr) on host since 1970-01-01T00:00:00Z");
  first.reset();

  const int mounted = open(loop.path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  REQUIRE(mounted >= 0);
  CHECK(std::string(second->Lock(LockMode::kExclusive, KiB(8)).message()) ==
        loop.path() + ": claim for exclusive use: Device or resource busy");
  auto third = FileDevice::Open(loop.path(), Access::kReadOnly).value();
  CHECK(third->Lock(LockMode::kShared, KiB(8)).ok());  // the refused lock is not left behind
  close(mounted);
  CHECK_FALSE(second->Lock(LockMode::kExclusive, KiB(8)).ok());
  third.reset();
  CHECK(second->Lock(LockMode::kExclusive, KiB(8)).ok());
}

TEST_CASE("a loop device and the file behind it have one lock", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  FileDevice::Create(path, MiB(1)).value();
  const LoopDevice loop(path);
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  auto file = FileDevice::Open(path, Access::kReadWrite).value();
  auto device = FileDevice::Open(loop.path(), Access::kReadWrite).value();
  const std::string behind = loop.path() + ": the file behind it, " + path;
  REQUIRE(file->Lock(LockMode::kShared, KiB(8)).ok());
  CHECK(std::string(device->Lock(LockMode::kExclusive, KiB(8)).message()) == behind + ": in use for reading by others");
  CHECK(FileDevice::Open(loop.path(), Access::kReadOnly).value()->Lock(LockMode::kShared, KiB(8)).ok());
  REQUIRE(file->Lock(LockMode::kExclusive, KiB(8)).ok());
  REQUIRE(file->PublishOwner({5, std::chrono::seconds{0}, "mount.betr", "host"}).ok());
  CHECK(std::string(device->Lock(LockMode::kShared, KiB(8)).message()) ==
        behind + ": in use by pid 5 (mount.betr) on host since 1970-01-01T00:00:00Z");

  file.reset();
  REQUIRE(device->Lock(LockMode::kExclusive, KiB(8)).ok());
  file = FileDevice::Open(path, Access::kReadWrite).value();
  CHECK(absl::IsFailedPrecondition(file->Lock(LockMode::kShared, KiB(8))));
  device.reset();
  CHECK(file->Lock(LockMode::kExclusive, KiB(8)).ok());
}

TEST_CASE("a file that a mounted loop device shows is not to be had for writing", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  FileDevice::Create(path, MiB(2)).value();
  const LoopDevice loop(path, MiB(1));
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  const auto file = FileDevice::Open(path, Access::kReadWrite).value();
  const auto unrelated = FileDevice::Create(dir.File("unrelated"), MiB(1)).value();
  REQUIRE(file->Lock(LockMode::kExclusive, KiB(8)).ok());  // the device is there, but nobody has claimed it
  const auto second = FileDevice::Open(path, Access::kReadWrite).value();
  const int mounted = open(loop.path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  REQUIRE(mounted >= 0);
  CHECK(std::string(file->Lock(LockMode::kExclusive, KiB(8)).message()) ==
        path + ": in use by " + loop.path() + ", which shows it and is mounted, or claimed otherwise");
  CHECK(second->Lock(LockMode::kShared, KiB(8)).ok());  // the refused lock is not left behind
  CHECK(unrelated->Lock(LockMode::kExclusive, KiB(8)).ok());
  close(mounted);
}

TEST_CASE("loop devices with different parts of a file have different locks", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  FileDevice::Create(path, MiB(2)).value();
  const LoopDevice first(path, Bytes{0}, MiB(1));
  const LoopDevice second(path, MiB(1));
  const LoopDevice again(path, MiB(1));
  if (first.path().empty() || second.path().empty() || again.path().empty()) BETR_SKIP("no loop devices");

  const auto device = FileDevice::Open(first.path(), Access::kReadWrite).value();
  REQUIRE(device->Lock(LockMode::kExclusive, KiB(8)).ok());
  const auto other = FileDevice::Open(second.path(), Access::kReadWrite).value();
  REQUIRE(other->Lock(LockMode::kExclusive, KiB(8)).ok());
  CHECK(absl::IsFailedPrecondition(
      FileDevice::Open(again.path(), Access::kReadWrite).value()->Lock(LockMode::kExclusive, KiB(8))));
}

TEST_CASE("what another loop device shows that is mounted is not to be had for writing", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  FileDevice::Create(path, MiB(2)).value();
  const LoopDevice first(path, Bytes{0}, MiB(1));
  const LoopDevice whole(path);
  const LoopDevice second(path, MiB(1));
  if (first.path().empty() || whole.path().empty() || second.path().empty()) BETR_SKIP("no loop devices");

  const int mounted = open(first.path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  REQUIRE(mounted >= 0);
  const auto device = FileDevice::Open(whole.path(), Access::kReadWrite).value();
  for (const bool has_name : {true, false}) {
    if (!has_name) std::filesystem::remove(path);
    CHECK(std::string(device->Lock(LockMode::kExclusive, KiB(8)).message()) ==
          whole.path() + ": in use by " + first.path() +
              ", which shows the same file and is mounted, or claimed otherwise");
  }
  CHECK(device->Lock(LockMode::kShared, KiB(8)).ok());
  CHECK(FileDevice::Open(second.path(), Access::kReadWrite).value()->Lock(LockMode::kExclusive, KiB(8)).ok());
  close(mounted);
  CHECK(device->Lock(LockMode::kExclusive, KiB(8)).ok());
  CHECK(device->Lock(LockMode::kExclusive, KiB(8)).ok());  // its own claim does not count
}

TEST_CASE("a loop device whose file is gone, or has another name by now, is locked by itself", "[device]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  FileDevice::Create(path, MiB(1)).value();
  const LoopDevice loop(path);
  if (loop.path().empty()) BETR_SKIP("no loop devices");

  std::filesystem::rename(path, dir.File("renamed"));
  CHECK(FileDevice::Open(loop.path(), Access::kReadWrite).value()->Lock(LockMode::kExclusive, KiB(8)).ok());
  std::filesystem::remove(dir.File("renamed"));
  const auto stranger = FileDevice::Create(path, MiB(1)).value();
  REQUIRE(stranger->Lock(LockMode::kExclusive, KiB(8)).ok());
  CHECK(FileDevice::Open(loop.path(), Access::kReadWrite).value()->Lock(LockMode::kExclusive, KiB(8)).ok());
}

}  // namespace
}  // namespace betr
