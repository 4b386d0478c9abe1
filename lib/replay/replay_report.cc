// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_report.h"

#include <fmt/format.h>

#include "replay/interpret/manifest.h"
#include "replay/trace/symbols.h"

namespace betr::replay {
namespace {

constexpr size_t kMostSamples = 20;

}  // namespace

uint64_t ReplayReport::Operations() const {
  uint64_t sum = 0;
  for (const KindReport& kind : kinds) sum += kind.latency.count();
  return sum;
}

uint64_t ReplayReport::Different() const {
  uint64_t sum = 0;
  for (const KindReport& kind : kinds) sum += kind.different;
  return sum;
}

std::chrono::nanoseconds ReplayReport::Total() const {
  std::chrono::nanoseconds sum{0};
  for (const KindReport& kind : kinds) sum += kind.latency.total();
  return sum;
}

void ReplayReport::Add(const Operation& operation, std::chrono::nanoseconds took) {
  KindReport& kind = kinds.at(static_cast<size_t>(operation.kind));
  kind.latency.Add(took);
  if (operation.expected_error != 0) {
    ++kind.failed;
    return;
  }
  const Bytes bytes{operation.expected_count.value_or(0)};
  if (operation.kind == OperationKind::kRead) read += bytes;
  const bool writes = operation.kind == OperationKind::kWrite || operation.kind == OperationKind::kAppend ||
                      operation.kind == OperationKind::kCopyRange;
  if (writes) written += bytes;
}

std::string ReplayReport::Add(const Operation& operation, const Outcome& outcome, std::chrono::nanoseconds took) {
  Add(operation, took);
  std::string what = DifferenceOf(operation, outcome);
  if (!what.empty()) {
    ++kinds.at(static_cast<size_t>(operation.kind)).different;
    ++differences[what];
  }
  return what;
}

bool ReplayReport::WantsSamples() const { return samples.size() < kMostSamples; }

void ReplayReport::AddSample(uint64_t line, std::string_view what, std::string_view path) {
  if (!WantsSamples()) return;
  samples.push_back(fmt::format("line {}: {}: {}", line, what, path.empty() ? "?" : EscapePath(path)));
}

std::string DifferenceOf(const Operation& operation, const Outcome& outcome) {
  const std::string_view kind = NameOf(operation.kind);
  if (outcome.error != operation.expected_error) {
    return fmt::format("{}: {} instead of {}", kind, ErrnoName(outcome.error), ErrnoName(operation.expected_error));
  }
  if (outcome.error != 0) return "";
  if (operation.expected_count.has_value() && *operation.expected_count != outcome.count) {
    return fmt::format("{}: another count", kind);
  }
  if (!operation.expected_attributes.has_value() || !outcome.attributes.has_value()) return "";
  const FileAttributes& expected = *operation.expected_attributes;
  if (expected.type != outcome.attributes->type) return fmt::format("{}: another type", kind);
  if (expected.permissions != outcome.attributes->permissions) return fmt::format("{}: another mode", kind);
  const bool has_size = expected.type == FileType::kRegular || expected.type == FileType::kSymlink;
  if (has_size && expected.size != outcome.attributes->size) return fmt::format("{}: another size", kind);
  return "";
}

}  // namespace betr::replay
