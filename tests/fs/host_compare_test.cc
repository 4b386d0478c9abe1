// SPDX-License-Identifier: Apache-2.0
// The same random operations on a directory of the host, by system calls, and on a file system: errors and trees must
// be the same. With remounts in between, and the checker at the end.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "base/random.h"
#include "support/device/temp_dir.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// What both sides are compared by: everything that stat and its relatives tell, but for what differs by nature.
struct Seen {
  uint32_t mode = 0;
  uint64_t links = 0;
  uint64_t size = 0;
  int64_t modified_seconds = 0;  // where it was set
  std::string content;           // or target
  std::map<std::string, std::string> xattrs;
};
using Tree = std::map<std::string, Seen>;

constexpr int64_t kSetTime = 1'234'567;

class Pair {
 public:
  Pair(uint64_t seed, const ImageOptions& options) : random_(seed), image_(options), umask_before_(umask(0)) {}
  ~Pair() { umask(umask_before_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void Step();
  void Compare();
  void Remount(const Experiments& experiments) { image_.Remount(experiments); }
  void Check() { image_.Check(); }

 private:
  std::string Host(const std::string& path) const { return host_.path() + "/" + path; }
  std::string Path();
  static void Same(const std::string& what, int errno_of_host, int errno_inside);

  void Make();
  void Write();
  void Truncate();
  void Remove();
  void RenameOne();
  void LinkOne();
  void Attributes();
  void Xattr();
  Tree HostTree() const;
  Tree InsideTree();

  Random random_;
  TempDir host_;
  Image image_;
  const mode_t umask_before_;
};

// Few names, so that operations meet. Never through a symlink: the host follows it, our paths do not.
std::string Pair::Path() {
  std::string path;
  for (uint64_t depth = 1 + random_.Uniform(3); depth > 0; --depth) {
    struct stat info {};
    const bool is_link = !path.empty() && lstat(Host(path).c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    if (is_link) return path;
    path += (path.empty() ? "" : "/") + std::string(1, static_cast<char>('a' + random_.Uniform(4)));
  }
  return path;
}

// Of a system call with that result. Evaluated together with the call: whatever comes between may change errno.
int HostErrno(int result) { return result == 0 ? 0 : errno; }

void Pair::Same(const std::string& what, int errno_of_host, int errno_inside) {
  INFO(what << ": host " << errno_of_host << ", inside " << errno_inside);
  // POSIX leaves the choice between the two to the system.
  const auto normal = [](int error) { return error == EEXIST ? ENOTEMPTY : error; };
  REQUIRE(normal(errno_of_host) == normal(errno_inside));
}

void Pair::Make() {
  const std::string path = Path();
  switch (random_.Uniform(4)) {
    case 0:
      return Same("mkdir " + path, HostErrno(mkdir(Host(path).c_str(), 0755)),
                  Errno(image_.paths().MakeDirectory(path)));
    case 1:
      return Same("symlink " + path, HostErrno(symlink("to/nowhere", Host(path).c_str())),
                  Errno(image_.paths().MakeSymlink("to/nowhere", path)));
    case 2:
      return Same("mkfifo " + path, HostErrno(mkfifo(Host(path).c_str(), 0600)),
                  Errno(image_.paths().Create(path, {.type = FileType::kFifo, .permissions = 0600})));
    default:
      const int file = open(Host(path).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0640);
      const int error = HostErrno(file >= 0 ? 0 : -1);
      if (file >= 0) close(file);
      return Same("create " + path, error, Errno(image_.paths().Create(path, {.permissions = 0640})));
  }
}

void Pair::Write() {
  const std::string path = Path();
  struct stat info {};
  if (lstat(Host(path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const uint64_t offset = random_.Uniform(20000);
  const std::string bytes = random_.String(1 + random_.Skewed(14));
  const int file = open(Host(path).c_str(), O_WRONLY | O_NOFOLLOW);
  REQUIRE(file >= 0);
  REQUIRE(pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes.size()));
  close(file);
  const OpenFile inside = *image_.paths().Open(path);
  REQUIRE(*image_.fs().Write(inside.inode(), offset, bytes) == bytes.size());
}

void Pair::Truncate() {
  const std::string path = Path();
  struct stat info {};
  if (lstat(Host(path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const uint64_t size = random_.Uniform(25000);
  REQUIRE(truncate(Host(path).c_str(), static_cast<off_t>(size)) == 0);
  REQUIRE(image_.paths().SetAttributes(path, {.size = size}).ok());
}

void Pair::Remove() {
  const std::string path = Path();
  if (random_.OneIn(6)) {
    std::error_code error;
    struct stat info {};
    const bool there = lstat(Host(path).c_str(), &info) == 0;
    if (!there) return;
    std::filesystem::remove_all(Host(path), error);
    REQUIRE_FALSE(error);
    REQUIRE(image_.paths().RemoveTree(path).ok());
  } else if (random_.OneIn(2)) {
    Same("rmdir " + path, HostErrno(rmdir(Host(path).c_str())), Errno(image_.paths().RemoveDirectory(path)));
  } else {
    Same("unlink " + path, HostErrno(unlink(Host(path).c_str())), Errno(image_.paths().Unlink(path)));
  }
}

void Pair::RenameOne() {
  const std::string from = Path();
  const std::string to = Path();
  const uint64_t kind = random_.Uniform(4);
  const unsigned flags = kind == 0 ? RENAME_NOREPLACE : kind == 1 ? RENAME_EXCHANGE : 0;
  const RenameMode mode = kind == 0 ? RenameMode::kNoReplace : kind == 1 ? RenameMode::kExchange : RenameMode::kReplace;
  const int host = HostErrno(renameat2(AT_FDCWD, Host(from).c_str(), AT_FDCWD, Host(to).c_str(), flags));
  Same("rename " + from + " " + to + " " + std::to_string(kind), host, Errno(image_.paths().Rename(from, to, mode)));
}

void Pair::LinkOne() {
  const std::string from = Path();
  const std::string to = Path();
  Same("link " + from + " " + to, HostErrno(link(Host(from).c_str(), Host(to).c_str())),
       Errno(image_.paths().Link(from, to)));
}

void Pair::Attributes() {
  const std::string path = Path();
  struct stat info {};
  if (lstat(Host(path).c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
  const auto mode = static_cast<uint32_t>(random_.Uniform(01000)) | 0700;
  REQUIRE(chmod(Host(path).c_str(), mode) == 0);
  const timespec times[2] = {{kSetTime, 0}, {kSetTime, 0}};
  REQUIRE(utimensat(AT_FDCWD, Host(path).c_str(), times, 0) == 0);
  REQUIRE(image_.paths()
              .SetAttributes(
                  path, {.permissions = mode, .accessed = FileTime{kSetTime, 0}, .modified = FileTime{kSetTime, 0}})
              .ok());
}

void Pair::Xattr() {
  const std::string path = Path();
  struct stat info {};
  if (lstat(Host(path).c_str(), &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) return;
  const std::string name = "user." + std::string(1, static_cast<char>('p' + random_.Uniform(3)));
  const OpenFile inside = *image_.paths().Open(path);
  if (random_.OneIn(3)) {
    return Same("removexattr " + path, HostErrno(lremovexattr(Host(path).c_str(), name.c_str())),
                Errno(image_.fs().RemoveXattr(inside.inode(), name)));
  }
  const std::string value = random_.String(random_.Uniform(400));
  const int host = HostErrno(lsetxattr(Host(path).c_str(), name.c_str(), value.data(), value.size(), 0));
  if (host == ENOTSUP || host == ENOSPC) return;  // this host cannot
  Same("setxattr " + path, host, Errno(image_.fs().SetXattr(inside.inode(), name, value)));
}

void Pair::Step() {
  const uint64_t dice = random_.Uniform(20);
  if (dice < 6) return Make();
  if (dice < 9) return Write();
  if (dice < 10) return Truncate();
  if (dice < 12) return Remove();
  if (dice < 15) return RenameOne();
  if (dice < 17) return LinkOne();
  return dice < 19 ? Attributes() : Xattr();
}

std::map<std::string, std::string> HostXattrs(const std::string& path) {
  std::map<std::string, std::string> xattrs;
  std::string names(65536, '\0');
  const ssize_t size = llistxattr(path.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < size;) {
    const std::string name = names.c_str() + at;
    at += static_cast<ssize_t>(name.size()) + 1;
    if (!name.starts_with("user.")) continue;
    std::string value(65536, '\0');
    value.resize(static_cast<size_t>(lgetxattr(path.c_str(), name.c_str(), value.data(), value.size())));
    xattrs[name] = value;
  }
  return xattrs;
}

Tree Pair::HostTree() const {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(host_.path())) {
    const std::string path = entry.path().string();
    struct stat info {};
    REQUIRE(lstat(path.c_str(), &info) == 0);
    Seen seen;
    seen.mode = info.st_mode;
    seen.links = S_ISDIR(info.st_mode) ? 0 : info.st_nlink;  // some hosts do not count subdirectories
    seen.size = S_ISDIR(info.st_mode) ? 0 : static_cast<uint64_t>(info.st_size);
    seen.modified_seconds = info.st_mtim.tv_sec == kSetTime ? kSetTime : 0;
    if (S_ISREG(info.st_mode)) {
      seen.content.resize(seen.size);
      const int file = open(path.c_str(), O_RDONLY);
      REQUIRE(pread(file, seen.content.data(), seen.size, 0) == static_cast<ssize_t>(seen.size));
      close(file);
    } else if (S_ISLNK(info.st_mode)) {
      seen.content = std::filesystem::read_symlink(entry.path()).string();
    }
    seen.xattrs = HostXattrs(path);
    tree[path.substr(host_.path().size() + 1)] = seen;
  }
  return tree;
}

Tree Pair::InsideTree() {
  Tree tree;
  const auto walked = image_.paths().Walk("", [&](const std::string& path, const FileAttributes& attributes) {
    if (path.empty()) return absl::OkStatus();
    const bool is_directory = attributes.type == FileType::kDirectory;
    Seen seen;
    seen.mode = attributes.mode();
    seen.links = is_directory ? 0 : attributes.links;
    seen.size = is_directory ? 0 : attributes.size;
    seen.modified_seconds = attributes.modified.seconds == kSetTime ? kSetTime : 0;
    if (attributes.type == FileType::kRegular) seen.content = *image_.paths().ReadFile(path);
    if (attributes.type == FileType::kSymlink) seen.content = *image_.paths().ReadLink(path);
    const OpenFile file = *image_.paths().Open(path);
    const std::vector<std::string> names = *image_.fs().ListXattrs(file.inode());
    for (const std::string& name : names) seen.xattrs[name] = *image_.fs().GetXattr(file.inode(), name);
    tree[path] = seen;
    return absl::OkStatus();
  });
  REQUIRE(walked.ok());
  return tree;
}

void Pair::Compare() {
  const Tree host = HostTree();
  const Tree inside = InsideTree();
  for (const auto& [path, seen] : host) {
    INFO(path);
    REQUIRE(inside.contains(path));
    const Seen& other = inside.at(path);
    REQUIRE(other.mode == seen.mode);
    REQUIRE(other.links == seen.links);
    REQUIRE(other.size == seen.size);
    REQUIRE(other.modified_seconds == seen.modified_seconds);
    REQUIRE((other.content == seen.content));
    REQUIRE((other.xattrs == seen.xattrs));
  }
  REQUIRE(inside.size() == host.size());
}

// With the options' experiments, and now and then with `others` instead.
void RunPairs(uint64_t rounds, const ImageOptions& options, const std::vector<Experiments>& others = {}) {
  for (uint64_t round = 0; round < rounds; ++round) {
    Pair pair(TestSeed() + round, options);
    for (int step = 0; step < 1200; ++step) {
      INFO("round " << round << " step " << step);
      pair.Step();
      if (step % 200 == 199) {
        pair.Compare();
        const size_t turn = static_cast<size_t>(step / 200) % (others.size() + 1);
        pair.Remount(turn < others.size() ? others[turn] : options.experiments);
        pair.Compare();
      }
    }
    pair.Check();
  }
}

TEST_CASE("random operations: the host's file system and ours agree", "[fs]") {
  RunPairs(static_cast<uint64_t>(6 * TestScale()) + 1, {});
}

TEST_CASE("random operations: the host's file system and ours agree, by copies and key by key", "[fs][ablation]") {
  ImageOptions options;
  options.experiments.rename_by_copy = true;
  options.experiments.delete_by_key = true;
  // All but the smallest renames and deletes take several batches.
  options.mount.write_behind = KiB(4);
  RunPairs(static_cast<uint64_t>(2 * TestScale()) + 1, options);
}

TEST_CASE("random operations: the host's file system and ours agree, with each experiment", "[fs][ablation]") {
  ImageOptions options;
  std::string all;
  for (const ExperimentName& one : ExperimentNames()) {
    INFO(one.name);
    options.experiments = *ParseExperiments(one.name);
    RunPairs(1, options);
    all += (all.empty() ? "" : ",") + std::string(one.name);
  }
  options.experiments = *ParseExperiments(all);
  RunPairs(1, options);
  RunPairs(1, options, {Experiments()});
}

TEST_CASE("random operations: the host's file system and ours agree, with zones", "[fs][ablation]") {
  ImageOptions options;
  options.experiments = *ParseExperiments("zones=4K");  // some directories become zones, some are copied
  options.mount.write_behind = KiB(4);
  // Whoever opens the image without it must understand what is there.
  const Experiments none;
  RunPairs(static_cast<uint64_t>(3 * TestScale()) + 1, options,
           {none, *ParseExperiments("zones=512,delete-by-key"), *ParseExperiments("zones=64K")});
}

}  // namespace
}  // namespace betr::test
