// SPDX-License-Identifier: Apache-2.0
#include "lasting_options.h"

#include <fmt/format.h>

#include <ranges>
#include <string_view>
#include <vector>

namespace betr::fuse {
namespace {

std::string YesOrNo(bool is_on) { return is_on ? "yes" : "no"; }

std::string TextOf(const Experiments& experiments) {
  std::string text;
  for (const ExperimentName& name : ExperimentNames()) {
    const absl::StatusOr<Experiments> with = ParseExperiments(name.name, experiments);
    if (with.ok() && *with == experiments) text += std::string(text.empty() ? "" : ",") + std::string(name.name);
  }
  // For zones the size counts too.
  if (experiments.zone_size) text += fmt::format(",zones={}", experiments.zone_size->value);
  return text;
}

std::string NameOf(std::string_view option) {
  std::string_view name = option.substr(0, option.find('='));
  if (name == "relatime") return kAtimeOption;
  if (name.starts_with("no")) name.remove_prefix(2);
  return std::string(name);
}

}  // namespace

LastingOptions LastingOptionsOf(const MountPlan& plan) {
  return {
      {"cache", std::to_string(plan.cache_size.value)},
      {"commit", std::to_string(plan.commit_period.count())},
      {"threads", std::to_string(plan.threads)},
      {"look", std::to_string(plan.look.count())},
      {"experiment", TextOf(plan.experiments)},
      {"io_uring", YesOrNo(plan.io_uring)},
      {"writeback", YesOrNo(plan.server.writeback)},
      {"xattr", YesOrNo(plan.server.xattrs)},
      {"acl", YesOrNo(plan.server.acl)},
      {kAtimeOption, YesOrNo(plan.access_times)},
      // The table of mounts shows it for allow_root too.
      {"allow_other", YesOrNo(plan.allow_other || plan.server.mounter_and_root_only)},
      {"allow_root", YesOrNo(plan.server.mounter_and_root_only)},
      {"auto_unmount", YesOrNo(IsPassed(plan, "auto_unmount"))},
      {"dirsync", YesOrNo(IsPassed(plan, "dirsync"))},
      {"syslog", YesOrNo(plan.syslog)},
      {"fsname", plan.name},
      {"subtype", plan.subtype},
  };
}

absl::Status CheckRepeated(const MountCommand& command, const MountPlan& plan, const LastingOptions& mount) {
  const LastingOptions wanted = LastingOptionsOf(plan);
  for (const std::string& list : std::views::reverse(command.option_lists)) {
    const std::vector<std::string> options = SplitOptions(list);
    for (const std::string& option : std::views::reverse(options)) {
      const auto want = wanted.find(NameOf(option));
      if (want == wanted.end()) continue;
      const auto has = mount.find(want->first);
      if (has == mount.end() || has->second == want->second) continue;
      return absl::InvalidArgumentError(fmt::format("-o {}: needs a new mount", option));
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::fuse
