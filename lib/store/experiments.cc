// SPDX-License-Identifier: Apache-2.0
#include "store/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/size_text.h"
#include "base/status.h"
#include "dag/change/copy_at_once.h"
#include "dag/change/eager_goto.h"
#include "dag/change/split_by_size.h"

namespace betr {
namespace {

constexpr std::array<ExperimentName, 7> kNames{{
    {"rename-by-copy", "renames copy everything and erase the old keys one by one (0.1)"},
    {"delete-by-key", "removals and truncations erase key by key (0.1)"},
    {"eager-gotos", "clones and renames are driven down the tree before they return (0.4)"},
    {"split-by-size", "nodes are split in their middle, wherever that is (before 0.5)"},
    {"copy-at-once", "shared nodes are copied at the first message, with the whole path"},
    {"early-binding", "every value goes through the log (0.1)"},
    {"zones", "subtrees of about =SIZE, default 512K, have short keys; renames copy what is smaller (0.2, 0.3)"},
}};
// The last experiment has a size instead of a flag.
constexpr std::array<bool Experiments::*, kNames.size() - 1> kFlags{
    &Experiments::rename_by_copy, &Experiments::delete_by_key, &Experiments::eager_gotos,
    &Experiments::split_by_size,  &Experiments::copy_at_once,  &Experiments::early_binding,
};

constexpr Bytes kUsualZone = KiB(512);  // our choice; the papers' value was not at hand

absl::Status UnknownExperiment(std::string_view name) {
  std::string names;
  for (const ExperimentName& one : kNames) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return absl::InvalidArgumentError(fmt::format("experiment \"{}\": there is none; known are {}", name, names));
}

absl::StatusOr<Bytes> ZoneSize(std::string_view assignment) {
  absl::StatusOr<Bytes> size = ParseSize(assignment.substr(kNames.back().name.size() + 1));
  if (!size.ok()) {
    const std::string why(size.status().message());
    return absl::InvalidArgumentError(fmt::format("experiment \"{}\": {}", assignment, why));
  }
  return size;
}

absl::Status SwitchOn(std::string_view item, Experiments* experiments) {
  const std::string_view name = item.substr(0, item.find('='));
  const auto known =
      std::find_if(kNames.begin(), kNames.end(), [&](const ExperimentName& one) { return one.name == name; });
  if (known == kNames.end() || (item != name && known != &kNames.back())) return UnknownExperiment(item);
  if (known != &kNames.back()) {
    experiments->*kFlags.at(static_cast<size_t>(known - kNames.begin())) = true;
    return absl::OkStatus();
  }
  BETR_ASSIGN_OR_RETURN(experiments->zone_size, item == name ? absl::StatusOr<Bytes>(kUsualZone) : ZoneSize(item));
  return absl::OkStatus();
}

}  // namespace

std::span<const ExperimentName> ExperimentNames() { return kNames; }

absl::StatusOr<Experiments> ParseExperiments(std::string_view list, Experiments others) {
  Experiments experiments = others;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    BETR_RETURN_IF_ERROR(SwitchOn(item, &experiments));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
  }
  return experiments;
}

namespace store {

dag::Policy PolicyOf(const Experiments& experiments) {
  dag::Policy policy;
  if (experiments.split_by_size) policy.split = dag::NearestCentre;
  if (experiments.copy_at_once) policy.flush_at_once = dag::HeaviestOverShared;
  if (experiments.eager_gotos) policy.after_goto = dag::DriveDown;
  return policy;
}

StoreOptions WithExperiments(StoreOptions options) {
  if (options.experiments.early_binding) {
    options.log_memory = Bytes{1};  // no record is held back until a checkpoint could make it superfluous
  }
  return options;
}

}  // namespace store
}  // namespace betr
