// SPDX-License-Identifier: Apache-2.0
#include "mount_options.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>

#include "base/size_text.h"
#include "base/status.h"

namespace betr::fuse {
namespace {

constexpr int kUsageExit = 1;  // mount(8)
constexpr unsigned kThreadsMax = 64;
constexpr unsigned kSecondsMax = 3600;
constexpr unsigned kLookMax = 1000;
constexpr Bytes kCacheMax = GiB(64 << 10);

// Accepted and ignored: options for mount(8) and other readers of /etc/fstab, and defaults here.
constexpr std::array kIgnored = std::to_array<std::string_view>(
    {"defaults",   "auto",     "noauto",     "nofail",        "_netdev",    "user",       "nouser",   "users",
     "owner",      "group",    "loop",       "strictatime",   "nodiratime", "diratime",   "lazytime", "nolazytime",
     "silent",     "loud",     "mand",       "nomand",        "iversion",   "noiversion", "discard",  "nodiscard",
     "user_xattr", "nonempty", "norelatime", "nostrictatime", "symfollow",  "nogroup",    "noowner"});
// The same for options with a value, and for what a remount repeats from /proc/mounts.
constexpr std::array<std::string_view, 8> kIgnoredKeys = {"comment",  "uhelper",  "user",     "user_id",
                                                          "group_id", "rootmode", "max_read", "fd"};
// Passed to the kernel through libfuse.
constexpr std::array kPassed = std::to_array<std::string_view>(
    {"suid", "nosuid", "dev", "nodev", "exec", "noexec", "sync", "dirsync", "async", "auto_unmount", "allow_root"});

template <size_t kCount>
bool IsIn(const std::array<std::string_view, kCount>& options, std::string_view option) {
  return std::find(options.begin(), options.end(), option) != options.end();
}

absl::Status Invalid(std::string_view option, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("-o {}: {}", option, why));
}

struct Flag {
  std::string_view name;
  std::function<void(MountPlan*)> set;
};

const std::vector<Flag>& Flags() {
  static const std::vector<Flag> flags = {
      {"ro", [](MountPlan* plan) { plan->server.read_only = true; }},
      {"rw", [](MountPlan* plan) { plan->server.read_only = false; }},
      {"remount", [](MountPlan* plan) { plan->remount = true; }},
      {"allow_other", [](MountPlan* plan) { plan->allow_other = true; }},
      {"noallow_other", [](MountPlan* plan) { plan->allow_other = false; }},
      {"default_permissions", [](MountPlan*) {}},
      {"writeback", [](MountPlan* plan) { plan->server.writeback = true; }},
      {"nowriteback", [](MountPlan* plan) { plan->server.writeback = false; }},
      {"xattr", [](MountPlan* plan) { plan->server.xattrs = true; }},
      {"noxattr", [](MountPlan* plan) { plan->server.xattrs = plan->server.acl = false; }},
      {"acl", [](MountPlan* plan) { plan->server.acl = true; }},
      {"noacl", [](MountPlan* plan) { plan->server.acl = false; }},
      {"relatime", [](MountPlan* plan) { plan->access_times = true; }},
      {"atime", [](MountPlan* plan) { plan->access_times = true; }},
      {"noatime", [](MountPlan* plan) { plan->access_times = false; }},
      {"io_uring", [](MountPlan* plan) { plan->io_uring = true; }},
      {"noio_uring", [](MountPlan* plan) { plan->io_uring = false; }},
      {"syslog", [](MountPlan* plan) { plan->syslog = true; }},
  };
  return flags;
}

absl::Status SetNumber(std::string_view option, std::string_view value, unsigned max, unsigned* number) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *number);
  if (error != std::errc() || end != value.data() + value.size() || *number > max) {
    return Invalid(option, fmt::format("wants 0 to {}", max));
  }
  return absl::OkStatus();
}

// An option with a value.
absl::Status SetValue(MountPlan* plan, std::string_view option, std::string_view key, std::string_view value,
                      bool* known) {
  *known = true;
  if (key == "cache") {
    const absl::StatusOr<Bytes> size = ParseSize(value);
    if (!size.ok()) return Invalid(option, std::string(size.status().message()));
    plan->cache_size = *size;
    if (plan->cache_size.value == 0) return Invalid(option, "is nothing");
    if (plan->cache_size > kCacheMax) return Invalid(option, "more than any machine has");
  } else if (key == "experiment") {
    BETR_ASSIGN_OR_RETURN(plan->experiments, ParseExperiments(value, plan->experiments));
  } else if (key == "commit") {
    unsigned seconds = 0;
    BETR_RETURN_IF_ERROR(SetNumber(option, value, kSecondsMax, &seconds));
    plan->commit_period = std::chrono::seconds(seconds);
  } else if (key == "threads") {
    BETR_RETURN_IF_ERROR(SetNumber(option, value, kThreadsMax, &plan->threads));
  } else if (key == "look") {
    unsigned microseconds = 0;
    BETR_RETURN_IF_ERROR(SetNumber(option, value, kLookMax, &microseconds));
    plan->look = std::chrono::microseconds(microseconds);
  } else if (key == "fsname") {
    plan->name = value;
  } else if (key == "subtype") {
    plan->subtype = value;
  } else {
    *known = false;
  }
  return absl::OkStatus();
}

