// SPDX-License-Identifier: Apache-2.0
// Trees of the host that change, and their copies in an image. For tests of copies made over earlier ones.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/transfer/tree_copy.h"
#include "support/device/temp_dir.h"
#include "support/fs/image.h"

namespace betr::test {

// The size of a file that is large enough for an update to change it in place.
inline constexpr size_t kLarge = (size_t{3} << 20) + 1234;

std::string Noise(Random& random, size_t size);

// Options of a copy that becomes like the original, and keeps what is like it already.
fs::CopyOptions Mirror();

// A tree of the host. Each of its changes has a time of its own.
class HostTree {
 public:
  // The first change is made after `time`. Trees never have a time in common if these lie far enough apart.
  explicit HostTree(time_t time = 1'000'000);

  std::string Path(const std::string& name = "") const {
    return directory_.File("tree" + (name.empty() ? "" : "/" + name));
  }
  // Makes a file, or gives it another content.
  void Write(const std::string& name, const std::string& content);
  void WriteAt(const std::string& name, uint64_t offset, const std::string& content);
  void Touch(const std::string& name);
  // Changes something at random, among so few names that changes meet.
  void Change(Random& random);

 private:
  void ChangeNames(Random& random, const std::string& name);
  static void ChangeAttributes(Random& random, const std::string& path);
  void ChangeLarge(Random& random);

  TempDir directory_;
  time_t time_;
};

// An image with copies of trees.
class TreeCopies {
 public:
  fs::CopyTotals Import(const HostTree& tree, const std::string& inside, const fs::CopyOptions& options);
  fs::CopyTotals Export(const std::string& inside, const HostTree& tree, const fs::CopyOptions& options);

  // Returns the paths of what is not the same in two of them.
  std::vector<std::string> Differences(const std::string& before, const std::string& after);
  // Returns which names are links of each other: for each path, the first path of its file.
  std::map<std::string, std::string> Links(const std::string& inside);
  // Returns when each path was modified.
  std::map<std::string, FileTime> Times(const std::string& inside);
  FileAttributes Stat(const std::string& path);
  std::string Read(const std::string& path);

  Image image;
};

}  // namespace betr::test
