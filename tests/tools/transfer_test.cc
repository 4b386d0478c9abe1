// SPDX-License-Identifier: Apache-2.0
// What a copy says on a terminal while it runs; and what it does where there is not enough space.
#include "transfer.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/random.h"
#include "support/device/temp_dir.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::tools {
namespace {

using Catch::Matchers::Contains;

constexpr Bytes kSize = MiB(16);

// Half a second passes whenever somebody looks.
class HastyClock final : public Clock {
 public:
  std::chrono::nanoseconds Now() override { return now_ += std::chrono::milliseconds(500); }
  std::chrono::nanoseconds Monotonic() override { return Now(); }

 private:
  std::chrono::nanoseconds now_{0};
};

test::ImageOptions Large() {
  test::ImageOptions options;
  options.size = MiB(256);
  options.node_size = MiB(1);
  options.basement_size = KiB(16);
  return options;
}

// An image with the file d/large, and the same file on the host.
class Ground {
 public:
  Ground() {
    const std::string content(kSize.value, 'x');
    std::ofstream(Host("large")) << content;
    REQUIRE(image_.paths().MakeDirectory("d").ok());
    REQUIRE(image_.paths().WriteFile("d/large", content).ok());
  }

  // What `copy` shows on the terminal.
  std::string Watch(const std::function<absl::Status(Transfer&)>& copy) {
    std::stringstream none;
    std::ostringstream err;
    HastyClock clock;
    ToolIo io{.in = none, .out = none, .err = err, .is_err_terminal = true, .environment = {}, .clock = clock};
    const Tool tool({.name = "tested", .summary = "", .examples = ""}, io);
    Transfer transfer(tool, &image_.fs(), "", {});
    const absl::Status status = copy(transfer);
    INFO(status);
    REQUIRE(status.ok());
    CHECK(transfer.counts().bytes == kSize);
    return err.str();
  }

  std::string Host(const std::string& name) const { return directory_.File(name); }

 private:
  TempDir directory_;
  test::Image image_{Large()};
};

TEST_CASE("a copy says how much time is left where the whole is known") {
  Ground ground;
  CHECK_THAT(ground.Watch([&](Transfer& transfer) {
    transfer.ExpectFromHost({ground.Host("large")});
    return transfer.ImportTrees({{ground.Host("large"), "in"}});
  }),
             Contains(" left"));
  CHECK_THAT(ground.Watch([&](Transfer& transfer) {
    transfer.ExpectFromInside({"d"});
    return transfer.ExportTrees({{"d", ground.Host("d")}});
  }),
             Contains(" %, ") && Contains(" left"));
  CHECK_THAT(ground.Watch([&](Transfer& transfer) {
    transfer.ExpectFromInside({"d/large"});
    return transfer.ExportTar("d/large", ground.Host("a.tar"));
  }),
             Contains(" left"));
  CHECK_THAT(ground.Watch([&](Transfer& transfer) { return transfer.ImportTar(ground.Host("a.tar"), "from-tar"); }),
             Contains(" %, ") && Contains(" left"));
}

TEST_CASE("a copy of a directory of the host does not say how much time is left") {
  Ground ground;
  const std::string shown = ground.Watch([&](Transfer& transfer) {
    transfer.ExpectFromHost({ground.Host(".")});
    return transfer.ImportTrees({{ground.Host("."), "in"}});
  });
  CHECK_THAT(shown, Contains(" files, ") && !Contains(" left"));
}

TEST_CASE("the content of a tree is estimated") {
  test::Image image;
  REQUIRE(image.paths().MakeDirectories("a/b").ok());
  const std::string content(MiB(3).value, 'x');
  REQUIRE(image.paths().WriteFile("a/b/large", content).ok());
  REQUIRE(image.paths().WriteFile("a/small", "small").ok());
  REQUIRE(image.paths().WriteFile("other", content).ok());
  REQUIRE(image.fs().Sync().ok());
  const auto within = [&](const std::string& path, Bytes expected) {
    const absl::StatusOr<Bytes> bytes = fs::EstimateTree(&image.fs(), path);
    INFO(path << ": " << bytes.status() << " " << bytes.value_or(Bytes{0}).value);
    CHECK((bytes.ok() && *bytes * 10 >= expected * 9 && *bytes * 10 <= expected * 11));
  };
  within("a/b/large", MiB(3));
  within("a", MiB(3));
  within("/", MiB(6));
  CHECK(ToErrno(fs::EstimateTree(&image.fs(), "nothing").status()) == ENOENT);
}

// Files of all sizes around what is free: a part of one that finds no space any more is an error.
TEST_CASE("a copy to an image that is nearly full is whole, or fails") {
  TempDir directory;
  Random random(TestSeed());
  int whole = 0;
  int failed = 0;
  for (uint64_t size = KiB(1200).value; size < KiB(5600).value; size += KiB(40).value + 7) {
    test::ImageOptions options;
    options.size = MiB(8);
    options.node_size = KiB(16);
    options.basement_size = KiB(4);
    options.compression = "none";
    test::Image image(options);
    const std::string content = random.String(size);
    std::ofstream(directory.File("f"), std::ios::binary | std::ios::trunc) << content;
    std::stringstream none;
    ToolIo io{.in = none, .out = none, .err = none, .environment = {}, .clock = SystemClock()};
    const Tool tool({.name = "tested", .summary = "", .examples = ""}, io);
    Transfer transfer(tool, &image.fs(), "", {});
    const absl::Status status = transfer.ImportTrees({{directory.File("f"), "f"}});
    INFO(size << " bytes: " << status);
    if (status.ok()) {
      ++whole;
      REQUIRE(image.fs().Sync().ok());
      REQUIRE(image.paths().ReadFile("f").value() == content);
    } else {
      ++failed;
      REQUIRE(ToErrno(status) == ENOSPC);
    }
  }
  CHECK(whole > 0);
  CHECK(failed > 0);
}

}  // namespace
}  // namespace betr::tools