// Escapes what libfuse would take for its own syntax.
std::string EscapeOption(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == ',' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

absl::Status SetOption(MountPlan* plan, std::string_view option, bool sloppy) {
  const auto flag = std::find_if(Flags().begin(), Flags().end(), [&](const Flag& one) { return one.name == option; });
  if (flag != Flags().end()) {
    flag->set(plan);
    return absl::OkStatus();
  }
  if (IsIn(kPassed, option)) {
    if (option == "allow_root") plan->server.mounter_and_root_only = true;
    plan->kernel.emplace_back(option);
    return absl::OkStatus();
  }
  const size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  bool known = false;
  if (equals != std::string_view::npos) {
    const std::string_view value = option.substr(equals + 1);
    BETR_RETURN_IF_ERROR(SetValue(plan, option, key, value, &known));
    // Having no subtype, or no experiments, may be what is wanted.
    const bool may_be_empty = key == "subtype" || key == "experiment";
    if (known && value.empty() && !may_be_empty) return Invalid(option, "the value is empty");
  }
  const bool ignored = option.empty() || IsIn(kIgnored, option) || IsIn(kIgnoredKeys, key) || option.starts_with("x-");
  return known || ignored || sloppy ? absl::OkStatus() : Invalid(option, "unknown option");
}

}  // namespace

std::vector<std::string> SplitOptions(std::string_view list) {
  std::vector<std::string> options(1);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',') {
      options.emplace_back();
      continue;
    }
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    options.back() += list[i];
  }
  return options;
}

tools::ToolDescription MountDescription() {
  return {.name = "mount.betr",
          .summary = "Mount a betr image.",
          .examples =
              "  mount.betr disk.img /mnt\n"
              "  mount.betr -f -v disk.img ~/mnt -o ro\n"
              "  mount -t betr /dev/sdb1 /mnt -o cache=1G,noexec\n"
              "  fusermount3 -u /mnt\n",
          .usage_exit = kUsageExit};
}

void AddMountOptions(tools::Tool* tool, MountCommand* command) {
  CLI::App& app = tool->app();
  app.add_option("image", command->image, "The image file or block device")->type_name("IMAGE")->required();
  app.add_option("directory", command->directory, "Where to mount it")->type_name("DIR")->required();
  app.add_option("-o", command->option_lists, "Options, separated by commas: see mount.betr(8)")->type_name("LIST");
  app.get_option("--verbose")->description("Also log what happens; twice: even more");
  app.add_flag("-f,--foreground", command->foreground, "Stay in the foreground");
  app.add_flag("-d,--debug", command->debug, "Print every request; implies -f");
  app.add_flag("-s,--sloppy", command->sloppy, "Ignore options that are unknown");
  app.add_flag("-n,--no-mtab", command->no_mtab, "Accepted for mount(8)");
  app.add_option("-t", command->type, "Accepted for mount(8)")->type_name("TYPE");
}

absl::StatusOr<MountPlan> PlanOf(const MountCommand& command, bool is_root) {
  MountPlan plan;
  plan.allow_other = is_root;
  if (is_root) plan.kernel = {"suid", "dev"};
  for (const std::string& list : command.option_lists) {
    for (const std::string& option : SplitOptions(list)) BETR_RETURN_IF_ERROR(SetOption(&plan, option, command.sloppy));
  }
  if (plan.name.empty()) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(command.image, error);
    plan.name = error ? command.image : absolute.string();
  }
  return plan;
}

unsigned long MountFlags(const MountPlan& plan) {
  struct Pair {
    std::string_view allows;
    std::string_view forbids;
    unsigned long flag;
  };
  static constexpr std::array<Pair, 4> kPairs = {{{"suid", "nosuid", MS_NOSUID},
                                                  {"dev", "nodev", MS_NODEV},
                                                  {"exec", "noexec", MS_NOEXEC},
                                                  {"async", "sync", MS_SYNCHRONOUS}}};
  unsigned long flags = plan.server.read_only ? MS_RDONLY : 0;
  if (!plan.access_times) flags |= MS_NOATIME;
  for (const std::string& option : plan.kernel) {
    for (const Pair& pair : kPairs) {
      if (option == pair.forbids) flags |= pair.flag;
      if (option == pair.allows) flags &= ~pair.flag;
    }
  }
  return flags;
}

bool IsPassed(const MountPlan& plan, std::string_view option) {
  return std::find(plan.kernel.begin(), plan.kernel.end(), option) != plan.kernel.end();
}

std::string FuseOptions(const MountPlan& plan) {
  std::string options = "default_permissions,fsname=" + EscapeOption(plan.name);
  if (!plan.subtype.empty()) options += ",subtype=" + EscapeOption(plan.subtype);
  if (plan.server.read_only) options += ",ro";
  if (!plan.access_times) options += ",noatime";
  if (plan.io_uring) options += ",io_uring";
  if (plan.allow_other) options += ",allow_other";
  for (const std::string& option : plan.kernel) options += "," + option;
  return options;
}

}  // namespace betr::fuse
