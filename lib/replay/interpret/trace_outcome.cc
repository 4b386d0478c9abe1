// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/trace_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "replay/trace/argument.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

using Counts = std::map<std::string, uint64_t>;
using Lines = std::vector<std::string>;

// Far more than there are kinds of anything; together they fit into a block.
constexpr uint64_t kMostCounts = 1024;
constexpr size_t kLongestName = 200;
constexpr uint64_t kMostLines = 32;
constexpr size_t kLongestSample = 4096;

// As text: in the order of NumbersOf, CountsOf, SamplesOf.
constexpr std::string_view kTracedName = "traced";
constexpr std::array<std::string_view, 13> kNumberNames{"lines",       "calls",         "signals",  "exits",   "notes",
                                                        "unparsed",    "unfinished",    "used",     "outside", "other",
                                                        "shared_maps", "unsynced_maps", "map_syncs"};
constexpr std::array<std::string_view, 3> kCountNames{"unsupported", "skipped", "conflicts"};
constexpr std::array<std::string_view, 2> kSampleNames{"unparsed_sample", "conflict_sample"};

// In the order of the format.
template <class Outcome>
auto NumbersOf(Outcome& outcome) {
  auto& stream = outcome.stream;
  auto& calls = outcome.interpreter;
  return std::vector{&stream.lines,      &stream.calls,        &stream.signals, &stream.exits,  &stream.notes,
                     &stream.unparsed,   &stream.unfinished,   &calls.used,     &calls.outside, &calls.other,
                     &calls.shared_maps, &calls.unsynced_maps, &calls.map_syncs};
}

template <class Outcome>
auto CountsOf(Outcome& outcome) {
  auto& calls = outcome.interpreter;
  return std::vector{&calls.unsupported, &calls.skipped, &calls.conflicts};
}

template <class Outcome>
auto SamplesOf(Outcome& outcome) {
  return std::vector{&outcome.stream.samples, &outcome.interpreter.samples};
}

void PutCounts(std::string* out, const Counts& counts) {
  Counts kept;
  for (const auto& [name, count] : counts) {
    if (kept.size() < kMostCounts) kept[name.substr(0, kLongestName)] += count;
  }
  PutVarint64(out, kept.size());
  for (const auto& [name, count] : kept) {
    PutLengthPrefixed(out, name);
    PutVarint64(out, count);
  }
}

Counts GetCounts(Decoder* in) {
  Counts counts;
  for (size_t rest = in->Count(kMostCounts, 2); rest > 0; --rest) {
    const std::string name(in->LengthPrefixed(kLongestName));
    const uint64_t count = in->Varint64();
    if (!counts.empty() && name <= counts.rbegin()->first) in->Fail("counts are not in order");
    counts.emplace(name, count);
  }
  return counts;
}

void PutLines(std::string* out, const Lines& lines) {
  const uint64_t kept = std::min<uint64_t>(lines.size(), kMostLines);
  PutVarint64(out, kept);
  for (size_t i = 0; i < kept; ++i) PutLengthPrefixed(out, lines[i].substr(0, kLongestSample));
}

Lines GetLines(Decoder* in) {
  Lines lines;
  for (size_t rest = in->Count(kMostLines, 1); rest > 0; --rest) lines.emplace_back(in->LengthPrefixed(kLongestSample));
  return lines;
}

absl::Status ParseCount(std::string_view value, Counts* counts) {
  const size_t blank = value.find(' ');
  uint64_t count = 0;
  if (blank == std::string_view::npos || !ParseDecimal(value.substr(0, blank), &count)) {
    return absl::InvalidArgumentError("not a number and a name");
  }
  const std::string name = DecodeEscapes(value.substr(blank + 1));
  if (name.size() > kLongestName || counts->size() >= kMostCounts) return absl::InvalidArgumentError("too much");
  return counts->emplace(name, count).second ? absl::OkStatus() : absl::InvalidArgumentError("it is there twice");
}

