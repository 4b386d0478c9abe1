// SPDX-License-Identifier: Apache-2.0
#include "replay/host_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/scoped_fd.h"
#include "fs/transfer/host_file.h"
#include "replay/trace/argument.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

using Disks = std::vector<std::string>;

// An image on an image on an image: no more of that.
constexpr int kDeepest = 4;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Disks DiskOf(dev_t device) {
  std::string folder = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  std::error_code error;
  return std::filesystem::exists(folder, error) ? Disks{std::move(folder)} : Disks{};
}

// The number of the mount through which a file was opened.
std::optional<uint64_t> MountOf(int descriptor) {
  const std::string text = ReadText(fmt::format("/proc/self/fdinfo/{}", descriptor));
  constexpr std::string_view kName = "mnt_id:";
  for (const std::string_view line : SplitNonEmpty(text, '\n')) {
    uint64_t number = 0;
    if (line.starts_with(kName) && ParseDecimal(Strip(line.substr(kName.size())), &number)) return number;
  }
  return std::nullopt;
}

// The paths of what is in a folder.
std::vector<std::string> EntriesOf(const std::string& folder) {
  const ScopedFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return {};
  absl::StatusOr<std::vector<std::string>> names = fs::ListHostDirectory(opened.get(), folder);
  if (!names.ok()) return {};
  for (std::string& name : *names) name.insert(0, folder + "/");
  return *std::move(names);
}

// All devices of the Btrfs that this one is a device of.
Disks DisksOfBtrfs(dev_t device) {
  for (const std::string& file_system : EntriesOf("/sys/fs/btrfs")) {
    const Disks disks = EntriesOf(file_system + "/devices");
    const auto is_meant = [device](const std::string& disk) {
      return ReadText(disk + "/dev") == fmt::format("{}:{}\n", major(device), minor(device));
    };
    if (std::any_of(disks.begin(), disks.end(), is_meant)) return disks;
  }
  return {};
}

Disks FindDisks(int descriptor, int depth);

Disks DisksOfSource(const HostMount& mount, int depth) {
  struct stat status {};
  if (!mount.source.starts_with('/')) return {};
  const ScopedFd source(open(mount.source.c_str(), O_PATH | O_CLOEXEC));
  if (source.get() < 0 || fstat(source.get(), &status) != 0) return {};
  const bool is_device = S_ISBLK(status.st_mode);
  if (mount.type == "btrfs") return is_device ? DisksOfBtrfs(status.st_rdev) : Disks{};
  if (mount.type == "fuseblk") return is_device ? DiskOf(status.st_rdev) : Disks{};
  if (mount.type != "fuse.betr") return {};
  if (is_device) return DiskOf(status.st_rdev);
  return S_ISREG(status.st_mode) ? FindDisks(source.get(), depth + 1) : Disks{};
}

Disks FindDisks(int descriptor, int depth) {
  struct stat status {};
  if (depth > kDeepest || fstat(descriptor, &status) != 0) return {};
  if (major(status.st_dev) != 0) return DiskOf(status.st_dev);
  const std::optional<uint64_t> number = MountOf(descriptor);
  if (!number.has_value()) return {};
  const std::optional<HostMount> mount = FindMount(ReadText("/proc/self/mountinfo"), *number);
  return mount.has_value() ? DisksOfSource(*mount, depth) : Disks{};
}

std::optional<DeviceCounts> CountsOfDisk(const std::string& disk) {
  std::ifstream file(disk + "/stat");
  std::array<uint64_t, 16> fields{};
  size_t known = 0;
  while (known < fields.size() && file >> fields.at(known)) ++known;
  constexpr size_t kFlushes = 15;
  if (known <= 6) return std::nullopt;
  return DeviceCounts{.reads = fields[0],
                      .writes = fields[4],
                      .flushes = known > kFlushes ? fields[kFlushes] : 0,
                      .read_bytes = Bytes{fields[2] * 512},
                      .written_bytes = Bytes{fields[6] * 512}};
}

}  // namespace

// `36 35 0:40 / /mnt rw,noatime shared:1 - btrfs /dev/sdb rw`: before the dash there may be several fields or none.
std::optional<HostMount> FindMount(std::string_view mountinfo, uint64_t number) {
  constexpr size_t kFirstOptional = 6;
  for (const std::string_view line : SplitNonEmpty(mountinfo, '\n')) {
    const std::vector<std::string_view> fields = SplitNonEmpty(line, ' ');
    uint64_t found = 0;
    if (fields.size() <= kFirstOptional || !ParseDecimal(fields.front(), &found) || found != number) continue;
    const auto dash = std::find(fields.begin() + kFirstOptional, fields.end(), "-");
    if (fields.end() - dash < 3) return std::nullopt;
    return HostMount{DecodeEscapes(dash[1]), DecodeEscapes(dash[2])};
  }
  return std::nullopt;
}

std::vector<std::string> FindHostDisks(int descriptor) { return FindDisks(descriptor, 1); }

std::optional<DeviceCounts> CountsOfDisks(const std::vector<std::string>& disks) {
  std::optional<DeviceCounts> sum;
  for (const std::string& disk : disks) {
    const std::optional<DeviceCounts> counts = CountsOfDisk(disk);
    if (!counts.has_value()) return std::nullopt;
    if (!sum.has_value()) sum.emplace();
    sum->reads += counts->reads;
    sum->writes += counts->writes;
    sum->flushes += counts->flushes;
    sum->read_bytes += counts->read_bytes;
    sum->written_bytes += counts->written_bytes;
  }
  return sum;
}

}  // namespace betr::replay
