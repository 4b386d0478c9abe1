// SPDX-License-Identifier: Apache-2.0
#include "killed_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "device/owner_record.h"
#include "layout/superblock.h"
#include "mount_table.h"
#include "served_image.h"
#include "unmount.h"

namespace betr::fuse {
namespace {

constexpr std::chrono::seconds kLongestAnswer{5};  // of a server that is busy

std::optional<OwnerRecord> OwnerOf(const std::string& image) {
  const int file = open(image.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::array<char, OwnerRecord::kSize> bytes{};
  const ssize_t size = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(layout::kOwnerOffset.value));
  close(file);
  if (size != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  absl::StatusOr<OwnerRecord> owner = DecodeOwner({bytes.data(), bytes.size()});
  if (!owner.ok()) return std::nullopt;
  return *std::move(owner);
}

// Whether a process of this machine was killed and has not gone yet.
bool IsEnding(const OwnerRecord& owner) {
  if (owner.host != ThisProcess("", SystemClock()).host) return false;
  std::ifstream file(fmt::format("/proc/{}/stat", owner.pid));
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');  // the name before may hold anything
  return name_end != std::string::npos && line.substr(name_end + 1).starts_with(" Z");
}

}  // namespace

void EndKilledServer(const std::string& image, const std::string& source) {
  const std::optional<OwnerRecord> owner = OwnerOf(image);
  if (!owner || !IsEnding(*owner)) return;
  for (const MountInfo& entry : MountInfos()) {
    // Others may have been given the same name.
    if (entry.source != source || !entry.type.starts_with("fuse")) continue;
    const int error = AskServer(entry.directory, kLongestAnswer).error;
    if (error == ENOTCONN || error == ETIMEDOUT) UnmountDirectory(entry.directory, {.lazily = true, .force = true});
  }
}

void ClearDeadMount(const std::string& directory) {
  std::string absolute = std::filesystem::absolute(directory).lexically_normal().string();
  if (absolute.ends_with('/')) absolute.pop_back();
  const std::vector<MountInfo> table = MountInfos();
  for (auto entry = table.rbegin(); entry != table.rend(); ++entry) {
    if (entry->directory != absolute) continue;
    // Attributes of its root may be in the kernel's cache for ever: stat would not tell.
    if (entry->type != "fuse.betr" || AskServer(absolute, kLongestAnswer).error != ENOTCONN) return;
    if (!UnmountDirectory(absolute, {.lazily = true})) return;
  }
}

}  // namespace betr::fuse
