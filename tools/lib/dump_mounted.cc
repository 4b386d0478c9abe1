// SPDX-License-Identifier: Apache-2.0
#include "dump_mounted.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "ask_mount.h"
#include "base/scoped_fd.h"
#include "base/size_text.h"
#include "betr/fs_error.h"
#include "json_output.h"

namespace betr::tools {
namespace {

absl::StatusOr<Json> AskDirectory(const std::string& directory) {
  const ScopedFd descriptor(OpenRetrying(directory, O_RDONLY | O_DIRECTORY));
  if (descriptor.get() < 0) return ErrnoError(errno, directory);
  return AskMount(descriptor.get(), directory);
}

// Sizes are written as sizes, and times as times. Everything else is a count.
std::string Text(std::string_view name, uint64_t value) {
  const bool is_size = name.starts_with("bytes_") || name.starts_with("cache_") || name == "buffers" ||
                       name == "total" || name == "free" || name == "available";
  if (name.ends_with("_ns")) return fmt::format("{:.3f} s", static_cast<double>(value) / 1e9);
  return is_size ? FormatSize(Bytes{value}) : std::to_string(value);
}

void PrintGroup(std::ostream& out, const Json& group) {
  for (const auto& [name, value] : group.items()) {
    const bool is_quiet = value.is_number() && value == 0 && name.find('.') != std::string::npos;
    if (value.is_number_unsigned() && !is_quiet) {
      out << fmt::format("{:<22} {:>14}\n", name, Text(name, value.get<uint64_t>()));
    }
  }
}

}  // namespace

int DumpMounted(Tool& tool, const std::string& directory) {
  const absl::StatusOr<Json> json = AskDirectory(directory);
  if (!json.ok()) return tool.Fail("stat", json.status());
  std::ostream& out = tool.io().out;
  if (tool.json()) {
    PrintJson(out, *json);
    return tool.Finish(kExitOk);
  }
  for (const auto& [name, group] : json->items()) {
    if (group.is_object()) PrintGroup(out, group);
  }
  return tool.Finish(kExitOk);
}

}  // namespace betr::tools
