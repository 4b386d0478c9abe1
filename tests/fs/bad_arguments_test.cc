// SPDX-License-Identifier: Apache-2.0
// What could be written but not be read again is refused when it is given.
#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>

#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/fs/image.h"

namespace betr::test {
namespace {

constexpr FileTime kBadTime{1, 1'000'000'000};

TEST_CASE("a file of a type that does not exist is not made", "[fs]") {
  Image image;
  NewFile file;
  file.type = static_cast<FileType>(99);
  CHECK(Errno(image.paths().Create("/file", file)) == EINVAL);
  CHECK(image.paths().Exists("/file").value() == false);
  image.Check();
}

TEST_CASE("a time with more nanoseconds than a second has is refused", "[fs]") {
  Image image;
  REQUIRE(image.paths().WriteFile("/file", "content").ok());
  const FileAttributes before = image.paths().Stat("/file").value();
  for (const auto member :
       {&AttributeChange::accessed, &AttributeChange::modified, &AttributeChange::changed, &AttributeChange::born}) {
    AttributeChange change;
    change.permissions = 0600;
    change.*member = kBadTime;
    CHECK(Errno(image.paths().SetAttributes("/file", change)) == EINVAL);
  }
  CHECK(image.paths().Stat("/file")->permissions == before.permissions);
  image.Check();
}

TEST_CASE("a file system is not made with such a time", "[fs]") {
  MemoryDevice memory(MiB(16));
  FormatOptions format;
  format.node_size = KiB(64);
  format.log_size = MiB(1);
  REQUIRE(Store::Format(memory, format).ok());
  StoreOptions options;
  options.background = false;
  REQUIRE(FileSystem::RegisterUpserts(&options.functions).ok());
  const auto store = Store::Open(std::make_unique<store::BorrowedDevice>(memory), options).value();
  RootOptions root;
  root.time = kBadTime;
  CHECK(Errno(FileSystem::Format(store.get(), root)) == EINVAL);
  CHECK(store->Trees().empty());
}

TEST_CASE("a store without the upserts of file systems holds none", "[fs]") {
  MemoryDevice memory(MiB(16));
  FormatOptions format;
  format.node_size = KiB(64);
  format.log_size = MiB(1);
  REQUIRE(Store::Format(memory, format).ok());
  StoreOptions options;
  options.background = false;
  std::unique_ptr<Store> store = Store::Open(std::make_unique<store::BorrowedDevice>(memory), options).value();
  CHECK(Errno(FileSystem::Format(store.get(), {})) == EINVAL);
  CHECK(store->Trees().empty());
  CHECK(Errno(FileSystem::Mount(std::move(store), {}).status()) == EINVAL);
}

class TakesNumber final : public UpsertFunction {
 public:
  uint16_t Number() const override { return 16; }
  std::string_view Name() const override { return "test.other"; }
  std::optional<std::string> Apply(std::optional<std::string_view>, std::string_view) const override { return {}; }
};

TEST_CASE("the upserts of file systems are registered once, and not under a number that is taken", "[fs]") {
  UpsertRegistry registry;
  REQUIRE(FileSystem::RegisterUpserts(&registry).ok());
  CHECK(FileSystem::RegisterUpserts(&registry).ok());
  CHECK(registry.All().size() == 2);
  UpsertRegistry other;
  REQUIRE(other.Add(std::make_shared<TakesNumber>()).ok());
  CHECK(absl::IsAlreadyExists(FileSystem::RegisterUpserts(&other)));
}

TEST_CASE("codes of errors are those of the layers below", "[fs]") {
  CHECK(absl::IsFailedPrecondition(ErrnoError(EROFS, "x")));
  CHECK(absl::IsFailedPrecondition(ErrnoError(EMLINK, "x")));
  CHECK(absl::IsNotFound(ErrnoError(ENODATA, "x")));
  CHECK(absl::IsResourceExhausted(ErrnoError(ENOSPC, "x")));
  CHECK(ToErrno(ErrnoError(EMLINK, "x")) == EMLINK);
}

}  // namespace
}  // namespace betr::test
