// SPDX-License-Identifier: Apache-2.0
// Converted traces: what is written is read again, and what is damaged or makes no sense is refused by name.
#include <catch2/catch.hpp>
#include <sstream>

#include "base/random.h"
#include "replay/converted/trace_reader.h"
#include "replay/converted/trace_writer.h"
#include "replay/interpret/initial_state.h"
#include "support/replay/operations.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Catch::Matchers::Contains;

// "/" is node 1, "/w" 2, what is in it 3, 4 and 5.
Manifest InitialState() {
  Manifest manifest;
  manifest.entries = {{.path = "/w", .type = FileType::kDirectory, .permissions = 0755},
                      {.path = "/w/d", .type = FileType::kDirectory, .permissions = 0755},
                      {.path = "/w/f", .permissions = 0644, .size = 10},
                      {.path = "/w/l", .type = FileType::kSymlink, .permissions = 0777, .size = 1, .target = "f"}};
  return manifest;
}
constexpr NodeNumber kRoot{2};
constexpr NodeNumber kDirectory{3};
constexpr NodeNumber kFile{4};
constexpr NodeNumber kLink{5};
constexpr NodeNumber kNew{6};

class Collector final : public OperationSink {
 public:
  void Perform(const Operation& operation) override {
    OperationEncoder encoder;
    encoder.Add(operation, &bytes);
  }
  void Follow(const ProcessEvent& event) override { events.push_back(event); }

  std::string bytes;  // of all operations, each by itself
  std::vector<ProcessEvent> events;
};

std::string Write(const std::vector<Operation>& operations) {
  std::ostringstream out;
  TraceWriter writer(&out, "/w", InitialState());
  for (const Operation& operation : operations) writer.Perform(operation);
  writer.Follow({.kind = ProcessEvent::Kind::kJoin, .thread = 7, .other = 8, .line = 9});
  TraceOutcome outcome;
  outcome.stream.lines = 12;
  outcome.interpreter.skipped["reason"] = 3;
  outcome.expected = InitialState();
  outcome.unknown_modes = {"/w/a b"};
  outcome.traced = std::chrono::seconds(5);
  REQUIRE(writer.Finish(outcome).ok());
  return out.str();
}

absl::StatusOr<TraceOutcome> Read(const std::string& bytes, Collector* collector) {
  auto reader = TraceReader::Open(std::make_unique<std::istringstream>(bytes), "t");
  if (!reader.ok()) return reader.status();
  NameSpace space((*reader)->root());
  if (const absl::Status loaded = LoadManifest((*reader)->initial(), &space); !loaded.ok()) return loaded;
  return (*reader)->Read(&space, collector, [](uint64_t) {});
}

std::string ErrorOf(const std::string& bytes) {
  Collector collector;
  return std::string(Read(bytes, &collector).status().message());
}

std::string ErrorOf(const Operation& operation) { return ErrorOf(Write({operation})); }

Operation Everything() {
  Operation operation = MakeOperation(OperationKind::kChangeTimes, {kFile, kRoot, "f", {}});
  operation.thread = 77;
  operation.line = 1000;
  operation.time = std::chrono::nanoseconds(1795177851000000000);
  operation.variant = Variant::kAcl;
  operation.flags = 1;
  operation.mode = 07777;
  operation.type = FileType::kFifo;
  operation.device = ~uint64_t{0};
  operation.uid = 0;
  operation.gid = UINT32_MAX;
  operation.offset = 3;
  operation.to_offset = 4;
  operation.length = ~uint64_t{0};
  operation.accessed = {.kind = TimeChange::Kind::kNow};
  operation.modified = {.kind = TimeChange::Kind::kGiven, .time = {-5, 999'999'999}};
  operation.text = "user.name";
  operation.value = std::string("\0x", 2);
  operation.expected_count = 0;
  operation.expected_attributes.emplace();
  operation.expected_attributes->type = FileType::kSymlink;
  operation.expected_attributes->permissions = 0777;
  operation.expected_attributes->size = 5;
  operation.is_at_position = true;
  operation.is_growing = true;
  return operation;
}

TEST_CASE("a converted trace has all fields of operations, and what the trace says as a whole") {
  Operation earlier = MakeOperation(OperationKind::kStat, {kLink, {}, {}, {}});
  earlier.line = 500;
  earlier.time = std::chrono::nanoseconds(5);
  const std::vector<Operation> operations{Everything(), earlier, Everything()};
  Collector expected;
  for (const Operation& operation : operations) expected.Perform(operation);
  Collector found;
  const absl::StatusOr<TraceOutcome> outcome = Read(Write(operations), &found);
  INFO(outcome.status());
  REQUIRE(outcome.ok());
  CHECK(found.bytes == expected.bytes);
  CHECK(found.events ==
        std::vector<ProcessEvent>{{.kind = ProcessEvent::Kind::kJoin, .thread = 7, .other = 8, .line = 9}});
  CHECK(outcome->stream.lines == 12);
  CHECK(outcome->interpreter.skipped == std::map<std::string, uint64_t>{{"reason", 3}});
  CHECK(outcome->unknown_modes == std::set<std::string>{"/w/a b"});
  CHECK(outcome->traced == std::chrono::seconds(5));
  CHECK(outcome->expected.entries.size() == 4);
}

