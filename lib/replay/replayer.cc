// SPDX-License-Identifier: Apache-2.0
#include "replay/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "replay/symbols.h"

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

void Replayer::Note(const Operation& operation, const std::string& what) {
  ++report_.differences[what];
  if (report_.samples.size() >= kMostSamples) return;
  std::string path = "?";
  const Place& place = operation.place;
  if (place.parent != NodeNumber{} && space_.Has(place.parent)) {
    path = space_.PathOf(place);
  } else if (space_.Has(place.node) && space_.Get(place.node).type == FileType::kDirectory) {
    path = space_.PathOf(place.node);
  }
  report_.samples.push_back(fmt::format("line {}: {}: {}", operation.line, what, EscapePath(path)));
}

void Replayer::WaitForTurn(std::chrono::nanoseconds traced) {
  if (!first_traced_.has_value()) {
    first_traced_ = traced;
    first_here_ = clock_.Monotonic();
  }
  const auto since = static_cast<double>((traced - *first_traced_).count()) / speed_;
  const std::chrono::nanoseconds due = first_here_ + std::chrono::nanoseconds(static_cast<int64_t>(since));
  const std::chrono::nanoseconds rest = due - clock_.Monotonic();
  if (rest > std::chrono::nanoseconds{0}) std::this_thread::sleep_for(rest);
  report_.late = std::max(clock_.Monotonic() - due, std::chrono::nanoseconds{0});
}

void Replayer::Perform(const Operation& operation) {
  if (speed_ > 0 && operation.time > std::chrono::nanoseconds{0}) WaitForTurn(operation.time);
  KindReport& kind = report_.kinds.at(static_cast<size_t>(operation.kind));
  if (target_ == nullptr) {
    if (operation.kind == OperationKind::kForget) return;
    kind.latency.Add(std::chrono::nanoseconds{0});
  } else {
    const std::chrono::nanoseconds begun = clock_.Monotonic();
    const Outcome outcome = target_->Perform(operation);
    const std::chrono::nanoseconds took = clock_.Monotonic() - begun;
    if (!outcome.is_performed) return;
    kind.latency.Add(took);
    if (const std::string what = DifferenceOf(operation, outcome); !what.empty()) {
      ++kind.different;
      Note(operation, what);
    }
  }
  if (operation.expected_error != 0) {
    ++kind.failed;
    return;
  }
  const Bytes bytes{operation.expected_count.value_or(0)};
  if (operation.kind == OperationKind::kRead) report_.read += bytes;
  const bool writes = operation.kind == OperationKind::kWrite || operation.kind == OperationKind::kAppend ||
                      operation.kind == OperationKind::kCopyRange;
  if (writes) report_.written += bytes;
}

}  // namespace betr::replay
