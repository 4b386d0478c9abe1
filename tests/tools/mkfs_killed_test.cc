// SPDX-License-Identifier: Apache-2.0
// mkfs.betr that a signal ends, on hosts with and without files that have no name: nothing is left of the image.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "mkfs.h"
#include "removed_if_killed.h"
#include "support/device/lacking_host.h"
#include "support/device/temp_dir.h"
#include "support/tools/run_tool.h"

namespace betr::tools {
namespace {

constexpr unsigned kSecondsToHang = 60;

pid_t StartChild(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    alarm(kSecondsToHang);
    act();
    _exit(0);
  }
  return child;
}

// The signal that ended it.
int SignalOf(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  return WTERMSIG(status);
}

// The pipe, as soon as the child reads it.
int OpenWhenRead(const std::string& pipe, pid_t child) {
  int fd = -1;
  while ((fd = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    REQUIRE(errno == ENXIO);
    REQUIRE(waitpid(child, nullptr, WNOHANG) == 0);  // it ended by itself
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return fd;
}

std::set<std::string> NamesIn(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("mkfs.betr leaves nothing behind when a signal ends it", "[tools]") {
  const TempDir dir;
  const std::string archive = dir.File("endless.tar");
  REQUIRE(mkfifo(archive.c_str(), 0600) == 0);
  const bool has_unnamed = GENERATE(true, false);
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const LackingHost host({.unnamed_files = !has_unnamed});
  const pid_t child = StartChild([&] {
    ToolRun run;
    run.Run(MkfsMain, {"-q", "-s", "64M", "--tar", archive, dir.File("image")});
  });
  const int feed = OpenWhenRead(archive, child);
  CHECK_FALSE(std::filesystem::exists(dir.File("image")));
  if (!has_unnamed) CHECK(NamesIn(dir.path()).size() == 2);
  kill(child, number);
  CHECK(SignalOf(child) == number);
  close(feed);
  CHECK(NamesIn(dir.path()) == std::set<std::string>{"endless.tar"});
}

TEST_CASE("what is to be removed if the program is killed is removed only then", "[tools]") {
  const TempDir dir;
  const std::string path = dir.File("file");
  const auto make = [&] { close(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)); };
  SECTION("while it is armed") {
    CHECK(SignalOf(StartChild([&] {
            RemovedIfKilled removed;
            make();
            std::raise(SIGTERM);  // waits
            removed.Arm(path);
          })) == SIGTERM);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  SECTION("with no path") {
    CHECK(SignalOf(StartChild([&] {
            RemovedIfKilled removed;
            make();
            removed.Arm("");
            std::raise(SIGTERM);
          })) == SIGTERM);
    CHECK(std::filesystem::exists(path));
  }
  SECTION("afterwards") {
    CHECK(SignalOf(StartChild([&] {
            make();
            {
              RemovedIfKilled removed;
              removed.Arm(path);
            }
            std::raise(SIGTERM);
          })) == SIGTERM);
    CHECK(std::filesystem::exists(path));
  }
}

}  // namespace betr::tools
