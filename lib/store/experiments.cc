// SPDX-License-Identifier: Apache-2.0
#include "store/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dag/copy_at_once.h"
#include "dag/eager_goto.h"
#include "dag/split_by_size.h"

namespace betr {
namespace {

constexpr std::array<ExperimentName, 6> kNames{{
    {"rename-by-copy", "renames copy everything and erase the old keys one by one (0.1)"},
    {"delete-by-key", "removals and truncations erase key by key (0.1)"},
    {"eager-gotos", "clones and renames are driven down the tree before they return (0.4)"},
    {"split-by-size", "nodes are split in their middle, wherever that is (before 0.5)"},
    {"copy-at-once", "shared nodes are copied at the first message, with the whole path"},
    {"early-binding", "every value goes through the log (0.1)"},
}};
constexpr std::array<bool Experiments::*, kNames.size()> kFlags{
    &Experiments::rename_by_copy, &Experiments::delete_by_key, &Experiments::eager_gotos,
    &Experiments::split_by_size,  &Experiments::copy_at_once,  &Experiments::early_binding,
};

}  // namespace

std::span<const ExperimentName> ExperimentNames() { return kNames; }

absl::StatusOr<Experiments> ParseExperiments(std::string_view list, Experiments others) {
  Experiments experiments = others;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    const auto known =
        std::find_if(kNames.begin(), kNames.end(), [&](const ExperimentName& one) { return one.name == name; });
    if (known == kNames.end()) {
      std::string names;
      for (const ExperimentName& one : kNames) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
      }
      return absl::InvalidArgumentError(fmt::format("experiment \"{}\": there is none; known are {}", name, names));
    }
    experiments.*kFlags.at(static_cast<size_t>(known - kNames.begin())) = true;
    list.remove_prefix(std::min(name.size() + 1, list.size()));
  }
  return experiments;
}

namespace store {

dag::Policy PolicyOf(const Experiments& experiments) {
  dag::Policy policy;
  if (experiments.split_by_size) {
    policy.split = dag::NearestCentre;
  }
  if (experiments.copy_at_once) {
    policy.flush_at_once = dag::HeaviestOverShared;
  }
  if (experiments.eager_gotos) {
    policy.after_goto = dag::DriveDown;
  }
  return policy;
}

StoreOptions WithExperiments(StoreOptions options) {
  if (options.experiments.early_binding) {
    options.log_memory = Bytes{1};  // nothing is held back that a checkpoint could make superfluous
  }
  return options;
}

}  // namespace store
}  // namespace betr