absl::Status ParseSample(std::string_view value, Lines* lines) {
  std::string line = DecodeEscapes(value);
  if (line.size() > kLongestSample || lines->size() >= kMostLines) return absl::InvalidArgumentError("too much");
  lines->push_back(std::move(line));
  return absl::OkStatus();
}

absl::Status ParseDuration(std::string_view value, std::chrono::nanoseconds* duration) {
  int64_t count = 0;
  if (!ParseDecimal(value, &count) || count < 0) return absl::InvalidArgumentError("wrong number");
  *duration = std::chrono::nanoseconds(count);
  return absl::OkStatus();
}

// Calls `use` with the member that has this name, if there is one.
template <class Names, class Members, class Use>
std::optional<absl::Status> WithMember(const Names& names, const Members& members, std::string_view name,
                                       const Use& use) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return use(members[i]);
  }
  return std::nullopt;
}

}  // namespace

std::string EncodeOutcome(const TraceOutcome& outcome) {
  std::string out;
  PutVarint64(&out, static_cast<uint64_t>(outcome.traced.count()));
  for (const uint64_t* number : NumbersOf(outcome)) PutVarint64(&out, *number);
  for (const Counts* counts : CountsOf(outcome)) PutCounts(&out, *counts);
  for (const Lines* lines : SamplesOf(outcome)) PutLines(&out, *lines);
  return out;
}

absl::StatusOr<TraceOutcome> DecodeOutcome(std::string_view bytes) {
  Decoder in(bytes);
  TraceOutcome outcome;
  outcome.traced = std::chrono::nanoseconds(static_cast<int64_t>(in.Varint64AtMost(INT64_MAX)));
  for (uint64_t* number : NumbersOf(outcome)) *number = in.Varint64();
  for (Counts* counts : CountsOf(outcome)) *counts = GetCounts(&in);
  for (Lines* lines : SamplesOf(outcome)) *lines = GetLines(&in);
  BETR_RETURN_IF_ERROR(in.Finish("outcome"));
  return outcome;
}

std::vector<std::string> FormatOutcome(const TraceOutcome& outcome) {
  std::vector<std::string> lines{fmt::format("{} {}", kTracedName, outcome.traced.count())};
  const auto numbers = NumbersOf(outcome);
  for (size_t i = 0; i < numbers.size(); ++i) lines.push_back(fmt::format("{} {}", kNumberNames.at(i), *numbers[i]));
  const auto counts = CountsOf(outcome);
  for (size_t i = 0; i < counts.size(); ++i) {
    for (const auto& [name, count] : *counts[i]) {
      lines.push_back(fmt::format("{} {} {}", kCountNames.at(i), count, EscapePath(name)));
    }
  }
  const auto samples = SamplesOf(outcome);
  for (size_t i = 0; i < samples.size(); ++i) {
    for (const std::string& line : *samples[i]) {
      lines.push_back(fmt::format("{} {}", kSampleNames.at(i), EscapePath(line)));
    }
  }
  return lines;
}

std::optional<absl::Status> ParseOutcomeLine(std::string_view name, std::string_view value, TraceOutcome* outcome) {
  if (name == kTracedName) return ParseDuration(value, &outcome->traced);
  const auto parse_number = [&](uint64_t* number) {
    return ParseDecimal(value, number) ? absl::OkStatus() : absl::InvalidArgumentError("wrong number");
  };
  const auto parse_count = [&](Counts* counts) { return ParseCount(value, counts); };
  const auto parse_sample = [&](Lines* lines) { return ParseSample(value, lines); };
  auto parsed = WithMember(kNumberNames, NumbersOf(*outcome), name, parse_number);
  if (!parsed.has_value()) parsed = WithMember(kCountNames, CountsOf(*outcome), name, parse_count);
  if (!parsed.has_value()) parsed = WithMember(kSampleNames, SamplesOf(*outcome), name, parse_sample);
  return parsed;
}

}  // namespace betr::replay
