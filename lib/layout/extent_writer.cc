// SPDX-License-Identifier: Apache-2.0
#include "layout/extent_writer.h"

#include "base/check.h"
#include "base/status.h"

namespace betr::layout {
namespace {

// Adjacent structures that are larger together are written in several pieces.
constexpr Bytes kMaxWrite = MiB(1);

}  // namespace

absl::Status ExtentWriter::Add(const ExtentAddress& extent, std::string_view bytes) {
  Check(bytes.size() == extent.Size().value, "what is written to an extent fills it");
  const bool is_adjacent = start_ + UnitsFor({waiting_.size()}) == extent.start;
  if (!is_adjacent || waiting_.size() + bytes.size() > kMaxWrite.value) BETR_RETURN_IF_ERROR(Finish());
  if (waiting_.empty()) start_ = extent.start;
  waiting_ += bytes;
  return absl::OkStatus();
}

absl::Status ExtentWriter::Finish() {
  if (waiting_.empty()) return absl::OkStatus();
  absl::Status status = device_.Write(UnitBytes(start_), waiting_);
  waiting_.clear();
  return status;
}

}  // namespace betr::layout
