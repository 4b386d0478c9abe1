// SPDX-License-Identifier: Apache-2.0
// Traces in many files, as -ff makes them.
#include "replay/trace/trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/device/temp_dir.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

class Files {
 public:
  void Add(const std::string& name, const Strings& lines) {
    paths_.push_back(dir_.File(name));
    std::ofstream file(paths_.back());
    for (const std::string& line : lines) file << line << '\n';
  }
  absl::StatusOr<std::unique_ptr<TraceSource>> Open() const { return TraceSource::Open(paths_); }
  // All lines, or the error in their place.
  Strings Read() const {
    auto source = Open();
    if (!source.ok()) return {std::string(source.status().message())};
    Strings lines;
    while (true) {
      auto line = (*source)->Next();
      if (!line.ok()) lines.emplace_back(line.status().message());
      if (!line.ok() || !line->has_value()) break;
      lines.push_back((*line)->text);
    }
    return lines;
  }
  // How an error begins that is about a line of a file.
  std::string At(const std::string& name, int line) const { return fmt::format("{}:{}: ", dir_.File(name), line); }

 private:
  TempDir dir_;
  Strings paths_;
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE("of many files those are open whose threads have begun and not ended") {
  constexpr int kFiles = 500;
  Files files;
  for (int i = 0; i < kFiles; ++i) {
    files.Add(fmt::format("t.{}", i + 10),
              {fmt::format("12:00:00.{:06} close(1) = 0", i), fmt::format("12:00:00.{:06} close(2) = 0", i + 1),
               fmt::format("12:00:00.{:06} exit_group(0) = ?", i + 2)});
  }
  const size_t before = OpenDescriptors();
  auto source = files.Open();
  REQUIRE(source.ok());
  CHECK(OpenDescriptors() == before);
  CHECK((*source)->size() > Bytes{0});
  std::chrono::nanoseconds last{0};
  int lines = 0;
  size_t most = 0;
  while (true) {
    const auto line = (*source)->Next();
    REQUIRE(line.ok());
    if (!line->has_value()) break;
    ++lines;
    CHECK((*line)->parsed->time >= last);
    last = (*line)->parsed->time;
    most = std::max(most, OpenDescriptors());
  }
  CHECK(lines == 3 * kFiles);
  CHECK(most <= before + 5);
  CHECK(OpenDescriptors() == before);
  CHECK((*source)->bytes_read() == (*source)->size());
}

TEST_CASE("lines of several files are merged by time, and at one time by file") {
  Files files;
  files.Add("t.7", {"12:00:00 close(1) = 0", "12:00:02 close(2) = 0", "12:00:03 exit(0) = ?"});
  files.Add("t.8", {"strace: Process 8 attached", "12:00:00 close(4) = 0", "12:00:01 close(5) = 0", "nonsense",
                    "12:00:02 close(6) = 0"});
  files.Add("t.9", {});
  CHECK(files.Read() == Strings{"strace: Process 8 attached", "12:00:00 close(1) = 0", "12:00:00 close(4) = 0",
                                "12:00:01 close(5) = 0", "nonsense", "12:00:02 close(2) = 0", "12:00:02 close(6) = 0",
                                "12:00:03 exit(0) = ?"});
}

TEST_CASE("a call of several files is where it took effect: at its begin what frees a descriptor or makes a child") {
  struct Case {
    std::string call;
    bool is_at_begin;
  };
  const Case cases[] = {
      {"close(4) = 0", true},      {"close_range(4, 4, 0) = 0", true},   {"dup2(3, 4) = 4", true},
      {"dup3(3, 4, 0) = 4", true}, {"clone(flags=SIGCHLD) = 9", true},   {"vfork() = 9", true},
      {"dup(3) = 4", false},       {"open(\"a\", O_RDONLY) = 4", false},
  };
  for (const Case& expected : cases) {
    INFO(expected.call);
    Files files;
    const std::string call = "12:00:01 " + expected.call + " <2.000000>";
    const std::string other = "12:00:02 close(4) = 0 <0.000010>";
    files.Add("t.7", {call});
    files.Add("t.8", {other});
    CHECK(files.Read() == (expected.is_at_begin ? Strings{call, other} : Strings{other, call}));
  }
}

TEST_CASE("several files without times of one clock are refused") {
  const std::string why = "has no time, by which the lines of several files are put in order (strace -ff needs -ttt)";
  for (const std::string bare : {"close(1) = 0", "     0.000012 close(1) = 0", "+++ exited with 0 +++"}) {
    INFO(bare);
    Files files;
    files.Add("t.7", {bare, bare});
    CHECK(files.Read() == Strings{bare, bare});
    files.Add("t.8", {"12:00:00 close(1) = 0"});
    CHECK(files.Read() == Strings{files.At("t.7", 1) + why});
  }
  Files later;
  later.Add("t.7", {"12:00:00 close(1) = 0"});
  later.Add("t.8", {"strace: Process 8 attached", "close(1) = 0"});
  CHECK(later.Read().back() == later.At("t.8", 2) + why);
}

TEST_CASE("times of a trace that are too late to be added up stay the latest") {
  Files files;
  files.Add("trace", Strings(200, "99999999.999999 close(1) = 0"));
  const auto source = files.Open();
  REQUIRE(source.ok());
  std::chrono::nanoseconds last{0};
  for (int i = 0; i < 200; ++i) {
    const auto line = (*source)->Next();
    REQUIRE(line.ok());
    REQUIRE(line->has_value());
    const auto& parsed = (*line)->parsed;
    REQUIRE(parsed.ok());
    CHECK(parsed->time >= last);
    last = parsed->time;
  }
  CHECK(last == std::chrono::nanoseconds::max());
}

TEST_CASE("a file of a trace that is missing") {
  Files files;
  files.Add("t.7", {"12:00:00 close(1) = 0"});
  files.Add("none/t.8", {});
  CHECK(files.Open().status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace betr::replay
