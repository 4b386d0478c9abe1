// SPDX-License-Identifier: Apache-2.0
#include "store/failed_record.h"

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>
#include <absl/strings/string_view.h>

#include <string>

namespace betr::store {
namespace {

constexpr absl::string_view kPayload = "betr.log_record";

}  // namespace

std::optional<Lsn> FailedLogRecord(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  const bool is_of_record = absl::IsDataLoss(status) || absl::IsNotFound(status) || absl::IsAlreadyExists(status) ||
                            absl::IsInvalidArgument(status);
  Lsn lsn;
  return payload && is_of_record && absl::SimpleAtoi(std::string(*payload), &lsn.value) ? std::optional(lsn)
                                                                                        : std::nullopt;
}

absl::Status WithLogRecord(absl::Status status, Lsn lsn) {
  status.SetPayload(kPayload, absl::Cord(std::to_string(lsn.value)));
  return status;
}

}  // namespace betr::store
