// SPDX-License-Identifier: Apache-2.0
#include "support/fs/host_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/must.h"

namespace betr::test {
namespace {

namespace host = std::filesystem;

// Sometimes a parent of others.
std::string NameIn(const HostTree& tree, Random& random) {
  std::string name(1, static_cast<char>('a' + random.Uniform(4)));
  if (random.OneIn(2) && host::is_directory(host::symlink_status(tree.Path(name)))) {
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

HostTree::HostTree() { host::create_directory(Path()); }

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
  const host::file_status status = host::symlink_status(path);
  switch (random.Uniform(9)) {
    case 0:
      host::remove_all(path);
      return Write(name, Noise(random, random.Uniform(3000)));
    case 1:
      host::remove_all(path);
      host::create_symlink(NameIn(*this, random), path);
      return Touch(name);
    case 2:
      if (!host::is_directory(status)) host::remove_all(path);
      host::create_directories(path);
      return;
    case 3:
      host::remove_all(path);
      return;
    case 4:
      if (host::is_regular_file(status)) chmod(path.c_str(), 0600 + static_cast<mode_t>(random.Uniform(64)));
      return;
    case 5:
      if (!host::is_regular_file(status)) return;
      host::remove_all(Path("other"));
      return host::create_hard_link(path, Path("other"));
    case 6:
      if (!host::is_regular_file(status)) return;
      lremovexattr(path.c_str(), "user.a");
      if (random.OneIn(2)) lsetxattr(path.c_str(), "user.a", name.data(), name.size(), 0);
      return;
    case 7:
      host::remove_all(Path("large"));
      Write("large", "");
      host::resize_file(Path("large"), kLarge + random.Uniform(10000));
      return Touch("large");
    default:
      if (!host::is_regular_file(host::symlink_status(Path("large")))) return;
      if (random.OneIn(4)) host::resize_file(Path("large"), kLarge - random.Uniform(kLarge / 2));
      return WriteAt("large", random.Uniform(kLarge), Noise(random, random.Uniform(9000)));
  }
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

FileAttributes TreeCopies::Stat(const std::string& path) { return Must(image.paths().Stat(path)); }

std::string TreeCopies::Read(const std::string& path) { return Must(image.paths().ReadFile(path)); }

}  // namespace betr::test
