// SPDX-License-Identifier: Apache-2.0
#include "betrreplay_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/size_text.h"
#include "json_output.h"
#include "progress.h"

namespace betr::tools {
namespace {

constexpr size_t kShown = 20;

double Seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

double Micros(std::chrono::nanoseconds duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

std::string Ratio(Bytes part, Bytes whole) {
  if (whole.value == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(part.value) / static_cast<double>(whole.value));
}

void PrintKinds(std::ostream& out, const replay::ReplayReport& report) {
  out << fmt::format("{:<12}{:>10}{:>9}{:>10}{:>10}{:>10}{:>10}{:>11}\n", "operation", "count", "failed", "s", "p50 us",
                     "p99 us", "max us", "different");
  for (size_t i = 0; i < report.kinds.size(); ++i) {
    const replay::KindReport& kind = report.kinds[i];
    if (kind.latency.count() == 0) continue;
    out << fmt::format("{:<12}{:>10}{:>9}{:>10.3f}{:>10.1f}{:>10.1f}{:>10.1f}{:>11}\n",
                       replay::NameOf(static_cast<replay::OperationKind>(i)), kind.latency.count(), kind.failed,
                       Seconds(kind.latency.total()), Micros(kind.latency.Percentile(0.5)),
                       Micros(kind.latency.Percentile(0.99)), Micros(kind.latency.max()), kind.different);
  }
  out << fmt::format("{:<12}{:>10}{:>9}{:>10.3f}{:>41}\n", "all", report.Operations(), "", Seconds(report.Total()),
                     report.Different());
}

// What is counted and listed has text of the trace in it.
void PrintCounts(std::ostream& out, std::string_view title, const std::map<std::string, uint64_t>& counts) {
  if (counts.empty()) return;
  out << title << ":\n";
  for (const auto& [what, count] : counts) out << fmt::format("  {:>10}  {}\n", count, Legible(what));
}

void PrintList(std::ostream& out, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out << title << ":\n";
  const size_t shown = std::min(lines.size(), kShown);
  for (size_t i = 0; i < shown; ++i) out << "  " << Legible(lines[i]) << '\n';
  if (shown < lines.size()) out << fmt::format("  and {} more\n", lines.size() - shown);
}

void PrintCheck(std::ostream& out, const CheckResult& check) {
  const replay::Comparison& comparison = check.comparison;
  PrintList(out, "final state differs", comparison.differences);
  PrintList(out, "explained", comparison.explained);
  out << fmt::format("check        {} objects, {} differences, {} explained", check.objects,
                     comparison.differences.size(), comparison.explained.size());
  if (comparison.is_digest_equal) out << "; digest " << (*comparison.is_digest_equal ? "equal" : "differs");
  out << '\n';
}

void PrintTraceLine(std::ostream& out, const replay::TraceOutcome& outcome) {
  const replay::StreamCounts& stream = outcome.stream;
  const replay::InterpreterCounts& calls = outcome.interpreter;
  out << fmt::format("trace        {} lines, {} calls ({} used, {} outside, {} of other kinds), {} not parsed, ",
                     stream.lines, stream.calls, calls.used, calls.outside, calls.other, stream.unparsed);
  if (stream.unfinished > 0) out << fmt::format("{} unfinished, ", stream.unfinished);
  out << FormatDuration(outcome.traced) << '\n';
}

// What programs stored into mapped files is known only in part. Prints nothing if they mapped none for that.
void PrintMaps(std::ostream& out, const replay::InterpreterCounts& calls) {
  if (calls.shared_maps == 0) return;
  out << fmt::format("maps         {} shared and writable, {} ranges synced; stores into {} unsynced are not known\n",
                     calls.shared_maps, calls.map_syncs, calls.unsynced_maps);
}

// Prints what of the trace was not used.
void PrintRemarks(const Tool& tool, const replay::TraceOutcome& outcome) {
  std::ostream& out = tool.io().out;
  const replay::InterpreterCounts& calls = outcome.interpreter;
  PrintList(out, "not parsed", outcome.stream.samples);
  PrintCounts(out, "calls that replay does not do", calls.unsupported);
  if (tool.verbosity() > 0) PrintCounts(out, "left out", calls.skipped);
  PrintCounts(out, "the trace contradicts itself", calls.conflicts);
  if (tool.verbosity() > 0) PrintList(out, "the first", calls.samples);
}

void PrintDevice(std::ostream& out, const replay::DeviceCounts& device, const replay::ReplayReport& report) {
  out << fmt::format("device       {} reads, {}; {} writes, {}; {} flushes", device.reads,
                     FormatSize(device.read_bytes), device.writes, FormatSize(device.written_bytes), device.flushes);
  if (device.seeks.has_value()) out << fmt::format(", {} seeks", *device.seeks);
  out << '\n';
  out << fmt::format("amplification  {} written, {} read\n", Ratio(device.written_bytes, report.written),
                     Ratio(device.read_bytes, report.read));
  if (device.modelled_seconds.has_value()) {
    out << fmt::format("disk model   busy {:.3f} s, waited for {:.3f} s\n", *device.modelled_seconds,
                       device.modelled_wait_seconds);
  }
}

void PrintText(const Tool& tool, const replay::RunResult& result, const std::optional<CheckResult>& check) {
  std::ostream& out = tool.io().out;
  if (!tool.quiet()) {
    PrintKinds(out, result.report);
    PrintTraceLine(out, result);
    PrintMaps(out, result.interpreter);
    out << fmt::format("replay       {}", FormatDuration(result.elapsed));
    if (result.report.late.count() > 0) out << fmt::format(", at the end {} late", FormatDuration(result.report.late));
    out << '\n';
    out << fmt::format("programs     read {}, wrote {}\n", FormatSize(result.report.read),
                       FormatSize(result.report.written));
    if (result.device.has_value()) PrintDevice(out, *result.device, result.report);
  }
  PrintRemarks(tool, result);
  PrintCounts(out, "results that differ from the trace", result.report.differences);
  PrintList(out, "the first", result.report.samples);
  if (check.has_value()) PrintCheck(out, *check);
}

Json KindsAsJson(const replay::ReplayReport& report) {
  Json kinds = Json::array();
  for (size_t i = 0; i < report.kinds.size(); ++i) {
    const replay::KindReport& kind = report.kinds[i];
    if (kind.latency.count() == 0) continue;
    kinds.push_back({{"kind", replay::NameOf(static_cast<replay::OperationKind>(i))},
                     {"count", kind.latency.count()},
                     {"failed", kind.failed},
                     {"different", kind.different},
                     {"seconds", Seconds(kind.latency.total())},
                     {"p50_us", Micros(kind.latency.Percentile(0.5))},
                     {"p90_us", Micros(kind.latency.Percentile(0.9))},
                     {"p99_us", Micros(kind.latency.Percentile(0.99))},
                     {"max_us", Micros(kind.latency.max())}});
  }
  return kinds;
}

Json DeviceAsJson(const replay::DeviceCounts& device) {
  Json json{{"reads", device.reads},
            {"writes", device.writes},
            {"flushes", device.flushes},
            {"read_bytes", device.read_bytes.value},
            {"written_bytes", device.written_bytes.value}};
  if (device.seeks.has_value()) json["seeks"] = *device.seeks;
  if (device.modelled_seconds.has_value()) {
    json["modelled_seconds"] = *device.modelled_seconds;
    json["modelled_wait_seconds"] = device.modelled_wait_seconds;
  }
  return json;
}

void AddOutcome(const replay::TraceOutcome& outcome, Json* json) {
  const replay::StreamCounts& stream = outcome.stream;
  const replay::InterpreterCounts& calls = outcome.interpreter;
  (*json)["trace"] = {{"lines", stream.lines},           {"calls", stream.calls},
                      {"signals", stream.signals},       {"exits", stream.exits},
                      {"notes", stream.notes},           {"unparsed", stream.unparsed},
                      {"unfinished", stream.unfinished}, {"seconds", Seconds(outcome.traced)}};
  (*json)["trace"]["unparsed_samples"] = stream.samples;
  (*json)["calls"] = {{"used", calls.used}, {"outside", calls.outside}, {"other", calls.other}};
  (*json)["maps"] = {
      {"shared", calls.shared_maps}, {"unsynced", calls.unsynced_maps}, {"synced_ranges", calls.map_syncs}};
  (*json)["calls"]["unsupported"] = calls.unsupported;
  (*json)["calls"]["left_out"] = calls.skipped;
  (*json)["calls"]["conflicts"] = calls.conflicts;
  (*json)["calls"]["conflict_samples"] = calls.samples;
}

void PrintAsJson(const Tool& tool, const replay::RunResult& result, const std::optional<CheckResult>& check) {
  Json json = NewDocument("replay");
  AddOutcome(result, &json);
  json["seconds"] = Seconds(result.elapsed);
  json["late_seconds"] = Seconds(result.report.late);
  json["operations"] = KindsAsJson(result.report);
  json["read_bytes"] = result.report.read.value;
  json["written_bytes"] = result.report.written.value;
  if (result.device.has_value()) json["device"] = DeviceAsJson(*result.device);
  json["differences"] = result.report.differences;
  json["difference_samples"] = result.report.samples;
  if (check.has_value()) {
    json["check"] = {{"objects", check->objects},
                     {"differences", check->comparison.differences},
                     {"explained", check->comparison.explained}};
    if (const auto equal = check->comparison.is_digest_equal) json["check"]["digest_equal"] = *equal;
  }
  PrintJson(tool.io().out, json);
}

}  // namespace

void PrintConversion(const Tool& tool, const replay::TraceOutcome& outcome, const std::string& file, Bytes size) {
  if (tool.json()) {
    Json json = NewDocument("replay-conversion");
    AddOutcome(outcome, &json);
    json["file"] = file;
    json["bytes"] = size.value;
    PrintJson(tool.io().out, json);
    return;
  }
  if (!tool.quiet()) {
    PrintTraceLine(tool.io().out, outcome);
    PrintMaps(tool.io().out, outcome.interpreter);
    tool.io().out << fmt::format("converted    {}, {}\n", file, FormatSize(size));
  }
  PrintRemarks(tool, outcome);
}

void PrintReport(const Tool& tool, const replay::RunResult& result, const std::optional<CheckResult>& check) {
  if (tool.json()) {
    PrintAsJson(tool, result, check);
  } else {
    PrintText(tool, result, check);
  }
}

}  // namespace betr::tools
