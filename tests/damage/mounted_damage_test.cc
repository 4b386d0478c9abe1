// SPDX-License-Identifier: Apache-2.0
// A file system on a damaged image, mounted: what can be read is right, what cannot is an error that says so, and
// changes elsewhere neither crash nor make anything else wrong.
#include <fmt/format.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/fs_error.h"
#include "betr/path_filesystem.h"
#include "support/damage/structures.h"
#include "support/damage/subject.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr std::string_view kNew = "~new";

// What is at a path: attributes, and content if it could be read.
struct Shown {
  std::string attributes;
  std::optional<std::string> content;
};

// All that a mount shows, but for what is named kNew.
class Walk {
 public:
  explicit Walk(FileSystem& fs) : paths_(&fs) { Look(""); }

  const std::map<std::string, Shown>& shown() const { return shown_; }
  bool HasErrors() const { return errors_ > 0; }
  // Of an error that says that a thing is not there, or another untruth.
  const std::string& wrong() const { return wrong_; }

 private:
  void Look(const std::string& path) {
    const auto attributes = paths_.Stat(path);
    if (!attributes.ok()) return Error(path, attributes.status());
    Shown& shown = shown_[path];
    shown.attributes = fmt::format("{:o} {} {} {}", attributes->mode(), attributes->links, attributes->size,
                                   attributes->modified.seconds);
    if (S_ISDIR(attributes->mode())) {
      shown.attributes.clear();  // what is done beside may change them
      return LookBelow(path);
    }
    const auto content = S_ISLNK(attributes->mode()) ? paths_.ReadLink(path) : paths_.ReadFile(path);
    if (!content.ok()) return Error(path, content.status());
    shown.content = *content;
  }

  void LookBelow(const std::string& path) {
    const auto names = paths_.List(path);
    if (!names.ok()) return Error(path, names.status());
    for (const std::string& name : *names) {
      if (name != kNew) Look(path.empty() ? name : path + "/" + name);
    }
  }

  void Error(const std::string& path, const absl::Status& status) {
    ++errors_;
    const int error = ToErrno(status);
    if (error != EUCLEAN && error != EIO && error != EROFS) {
      wrong_ = fmt::format("{}: {}", path, std::string(status.message()));
    }
  }

  PathFileSystem paths_;
  std::map<std::string, Shown> shown_;
  int errors_ = 0;
  std::string wrong_;
};

// "", or what must never be.
std::string Difference(const Walk& walk, const std::map<std::string, Shown>& sound) {
  if (!walk.wrong().empty()) return walk.wrong();
  for (const auto& [path, shown] : walk.shown()) {
    const auto known = sound.find(path);
    if (known == sound.end()) return path + " should not be there";
    if (shown.attributes != known->second.attributes) return path + " has other attributes";
    if (shown.content && shown.content != known->second.content) return path + " has another content";
  }
  const bool is_all = walk.shown().size() == sound.size();
  return is_all || walk.HasErrors() ? "" : "something is left out without an error";
}

// A file in each directory, written and removed or left; whatever comes of it.
void Change(FileSystem& fs, const std::map<std::string, Shown>& sound) {
  PathFileSystem paths(&fs);
  int number = 0;
  for (const auto& [path, shown] : sound) {
    if (shown.content) continue;
    const std::string file = path.empty() ? std::string(kNew) : fmt::format("{}/{}", path, kNew);
    static_cast<void>(paths.WriteFile(file, std::string(3000, 'n')));
    if (++number % 2 == 0) static_cast<void>(paths.Unlink(file));
  }
  static_cast<void>(fs.Sync());
}

class Campaign {
 public:
  Campaign() : subject_(FileSystemImage()), device_(subject_.size, subject_.image), structures_(StructuresOf(device_)) {
    const auto fs = Mount(device_);
    const Walk walk(*fs);
    REQUIRE_FALSE(walk.HasErrors());
    REQUIRE(walk.shown().size() > 20);
    sound_ = walk.shown();
  }

  const std::vector<Structure>& structures() const { return structures_; }
  int mounted() const { return mounted_; }
  int with_errors() const { return with_errors_; }

  std::string Sound(Bytes offset, Bytes size) const {
    MemoryDevice device(subject_.size, subject_.image);
    std::string bytes(size.value, '\0');
    Must(device.Read(offset, bytes));
    return bytes;
  }

  void Try(const std::string& what, Bytes offset, std::string_view bytes) {
    INFO(what);
    MemoryDevice device(subject_.size, subject_.image);
    Must(device.Patch(offset, bytes));
    for (const bool changes : {false, true}) {
      const std::unique_ptr<FileSystem> fs = Mount(device);
      if (fs == nullptr) return;
      ++mounted_;
      if (changes) Change(*fs, sound_);
      const Walk walk(*fs);
      REQUIRE(Difference(walk, sound_) == "");
      with_errors_ += walk.HasErrors() ? 1 : 0;
      static_cast<void>(fs->Unmount());
    }
    if (const std::unique_ptr<FileSystem> fs = Mount(device)) REQUIRE(Difference(Walk(*fs), sound_) == "");
  }

 private:
  static std::unique_ptr<FileSystem> Mount(MemoryDevice& device) {
    auto store = OpenSubject(device, false);
    if (!store.ok()) return nullptr;
    auto fs = FileSystem::Mount(*std::move(store), {});
    return fs.ok() ? *std::move(fs) : nullptr;
  }

  Subject subject_;
  MemoryDevice device_;
  std::vector<Structure> structures_;
  std::map<std::string, Shown> sound_;
  int mounted_ = 0;
  int with_errors_ = 0;
};

}  // namespace

TEST_CASE("a damaged file system that is mounted shows what is right, or errors", "[damage][fs]") {
  Campaign campaign;
  Random random(TestSeed());
  const auto& all = campaign.structures();
  for (const Structure& structure : all) {
    for (int i = 0; i < static_cast<int>(4 * TestScale()); ++i) {
      const Bytes at{random.Uniform(structure.size.value)};
      std::string flipped = campaign.Sound(structure.offset + at, Bytes{1});
      flipped[0] = static_cast<char>(flipped[0] ^ (1 << random.Uniform(8)));
      campaign.Try(fmt::format("{}: byte {}", structure.name, at.value), structure.offset + at, flipped);
    }
    campaign.Try(structure.name + ": zeroed", structure.offset, std::string(structure.extent.value, '\0'));
    const Structure& other = random.Pick(all);
    campaign.Try(fmt::format("{}: {} in its place", structure.name, other.name), structure.offset,
                 campaign.Sound(other.offset, std::min(structure.extent, other.extent)));
  }
  INFO(campaign.mounted() << " mounts, " << campaign.with_errors() << " with errors");
  CHECK(campaign.with_errors() > campaign.mounted() / 10);
}

}  // namespace betr::test
