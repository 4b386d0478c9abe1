// SPDX-License-Identifier: Apache-2.0
// Programs that are started with closed standard streams, and those that get no memory.
#include "tool_io.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <new>
#include <string>
#include <vector>

namespace betr::tools {
namespace {

int ExitOf(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// In a process of its own, in which these streams are closed: whether the next file gets none of their numbers, and
// nothing can be written to them, or read.
bool KeepsStreamsApart(const std::vector<int>& closed) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int stream : closed) close(stream);
    ProcessIo();
    char byte = 0;
    bool good = open("/dev/null", O_RDWR) > STDERR_FILENO;
    for (const int stream : closed) {
      good = good && (stream == STDIN_FILENO ? read(stream, &byte, 1) : write(stream, &byte, 1)) < 0;
    }
    _exit(good ? 0 : 1);
  }
  return ExitOf(child) == 0;
}

TEST_CASE("a tool without memory says so, and exits with the code that it has for that") {
  int said[2];
  REQUIRE(pipe(said) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDERR_FILENO);
    ProcessIo(9);
    std::get_new_handler()();
    _exit(0);
  }
  close(said[1]);
  std::string text;
  for (char byte = 0; read(said[0], &byte, 1) == 1;) text += byte;
  close(said[0]);
  CHECK(ExitOf(child) == 9);
  CHECK(text.find(": out of memory\n") != std::string::npos);
}

TEST_CASE("no file that is opened becomes a standard stream") {
  CHECK(KeepsStreamsApart({}));
  CHECK(KeepsStreamsApart({0}));
  CHECK(KeepsStreamsApart({1}));
  CHECK(KeepsStreamsApart({2}));
  CHECK(KeepsStreamsApart({1, 2}));
  CHECK(KeepsStreamsApart({0, 1, 2}));
}

}  // namespace
}  // namespace betr::tools
