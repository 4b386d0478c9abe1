// SPDX-License-Identifier: Apache-2.0
#include "support/fs/host_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "fs/acl.h"
#include "support/must.h"

namespace betr::test {
namespace {

namespace host = std::filesystem;

bool IsDirectory(const std::string& path) { return host::is_directory(host::symlink_status(path)); }

std::string AnyAcl(Random& random) {
  constexpr uint16_t kUser = 0x02;
  std::vector<fs::AclEntry> entries = fs::Acl::OfMode(0700 + static_cast<uint32_t>(random.Uniform(64))).entries();
  entries.push_back({kUser, static_cast<uint16_t>(random.Uniform(8)), static_cast<uint32_t>(random.Uniform(3))});
  return Must(fs::Acl::Of(std::move(entries))).Encode();
}

// Sometimes a parent of others.
std::string NameIn(const HostTree& tree, Random& random) {
  std::string name(1, static_cast<char>('a' + random.Uniform(4)));
  if (random.OneIn(2) && IsDirectory(tree.Path(name))) {
    name += "/" + std::string(1, static_cast<char>('a' + random.Uniform(4)));
  }
  return name;
}

}  // namespace

std::string Noise(Random& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

fs::CopyOptions Mirror() {
  fs::CopyOptions options;
  options.update = true;
  options.remove_others = true;
  return options;
}

HostTree::HostTree(time_t time) : time_(time) { host::create_directory(Path()); }

void HostTree::Write(const std::string& name, const std::string& content) {
  std::ofstream(Path(name), std::ios::trunc) << content;
  Touch(name);
}

void HostTree::WriteAt(const std::string& name, uint64_t offset, const std::string& content) {
  std::fstream file(Path(name));
  file.seekp(static_cast<std::streamoff>(offset));
  file << content;
  file.close();
  Touch(name);
}

void HostTree::Touch(const std::string& name) {
  const timespec times[2] = {{.tv_sec = ++time_, .tv_nsec = 1}, {.tv_sec = time_, .tv_nsec = 7}};
  REQUIRE(utimensat(AT_FDCWD, Path(name).c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
}

void HostTree::Change(Random& random) {
  const std::string name = NameIn(*this, random);
  const std::string path = Path(name);
  switch (random.Uniform(10)) {
    case 0:
      host::remove_all(path);
      return Write(name, Noise(random, random.Uniform(3000)));
    case 1:
      host::remove_all(path);
      host::create_symlink(NameIn(*this, random), path);
      return Touch(name);
    case 2:
      if (!IsDirectory(path)) host::remove_all(path);
      host::create_directories(path);
      return;
    case 3:
      host::remove_all(path);
      return;
    case 4:
      host::remove_all(path);
      REQUIRE(mknod(path.c_str(), random.OneIn(2) ? S_IFIFO | 0600 : S_IFSOCK | 0600, 0) == 0);
      return Touch(name);
    case 5:
      return ChangeNames(random, name);
    case 6:
    case 7:
      return ChangeAttributes(random, path);
    default:
      return ChangeLarge(random);
  }
}

// Another name for a file, or a copy of it, or another name instead.
void HostTree::ChangeNames(Random& random, const std::string& name) {
  const std::string path = Path(name);
  const std::string other = random.OneIn(2) ? "other" : NameIn(*this, random);
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0 || S_ISDIR(there.st_mode) || name == other) return;
  if (name.starts_with(other + "/")) return;
  host::remove_all(Path(other));
  switch (random.Uniform(3)) {
    case 0:
      return host::rename(path, Path(other));
    case 1: {
      if (!S_ISREG(there.st_mode)) return;
      host::copy_file(path, Path(other));
      const timespec times[2] = {there.st_atim, there.st_mtim};
      REQUIRE(utimensat(AT_FDCWD, Path(other).c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
      return;
    }
    default:
      REQUIRE(link(path.c_str(), Path(other).c_str()) == 0);
  }
}

void HostTree::ChangeAttributes(Random& random, const std::string& path) {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0 || S_ISLNK(there.st_mode)) return;
  const mode_t for_owner = S_ISDIR(there.st_mode) ? 0700 : 0600;
  switch (random.Uniform(5)) {
    case 0:
      REQUIRE(chmod(path.c_str(), for_owner + static_cast<mode_t>(random.Uniform(64))) == 0);
      return;
    case 1:
      REQUIRE(chmod(path.c_str(), for_owner + static_cast<mode_t>(random.Uniform(8) << 9)) == 0);
      return;
    case 2:
      if (geteuid() == 0) REQUIRE(chown(path.c_str(), random.Uniform(3), random.Uniform(3)) == 0);
      return;
    case 3: {
      const char* acl = S_ISDIR(there.st_mode) && random.OneIn(2) ? fs::kDefaultAcl.data() : fs::kAccessAcl.data();
      lremovexattr(path.c_str(), acl);
      if (random.OneIn(3)) return;
      const std::string list = AnyAcl(random);
      lsetxattr(path.c_str(), acl, list.data(), list.size(), 0);  // where there are lists
      return;
    }
    default:
      lremovexattr(path.c_str(), "user.a");
      if (random.OneIn(2)) lsetxattr(path.c_str(), "user.a", path.data(), random.Uniform(path.size()), 0);
  }
}

void HostTree::ChangeLarge(Random& random) {
  const std::string path = Path("large");
  if (random.OneIn(2) || !host::is_regular_file(host::symlink_status(path))) {
    host::remove_all(path);
    Write("large", "");
    host::resize_file(path, kLarge + random.Uniform(10000));
    return Touch("large");
  }
  if (random.OneIn(4)) host::resize_file(path, kLarge - random.Uniform(kLarge / 2));
  WriteAt("large", random.Uniform(kLarge), Noise(random, random.Uniform(9000)));
}

fs::CopyTotals TreeCopies::Import(const HostTree& tree, const std::string& inside, const fs::CopyOptions& options) {
  return Must(ImportTrees(&image.fs(), {fs::CopyPair{tree.Path(), inside}}, options));
}

fs::CopyTotals TreeCopies::Export(const std::string& inside, const HostTree& tree, const fs::CopyOptions& options) {
  return Must(ExportTrees(&image.fs(), {fs::CopyPair{inside, tree.Path()}}, options));
}

std::vector<std::string> TreeCopies::Differences(const std::string& before, const std::string& after) {
  std::vector<std::string> found;
  Must(image.paths().FindDifferences(before, after, [&](const EntryDifference& difference) {
    found.push_back(difference.path);
    return absl::OkStatus();
  }));
  return found;
}

std::map<std::string, std::string> TreeCopies::Links(const std::string& inside) {
  std::map<uint64_t, std::string> first;
  std::map<std::string, std::string> links;
  Must(image.paths().Walk(inside, [&](const std::string& path, const FileAttributes& attributes) {
    links[path] = first.try_emplace(attributes.inode_number, path).first->second;
    return absl::OkStatus();
  }));
  return links;
}

std::map<std::string, FileTime> TreeCopies::Times(const std::string& inside) {
  std::map<std::string, FileTime> times;
  Must(image.paths().Walk(inside, [&](const std::string& path, const FileAttributes& attributes) {
    times[path] = attributes.modified;
    return absl::OkStatus();
  }));
  return times;
}

FileAttributes TreeCopies::Stat(const std::string& path) { return Must(image.paths().Stat(path)); }

std::string TreeCopies::Read(const std::string& path) { return Must(image.paths().ReadFile(path)); }

}  // namespace betr::test