TEST_CASE("many blocks are read as one trace") {
  std::vector<Operation> operations(100'000, Everything());
  for (size_t i = 0; i < operations.size(); ++i) operations[i].line = i;
  Collector found;
  const std::string bytes = Write(operations);
  REQUIRE(Read(bytes, &found).ok());
  Collector expected;
  for (const Operation& operation : operations) expected.Perform(operation);
  CHECK(found.bytes == expected.bytes);
  CHECK(bytes.size() < operations.size() * 20);
}

TEST_CASE("damage of a converted trace is found wherever it is, and named") {
  const std::string whole = Write({Everything()});
  CHECK(ErrorOf(whole).empty());
  for (size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_THAT(ErrorOf(whole.substr(0, size)), Contains("t: the file is cut: it ends at byte " + std::to_string(size)));
  }
  Random random(TestSeed());
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.Uniform(8)));
    INFO(at << ": " << ErrorOf(damaged));
    CHECK_THAT(ErrorOf(damaged), Contains("t: "));
  }
  CHECK(ErrorOf(whole + "x") == "t: something follows the end, at byte " + std::to_string(whole.size()));
  std::string newer = whole;
  newer[kTraceMagic.size()] = 2;
  CHECK(ErrorOf(newer) == "t: version 2 of converted traces; this program reads 1");
}

TEST_CASE("operations that a trace cannot lead to are refused") {
  using Kind = OperationKind;
  const auto refused = [](const Operation& operation, const std::string& why) {
    INFO(NameOf(operation.kind));
    CHECK_THAT(ErrorOf(operation), Contains("record 0: ") && Contains(why));
  };
  refused(MakeOperation(Kind::kStat, {NodeNumber{99}, {}, {}, {}}), "node 99 is not there");
  refused(MakeOperation(Kind::kUnlink, {kFile, kRoot, "../f", {}}), "a name that is none");
  refused(MakeOperation(Kind::kUnlink, {kFile, kRoot, "..", {}}), "a name that is none");
  refused(MakeOperation(Kind::kUnlink, {kFile, kRoot, "x", {}}), "the name is of node 0");
  refused(MakeOperation(Kind::kUnlink, {kFile, kLink, "f", {}}), "node 5 is no directory");
  refused(MakeOperation(Kind::kUnlink, {kDirectory, kRoot, "d", {}}), "it would fail");
  refused(MakeOperation(Kind::kUnlink, {kFile, kRoot, "f", "/x"}), "a path goes on where it may not");
  refused(MakeOperation(Kind::kMakeDirectory, {kNew, kRoot, "new", {}}), "another type");
  refused(MakeOperation(Kind::kCreate, {kNew, kRoot, "f", {}}), "old number");
  refused(MakeOperation(Kind::kSymlink, {kFile, kRoot, "new", {}}), "not the next number");
  refused(MakeOperation(Kind::kRead, {kFile, {}, {}, {}}), "a file is missing");
  refused(MakeOperation(Kind::kForget, {kFile, {}, {}, {}}), "still in use");
  refused(MakeOperation(Kind::kChangeMode, {kLink, kRoot, "l", {}}), "a symlink has no mode");
  refused(MakeOperation(Kind::kTruncate, {kLink, kRoot, "l", {}}), "no content");
  Operation lookup = MakeOperation(Kind::kLookup, {kLink, kRoot, "l", {}});
  lookup.type = FileType::kDirectory;
  refused(lookup, "another type");
  Operation rename = MakeOperation(Kind::kRename, {kDirectory, kRoot, "d", {}});
  rename.to = {{}, kDirectory, "below", {}};
  refused(rename, "it would fail");
  rename.expected_error = 22;
  CHECK(ErrorOf(rename).empty());
  rename.to = {{}, kRoot, "other", {}};
  refused(rename, "it would not fail");
  Operation link = MakeOperation(Kind::kLink, {kFile, kRoot, "f", {}});
  link.to = {kDirectory, kRoot, "new", {}};
  refused(link, "another node");
  Operation create = MakeOperation(Kind::kCreate, {{}, kRoot, "new", {}});
  create.expected_error = 21;
  refused(create, "it would not fail");
  Operation probe = MakeOperation(Kind::kStat, {{}, kRoot, "new", {}});
  probe.is_probe = true;
  refused(probe, "a probe that succeeds");
}

TEST_CASE("texts that are too long are not converted") {
  std::ostringstream out;
  TraceWriter writer(&out, "/w", InitialState());
  Operation operation = MakeOperation(OperationKind::kGetXattr, {kFile, {}, {}, {}});
  operation.line = 4;
  operation.text = std::string(kMostText + 1, 'x');
  writer.Perform(operation);
  CHECK(writer.Finish({}).message() == "line 4: a text is too long for a converted trace");
}

}  // namespace
}  // namespace betr::replay
