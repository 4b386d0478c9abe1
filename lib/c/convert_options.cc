// SPDX-License-Identifier: Apache-2.0
#include "c/convert_options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "base/status.h"
#include "c/answer.h"
#include "c/given.h"
#include "c/sized.h"
#include "c/upsert_adapter.h"

namespace betr::c {
namespace {

// Clamps a number that does not fit into an option. It is refused as too large then.
uint32_t Narrow(uint64_t number) { return std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()); }

constexpr uint64_t kFlags = BETR_READ_ONLY | BETR_STALE | BETR_BULK | BETR_NO_THREADS;

// 0 leaves the default.
template <class Given, class Option>
void Set(Given given, Option& option) {
  if (given != 0) option = Option(given);
}

absl::Status CheckFlags(uint64_t flags) {
  const uint64_t unknown = flags & ~kFlags;
  return unknown == 0 ? absl::OkStatus()
                      : absl::InvalidArgumentError(absl::StrCat("options.flags: 0x", absl::Hex(unknown), ": unknown"));
}

std::function<void(const absl::Status&)> ListenerOf(const betr_open_options& given) {
  if (given.on_unreadable == nullptr) return nullptr;
  return [tell = given.on_unreadable, user = given.on_unreadable_user](const absl::Status& status) {
    tell(user, CodeOf(status), std::string(status.message()).c_str());
  };
}

}  // namespace

absl::StatusOr<FormatOptions> FormatOptionsOf(const betr_format_options* given) {
  BETR_ASSIGN_OR_RETURN(const betr_format_options fields, ReadSized(given, "options"));
  FormatOptions options;
  Set(fields.node_size, options.node_size);
  Set(fields.basement_size, options.basement_size);
  Set(fields.log_size, options.log_size);
  Set(Narrow(fields.fanout), options.fanout);
  if (fields.compression != nullptr) options.compression = fields.compression;
  options.label = StringOf(fields.label);
  options.uuid = StringOf(fields.uuid);
  options.reserve.value = Narrow(fields.reserve);
  return options;
}

absl::StatusOr<Store::Existing> ExistingOf(int existing) {
  if (existing == BETR_KEEP) return Store::Existing::kKeep;
  if (existing == BETR_OVERWRITE) return Store::Existing::kOverwrite;
  return absl::InvalidArgumentError("existing: is neither BETR_KEEP nor BETR_OVERWRITE");
}

betr_format_options DescribeFormat(const FormatOptions& options) {
  betr_format_options fields = {};
  fields.node_size = options.node_size.value;
  fields.basement_size = options.basement_size.value;
  fields.log_size = options.log_size.value;
  fields.fanout = options.fanout;
  fields.compression = options.compression.c_str();
  fields.label = options.label.c_str();
  fields.uuid = options.uuid.c_str();
  fields.reserve = options.reserve.value;
  return fields;
}

absl::StatusOr<TrimOptions> TrimOptionsOf(const betr_trim_options* given) {
  BETR_ASSIGN_OR_RETURN(const betr_trim_options fields, ReadSized(given, "options"));
  TrimOptions options;
  options.begin = Bytes{fields.begin};
  Set(fields.end, options.end);
  options.least = Bytes{fields.least};
  return options;
}

absl::StatusOr<TuneOptions> TuneOptionsOf(const betr_tune_options* given) {
  BETR_ASSIGN_OR_RETURN(const betr_tune_options fields, ReadSized(given, "options"));
  TuneOptions options;
  if (fields.label != nullptr) options.label = fields.label;
  if (fields.uuid != nullptr) options.uuid = fields.uuid;
  if (fields.reserve != nullptr) options.reserve = BasisPoints{Narrow(*fields.reserve)};
  return options;
}

absl::StatusOr<StoreOptions> StoreOptionsOf(const betr_open_options* given) {
  BETR_ASSIGN_OR_RETURN(const betr_open_options fields, ReadKnown(given, "options"));
  BETR_RETURN_IF_ERROR(Check({FaultOf(fields.functions, fields.function_count, "options.functions")}));
  StoreOptions options;
  BETR_RETURN_IF_ERROR(AddFunctions({fields.functions, fields.function_count}, options.functions));
  // Only now, since from here on somebody releases the functions.
  BETR_RETURN_IF_ERROR(CheckUnknown(given, "options"));
  BETR_RETURN_IF_ERROR(CheckFlags(fields.flags));
  options.read_only = (fields.flags & BETR_READ_ONLY) != 0;
  options.stale = (fields.flags & BETR_STALE) != 0;
  options.logging = (fields.flags & BETR_BULK) != 0 ? Logging::kBulk : Logging::kFull;
  options.background = (fields.flags & BETR_NO_THREADS) == 0;
  options.cache_size = Bytes{fields.cache_size};
  options.log_memory = Bytes{fields.log_memory};
  Set(fields.checkpoint_period_s, options.checkpoint_period);
  Set(fields.settle_time_ms, options.settle_time);
  Set(fields.read_patience_ms, options.read_patience);
  options.program = StringOf(fields.program);
  options.on_unreadable = ListenerOf(fields);
  return options;
}

}  // namespace betr::c
