// SPDX-License-Identifier: Apache-2.0
#include "replay/trace_outcome.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"

namespace betr::replay {
namespace {

using Counts = std::map<std::string, uint64_t>;
using Lines = std::vector<std::string>;

// Far more than there are kinds of anything; together they fit into a block.
constexpr uint64_t kMostCounts = 1024;
constexpr size_t kLongestName = 200;
constexpr uint64_t kMostLines = 32;
constexpr size_t kLongestLine = 4096;

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
  for (size_t i = 0; i < kept; ++i) PutLengthPrefixed(out, lines[i].substr(0, kLongestLine));
}

Lines GetLines(Decoder* in) {
  Lines lines;
  for (size_t rest = in->Count(kMostLines, 1); rest > 0; --rest) lines.emplace_back(in->LengthPrefixed(kLongestLine));
  return lines;
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

}  // namespace betr::replay
