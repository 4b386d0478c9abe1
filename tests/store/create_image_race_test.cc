// SPDX-License-Identifier: Apache-2.0
// Images that several processes make at once, and makers that are killed: there is a whole image, or none.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/random.h"
#include "betr/store.h"
#include "support/device/temp_dir.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr unsigned kSecondsToHang = 60;

FormatOptions Small() {
  FormatOptions format;
  format.node_size = KiB(64);
  format.log_size = MiB(1);
  return format;
}

absl::Status Make(const std::string& path) { return Store::CreateImage(path, MiB(16), Small()); }

// A process that does something and ends with the code that it gives.
class Child {
 public:
  explicit Child(const std::function<int()>& act) : pid_(fork()) {
    if (pid_ == 0) {
      alarm(kSecondsToHang);
      _exit(act());
    }
  }
  ~Child() {
    if (pid_ > 0) Kill();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Kill() {
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  int ExitCode() {
    int status = 0;
    REQUIRE(waitpid(std::exchange(pid_, 0), &status, 0) > 0);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

// Makes images for ever, one after the other.
Child MakerOf(const std::string& path) {
  return Child([path] {
    while (Make(path).ok()) unlink(path.c_str());
    return 1;
  });
}

std::set<std::string> NamesIn(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.insert(entry.path().filename());
  return names;
}

bool HasUnnamedFiles(const std::string& directory) {
  const int fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

}  // namespace

TEST_CASE("a maker that is killed leaves a whole image or none", "[store]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  Random random(TestSeed());
  for (int round = 0; round < 100; ++round) {
    Child maker = MakerOf(path);
    usleep(static_cast<useconds_t>(random.Between(0, 10'000)));
    maker.Kill();
    const absl::Status made = Make(path);
    INFO(made);
    REQUIRE((made.ok() || absl::IsAlreadyExists(made)));
    const absl::Status opened = Store::OpenImage(path, {}).status();
    INFO(opened);
    REQUIRE(opened.ok());
    REQUIRE((NamesIn(directory.path()) == std::set<std::string>{"image"} || !HasUnnamedFiles(directory.path())));
    std::filesystem::remove(path);
  }
}

TEST_CASE("an image that can be seen is whole", "[store]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  Child maker = MakerOf(path);
  StoreOptions options;
  options.read_only = true;
  options.stale = true;  // does not ask who has it locked
  for (int found = 0; found < 100;) {
    const absl::Status opened = Store::OpenImage(path, options).status();
    INFO(opened);
    const bool was_replaced = absl::IsFailedPrecondition(opened);  // while it was opened
    REQUIRE((opened.ok() || absl::IsNotFound(opened) || was_replaced));
    found += opened.ok() ? 1 : 0;
  }
}

TEST_CASE("of several that make an image and open it one makes it, and one has it", "[store]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  constexpr int kMade = 1;
  constexpr int kOpened = 2;
  constexpr int kWrong = 4;
  const auto run = [&path] {
    const absl::Status made = Make(path);
    if (!made.ok() && !absl::IsAlreadyExists(made)) return kWrong;
    const auto store = Store::OpenImage(path, {});
    if (!store.ok() && !absl::IsFailedPrecondition(store.status())) return kWrong;
    return (made.ok() ? kMade : 0) + (store.ok() ? kOpened : 0);
  };
  for (int round = 0; round < 40; ++round) {
    Child one(run);
    Child other(run);
    const int first = one.ExitCode();
    const int second = other.ExitCode();
    INFO(first << " and " << second);
    REQUIRE(((first | second) & kWrong) == 0);
    REQUIRE((first & kMade) + (second & kMade) == kMade);
    REQUIRE(((first | second) & kOpened) != 0);
    REQUIRE(Store::OpenImage(path, {}).ok());
    std::filesystem::remove(path);
  }
}

TEST_CASE("making an image takes away none of another maker's", "[store]") {
  const TempDir directory;
  const std::string path = directory.File("image");
  const auto format = [&path] {
    absl::Status formatted = absl::NotFoundError("");
    while (absl::IsNotFound(formatted)) formatted = Store::FormatImage(path, Small());
    return formatted.ok() ? 0 : 1;
  };
  for (int round = 0; round < 40; ++round) {
    Child other(format);
    const absl::Status made = Make(path);
    INFO(made);
    CHECK(other.ExitCode() == 1);
    REQUIRE(made.ok());
    REQUIRE(Store::OpenImage(path, {}).ok());
    std::filesystem::remove(path);
  }
}

}  // namespace betr::test
