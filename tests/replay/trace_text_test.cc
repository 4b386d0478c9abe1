// SPDX-License-Identifier: Apache-2.0
// Converted traces as text: whatever is written is read as the same again, and what is wrong is named.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/random.h"
#include "replay/converted/operation_text.h"
#include "replay/trace/scan.h"
#include "support/docs.h"
#include "support/replay/conversion.h"
#include "support/replay/operations.h"
#include "support/replay/sample_trace.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

std::string BytesOf(const TraceRecord& record) {
  OperationEncoder encoder;
  std::string bytes;
  std::visit([&](const auto& value) { encoder.Add(value, &bytes); }, record);
  return bytes;
}

std::string RandomBytes(Random& random) {
  std::string bytes;
  for (uint64_t rest = random.Skewed(6); rest > 0; --rest) bytes.push_back(static_cast<char>(random.Uniform(256)));
  return bytes;
}

uint64_t RandomNumber(Random& random) { return random.OneIn(2) ? 0 : random.Skewed(63) * 2 + random.Uniform(2); }

Place RandomPlace(Random& random) {
  return {NodeNumber{RandomNumber(random)}, NodeNumber{RandomNumber(random)}, RandomBytes(random), RandomBytes(random)};
}

TimeChange RandomTimeChange(Random& random) {
  TimeChange change{.kind = static_cast<TimeChange::Kind>(random.Uniform(3))};
  if (change.kind != TimeChange::Kind::kGiven) return change;
  const auto seconds = static_cast<int64_t>(RandomNumber(random));
  change.time = {random.OneIn(2) ? -seconds : seconds, static_cast<uint32_t>(random.Uniform(1'000'000'000))};
  return change;
}

FileType RandomType(Random& random) { return static_cast<FileType>(1 + random.Uniform(7)); }

void SetRandomResults(Random& random, Operation* operation) {
  if (random.OneIn(2)) operation->expected_error = static_cast<int>(random.Uniform(140));
  if (random.OneIn(2)) operation->expected_count = RandomNumber(random);
  if (random.OneIn(2)) {
    operation->expected_attributes.emplace();
    operation->expected_attributes->type = RandomType(random);
    operation->expected_attributes->permissions = static_cast<uint32_t>(random.Uniform(010000));
    operation->expected_attributes->size = RandomNumber(random);
  }
}

// All fields at random, whether they make sense or not.
Operation RandomOperation(Random& random) {
  const auto small = [&] { return static_cast<uint32_t>(RandomNumber(random)); };
  Operation operation =
      MakeOperation(static_cast<OperationKind>(random.Uniform(kOperationKinds)), RandomPlace(random), small());
  operation.variant = static_cast<Variant>(random.Uniform(8));
  operation.to = RandomPlace(random);
  operation.file = FileNumber{RandomNumber(random)};
  operation.to_file = FileNumber{RandomNumber(random)};
  operation.is_probe = random.OneIn(2);
  operation.is_at_position = random.OneIn(2);
  operation.is_growing = random.OneIn(2);
  operation.flags = small();
  operation.mode = small();
  operation.type = RandomType(random);
  operation.device = RandomNumber(random);
  if (random.OneIn(2)) operation.uid = small();
  if (random.OneIn(2)) operation.gid = small();
  operation.offset = RandomNumber(random);
  operation.to_offset = RandomNumber(random);
  operation.length = RandomNumber(random);
  operation.accessed = RandomTimeChange(random);
  operation.modified = RandomTimeChange(random);
  operation.text = RandomBytes(random);
  operation.value = RandomBytes(random);
  operation.line = RandomNumber(random);
  operation.time = std::chrono::nanoseconds(static_cast<int64_t>(RandomNumber(random)));
  SetRandomResults(random, &operation);
  return operation;
}

ProcessEvent RandomEvent(Random& random) {
  return {.kind = static_cast<ProcessEvent::Kind>(random.Uniform(3)),
          .thread = static_cast<ThreadNumber>(RandomNumber(random)),
          .other = static_cast<ThreadNumber>(RandomNumber(random)),
          .line = RandomNumber(random)};
}

TEST_CASE("records are the same when they were text") {
  Random random(TestSeed());
  for (uint64_t round = 0; round < static_cast<uint64_t>(20'000 * TestScale()); ++round) {
    const bool is_event = random.OneIn(8);
    const TraceRecord record = is_event ? TraceRecord(RandomEvent(random)) : TraceRecord(RandomOperation(random));
    const std::string text = std::visit([](const auto& value) { return FormatRecord(value); }, record);
    INFO("round " << round << ": " << text);
    const absl::StatusOr<TraceRecord> parsed = ParseRecord(text + (random.OneIn(2) ? " # a=b, c" : ""));
    REQUIRE(parsed.ok());
    REQUIRE(BytesOf(*parsed) == BytesOf(record));
    REQUIRE(text.find_first_of("\n\t") == std::string::npos);
  }
}

TEST_CASE("a record reads well") {
  Operation operation = MakeOperation(OperationKind::kChangeTimes, {NodeNumber{6}, NodeNumber{2}, "a b", {}}, 100);
  operation.line = 12;
  operation.mode = 0644;
  operation.flags = 0x241;
  operation.accessed = {.kind = TimeChange::Kind::kNow};
  operation.modified = {.kind = TimeChange::Kind::kGiven, .time = {-5, 7}};
  operation.expected_error = 2;
  operation.is_growing = true;
  CHECK(FormatRecord(operation) ==
        "utimes thread=100 line=12 node=6 parent=2 name=a\\040b flags=0x241 mode=0644 accessed=now modified=at,-5,7 "
        "error=ENOENT growing");
  CHECK(FormatRecord(ProcessEvent{.kind = ProcessEvent::Kind::kFork, .thread = 1, .other = 2, .line = 3}) ==
        "fork thread=1 other=2 line=3");
}

TEST_CASE("records that are wrong are refused") {
  const auto refused = [](const std::string& line, const std::string& why) {
    INFO(line);
    CHECK(ParseRecord(line).status().message() == why);
  };
  refused("", "no such kind of line: ");
  refused("open4 line=1", "no such kind of line: open4");
  refused("stat lines=1", "no such field, or not in its place: lines=1");
  refused("stat node=1 line=1", "no such field, or not in its place: line=1");
  refused("stat line=1 line=1", "no such field, or not in its place: line=1");
  refused("stat  line=1", "no such field, or not in its place: ");
  refused("stat line", "line: wrong value: ");
  refused("stat line=", "line: wrong value: ");
  refused("stat line=-1", "line: wrong value: -1");
  refused("stat line=18446744073709551616", "line: wrong value: 18446744073709551616");
  refused("stat line=1,2", "line: wrong value: 2");
  refused("stat line=1, node=2", "line: wrong value: ");
  refused("stat probe=1", "probe: wrong value: 1");
  refused("stat mode=0888", "mode: wrong value: 0888");
  refused("stat flags=0x", "flags: wrong value: 0x");
  refused("stat type=x", "type: wrong value: x");
  refused("stat type=", "type: wrong value: ");
  refused("stat variant=", "variant: wrong value: ");
  refused("stat error=ENOTHING", "error: wrong value: ENOTHING");
  refused("stat attributes=f,0644", "attributes: wrong value: ");
  refused("stat attributes=f,010000,1", "attributes: wrong value: 010000");
  refused("utimes accessed=at,1,1000000000", "accessed: wrong value: 1000000000");
  refused("utimes accessed=at,x,1", "accessed: wrong value: x");
  refused("utimes accessed=now,1", "accessed: wrong value: 1");
  refused("stat name=" + std::string(kMostText + 1, 'x'), "a text is too long");
  refused("fork thread=4294967296", "thread: wrong value: 4294967296");
}

std::string TextOf(const std::vector<std::string>& lines) {
  const absl::StatusOr<std::string> compact = Converted(fmt::format("{}\n", fmt::join(lines, "\n")));
  INFO(compact.status());
  REQUIRE(compact.ok());
  const absl::StatusOr<std::string> text = Converted(*compact);
  INFO(text.status());
  REQUIRE(text.ok());
  const absl::StatusOr<std::string> back = Converted(*text);
  INFO(back.status());
  REQUIRE(back.ok());
  REQUIRE(*back == *compact);
  return *text;
}

TEST_CASE("traces are the same when they were text") {
  TextOf(SampleTrace());
  Random random(TestSeed());
  for (uint64_t round = 0; round < static_cast<uint64_t>(500 * TestScale()); ++round) {
    INFO("round " << round);
    TextOf(DamagedTrace(random));
  }
}

std::string ErrorOf(std::string_view text) {
  const std::string message(Converted(text).status().message());
  return message.substr(std::min(message.find(':') + 1, message.size()));  // without the file
}

TEST_CASE("text may be changed by hand") {
  CHECK(ErrorOf("betr trace 1\n# why\nroot /w\n\ninitial /w\td\t0755\t0\t-\n"
                "mkdir node=3 parent=2 name=a type=d mode=0755\nend\n") ==
        "6: no such field, or not in its place: mode=0755");
  const std::string text =
      "betr trace 1\n# why\nroot /w\n\ninitial /w\td\t0755\t0\t-\nmkdir line=0 node=3 parent=2 name=a mode=755 type=d\n"
      "stat node=3 # not there before\nlines 2\nend\n";
  const absl::StatusOr<std::string> compact = Converted(text);
  INFO(compact.status());
  REQUIRE(compact.ok());
  const absl::StatusOr<std::string> again = Converted(*compact);
  REQUIRE(again.ok());
  CHECK_THAT(*again, Contains("\nmkdir node=3 parent=2 name=a mode=0755 type=d # /w/a\nstat node=3 # /w/a\n"));
  CHECK_THAT(*again, Contains("\nlines 2\ncalls 0\n"));
}

TEST_CASE("text that is wrong is refused, with its line") {
  const std::string begin = "betr trace 1\nroot /w\ninitial /w\td\t0755\t0\t-\n";
  CHECK(ErrorOf(begin + "end\n").empty());
  CHECK(ErrorOf(begin) == "3: the file is cut: it has no line `end`");
  CHECK(ErrorOf("betr trace 1\n") == "1: the file is cut: it has no line `end`");
  CHECK(ErrorOf(begin + "end\n\n") == "5: something follows the end");
  CHECK(ErrorOf("betr trace 2\n") == "1: version 2 of converted traces as text; this program reads 1");
  CHECK(ErrorOf("betr trace 1\nroot w\nend\n") == "2: not the root as an absolute path");
  CHECK(ErrorOf("betr trace 1\nend\n") == "2: not the root as an absolute path");
  CHECK(ErrorOf("betr trace 1\nroot /" + std::string(kMostText, 'w') + "\nend\n") ==
        "2: not the root as an absolute path");
  CHECK(ErrorOf(begin + "initial /a\td\t0755\t0\t-\nend\n") == "4: objects are not in order");
  CHECK(ErrorOf(begin + "initial /x\nend\n") == "4: not five fields between tabs");
  CHECK(ErrorOf(begin + "stat node=2\ninitial /x\td\t0755\t0\t-\nend\n") == "5: no such kind of line: initial");
  CHECK(ErrorOf(begin + "final /b\td\t0755\t0\t-\nfinal /a\td\t0755\t0\t-\nend\n") == "5: objects are not in order");
  CHECK(ErrorOf(begin + "unknown_mode a\nend\n") == "4: not an absolute path");
  CHECK(ErrorOf(begin + "lines many\nend\n") == "4: wrong number");
  CHECK(ErrorOf(begin + "traced -1\nend\n") == "4: wrong number");
  CHECK(ErrorOf(begin + "skipped reason\nend\n") == "4: not a number and a name");
  CHECK(ErrorOf(begin + "skipped 1 reason\nskipped 2 reason\nend\n") == "5: it is there twice");
  CHECK(ErrorOf(begin + "conflict_sample " + std::string(5000, 'x') + "\nend\n") == "4: too much");
  CHECK(ErrorOf(begin + "unlink node=3 parent=2 name=a\nend\n") == "4: unlink: node 3 is not there");
  const std::string lookup = "lookup node=3 parent=2 name=a type=d\n";
  const std::string with_directory = begin + "initial /w/a\td\t0755\t0\t-\n" + lookup;
  CHECK(ErrorOf(with_directory + "end\n").empty());
  CHECK(ErrorOf(with_directory + lookup + "end\n") == "6: lookup: a lookup of what is known already");
  const std::string mkdir = "mkdir node=3 parent=2 name=a type=d\n";
  CHECK(ErrorOf(begin + mkdir + lookup + "end\n") == "5: lookup: a lookup of what is known already");
  CHECK(ErrorOf(begin + "mkdir node=3 parent=2 name=.. type=d\nend\n") == "4: mkdir: a name that is none");
}

TEST_CASE("the text in the documentation is one") {
  const std::string document = test::ReadDocument("replay.md");
  const size_t begin = document.find("betr trace 1\n");
  REQUIRE(begin != std::string::npos);
  const std::string text = document.substr(begin, document.find("```", begin) - begin);
  const absl::StatusOr<std::string> compact = Converted(text);
  INFO(compact.status());
  REQUIRE(compact.ok());
  const absl::StatusOr<std::string> again = Converted(*compact);
  REQUIRE(again.ok());
  for (const std::string_view line : SplitNonEmpty(text, '\n')) CHECK_THAT(*again, Contains(fmt::format("{}\n", line)));
}

TEST_CASE("text that is cut anywhere is refused") {
  const std::string whole = TextOf(SampleTrace());
  CHECK_THAT(whole, EndsWith("\nend\n"));
  for (size_t size = std::string_view("betr trace 1\n").size(); size + 1 < whole.size(); ++size) {
    INFO(size);
    const std::string begin = whole.substr(0, size);
    REQUIRE(absl::IsDataLoss(Converted(begin).status()));
    const bool is_in_line = !begin.ends_with('\n');
    CHECK_THAT(ErrorOf(begin), EndsWith(is_in_line ? "cut in this line" : "has no line `end`"));
  }
}

}  // namespace
}  // namespace betr::replay
