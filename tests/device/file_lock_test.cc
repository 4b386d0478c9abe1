// SPDX-License-Identifier: Apache-2.0
// Locks on images, and what a refusal says.
#include <catch2/catch.hpp>
#include <cerrno>

#include "base/status.h"
#include "device/device_error.h"
#include "device/file_device.h"
#include "support/device/device_model.h"
#include "support/device/temp_dir.h"

namespace betr {
namespace {

using Catch::Matchers::EndsWith;
using Access = FileDevice::Access;
using LockMode = FileDevice::LockMode;

constexpr Bytes kOwnerOffset = KiB(8);

std::string Message(const absl::Status& status) { return std::string(status.message()); }

struct Image {
  TempDir dir;
  std::string path = dir.File("image");
  std::unique_ptr<FileDevice> first = FileDevice::Create(path, KiB(64)).value();
  std::unique_ptr<FileDevice> second = FileDevice::Open(path, Access::kReadWrite).value();
};

TEST_CASE("an exclusive lock excludes, shared locks share", "[device]") {
  Image image;
  REQUIRE(image.first->Lock(LockMode::kShared, kOwnerOffset).ok());
  REQUIRE(image.second->Lock(LockMode::kShared, kOwnerOffset).ok());
  const auto third = FileDevice::Open(image.path, Access::kReadWrite).value();
  const absl::Status refused = third->Lock(LockMode::kExclusive, kOwnerOffset);
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(IsInUse(Annotate(refused, "context")));
  CHECK(Message(refused) == image.path + ": in use for reading by others");
  image.first.reset();
  image.second.reset();
  CHECK(third->Lock(LockMode::kExclusive, kOwnerOffset).ok());
  const auto fourth = FileDevice::Open(image.path, Access::kReadOnly).value();
  CHECK_THAT(Message(fourth->Lock(LockMode::kShared, kOwnerOffset)), EndsWith(": in use by another process"));
}

TEST_CASE("what is not permitted is not in use", "[device]") {
  for (const int error : {EACCES, EPERM, EROFS, EBUSY}) {
    const absl::Status refused = DeviceError("disk.img", "open", error);
    CHECK(absl::IsFailedPrecondition(refused));
    CHECK_FALSE(IsInUse(refused));
  }
  CHECK_FALSE(IsInUse(absl::OkStatus()));
}

TEST_CASE("a refusal names the owner", "[device]") {
  Image image;
  REQUIRE(image.first->Write(Bytes{0}, std::string(KiB(16).value, 'i')).ok());
  REQUIRE(image.first->Lock(LockMode::kExclusive, kOwnerOffset).ok());
  CHECK(ReadAll(*image.second).find_first_not_of('i') == KiB(16).value);  // a lock alone changes nothing
  const OwnerRecord owner{123, std::chrono::seconds{1790848800}, "mkfs.betr", "attic"};
  REQUIRE(image.first->PublishOwner(owner).ok());
  CHECK(Message(image.second->Lock(LockMode::kExclusive, kOwnerOffset)) ==
        image.path + ": in use by pid 123 (mkfs.betr) on attic since 2026-10-01T10:00:00Z");
  image.first.reset();
  const std::string expected =
      std::string(KiB(8).value, 'i') + std::string(KiB(4).value, '\0') + std::string(KiB(4).value, 'i');
  CHECK((ReadAll(*image.second).substr(0, KiB(16).value) == expected));
  CHECK(image.second->Lock(LockMode::kExclusive, kOwnerOffset).ok());
}

TEST_CASE("a lock on an image that is too short for an owner still refuses", "[device]") {
  const TempDir dir;
  const auto first = FileDevice::Create(dir.File("tiny"), KiB(4)).value();
  const auto second = FileDevice::Open(dir.File("tiny"), Access::kReadWrite).value();
  REQUIRE(first->Lock(LockMode::kExclusive, kOwnerOffset).ok());
  CHECK(absl::IsOutOfRange(first->PublishOwner(ThisProcess("test", SystemClock()))));
  CHECK_THAT(Message(second->Lock(LockMode::kShared, kOwnerOffset)), EndsWith(": in use by another process"));
}

}  // namespace
}  // namespace betr
