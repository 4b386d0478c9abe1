// SPDX-License-Identifier: Apache-2.0
// What threads see of each other: writes as a whole, appended bytes once, a clone of one instant, and a listing without
// holes.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "betr/directory_stream.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr size_t kWriters = 3;

int Rounds() { return static_cast<int>(150 * TestScale()) + 1; }

// Nodes and caches for inodes and names are small, and the store has threads of its own.
ImageOptions Busy() {
  ImageOptions options;
  options.background = true;
  options.mount.write_behind = KiB(64);
  options.mount.name_cache = KiB(2);
  options.mount.inode_cache = 4;
  return options;
}

// Runs several threads and then others until the first ones have ended. Each returns its first error.
void RunBeside(std::vector<std::function<absl::Status()>> first,
               std::vector<std::function<absl::Status(const std::atomic<bool>& done)>> others) {
  std::atomic<bool> done = false;
  std::vector<absl::Status> ends(first.size() + others.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < first.size(); ++i) {
    threads.emplace_back([&, i] { ends[i] = first[i](); });
  }
  std::vector<std::thread> beside;
  for (size_t i = 0; i < others.size(); ++i) {
    beside.emplace_back([&, i] { ends[first.size() + i] = others[i](done); });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  for (std::thread& thread : beside) thread.join();
  for (const absl::Status& end : ends) {
    INFO(end);
    CHECK(end.ok());
  }
}

absl::Status Wrong(std::string what) { return absl::InternalError(std::move(what)); }

// A number, at both ends of some blocks.
std::string Written(int number) {
  const std::string text = fmt::format("{:08}", number);
  return text + std::string(10'000, '.') + text;
}

absl::StatusOr<int> NumberIn(const absl::StatusOr<std::string>& content) {
  if (!content.ok()) return content.status();
  const int number = std::stoi(content->substr(0, 8));
  return *content == Written(number) ? absl::StatusOr<int>(number) : Wrong("a part of a write");
}

// Writes to a file that is there.
absl::Status Overwrite(PathFileSystem& paths, const std::string& path, const std::string& content) {
  const auto file = paths.Open(path);
  return file.ok() ? paths.fs().Write(file->inode(), 0, content).status() : file.status();
}

using Names = std::multiset<std::string>;
using Listing = absl::Status (*)(FileSystem& fs, InodeId directory, Names* names);

absl::Status ListByName(FileSystem& fs, InodeId directory, Names* names) {
  return fs.ReadDirectory(directory, "", [&](const DirectoryEntry& entry) {
    names->emplace(entry.name);
    return true;
  });
}

absl::Status ListInPieces(FileSystem& fs, InodeId directory, Names* names) {
  for (std::string after;;) {
    const auto entries = fs.LookupAfter(directory, after, 7);
    if (!entries.ok() || entries->empty()) return entries.status();
    for (const NamedEntry& entry : *entries) {
      names->insert(entry.name);
      fs.Forget(entry.entry.inode);
    }
    after = entries->back().name;
  }
}

absl::Status ListByPosition(FileSystem& fs, InodeId directory, Names* names) {
  DirectoryStream stream(&fs, directory);
  absl::Status status;
  uint64_t position = 0;
  for (bool more = true; more && status.ok();) {
    more = false;
    int left = 5;
    status = stream.Read(position, [&](const DirectoryStream::Item& item) {
      if (left-- == 0) return false;
      names->emplace(item.name);
      position = item.next;
      more = true;
      return true;
    });
  }
  return status;
}

std::string CountOf(size_t writer) { return fmt::format("/count{}", writer); }
std::string SeenBy(size_t writer) { return fmt::format("/seen{}", writer); }

}  // namespace

TEST_CASE("a clone has of each thread what another one can have seen of it, and each write as a whole",
          "[fs][thread][clone]") {
  Image image(Busy());
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectory("/all").ok());
  std::array<std::atomic<int>, kWriters> returned{};
  std::array<std::atomic<int>, kWriters> begun{};
  std::vector<std::function<absl::Status()>> writers;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    REQUIRE(paths.WriteFile("/all" + CountOf(writer), Written(0)).ok());
    REQUIRE(paths.WriteFile("/all" + SeenBy(writer), Written(0)).ok());
    // Counts, and writes down how far its neighbour is.
    writers.emplace_back([&, writer] {
      for (int count = 1; count <= Rounds(); ++count) {
        begun[writer] = count;
        absl::Status status = Overwrite(paths, "/all" + CountOf(writer), Written(count));
        returned[writer] = count;
        const auto other = NumberIn(paths.ReadFile("/all" + CountOf((writer + 1) % kWriters)));
        status.Update(other.status());
        if (status.ok() && count % 3 == 0) {
          status.Update(paths.WriteFile("/all/new" + std::to_string(writer), Written(*other)));
          status.Update(paths.Rename("/all/new" + std::to_string(writer), "/all" + SeenBy(writer)));
        } else if (status.ok()) {
          status.Update(Overwrite(paths, "/all" + SeenBy(writer), Written(*other)));
        }
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
  }
  const auto clone = [&](const std::atomic<bool>& done) {
    int clones = 0;
    for (; !done; ++clones) {
      std::array<int, kWriters> least{};
      for (size_t writer = 0; writer < kWriters; ++writer) least[writer] = returned[writer];
      absl::Status status = paths.Clone("/all", "/clone");
      for (size_t writer = 0; status.ok() && writer < kWriters; ++writer) {
        const size_t next = (writer + 1) % kWriters;
        const int most = begun[next];
        const auto seen = NumberIn(paths.ReadFile("/clone" + SeenBy(writer)));
        const auto count = NumberIn(paths.ReadFile("/clone" + CountOf(next)));
        status.Update(seen.status());
        status.Update(count.status());
        if (status.ok() && (*seen > *count || *count < least[next] || *count > most)) {
          status = Wrong(fmt::format("{} was seen of {}, which began with {}", *seen, *count, least[next]));
        }
      }
      status.Update(paths.RemoveTree("/clone"));
      if (!status.ok()) return status;
    }
    return clones > 0 ? absl::OkStatus() : Wrong("no clone was made");
  };
  const auto sync = [&](const std::atomic<bool>& done) {
    absl::Status status;
    while (!done && status.ok()) status = image.fs().Sync();
    return status;
  };
  RunBeside(writers, {clone, sync});
  image.Check();
}

TEST_CASE("what several threads append is there once, where it was said to be", "[fs][thread]") {
  Image image(Busy());
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("/log", "").ok());
  std::array<std::map<uint64_t, std::string>, kWriters> appended;
  std::vector<std::function<absl::Status()>> writers;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer]() -> absl::Status {
      for (int i = 0; i < 10 * Rounds(); ++i) {
        const auto log = paths.Open("/log");
        if (!log.ok()) return log.status();
        const std::string record = fmt::format("[{} {} {}]", writer, i, std::string(static_cast<size_t>(i % 50), '.'));
        const auto place = paths.fs().Append(log->inode(), record);
        if (!place.ok()) return place.status();
        appended[writer][*place] = record;
      }
      return absl::OkStatus();
    });
  }
  RunBeside(writers, {});
  std::map<uint64_t, std::string> all;
  for (const auto& some : appended) all.insert(some.begin(), some.end());
  std::string expected;
  for (const auto& [place, record] : all) {
    REQUIRE(place == expected.size());
    expected += record;
  }
  CHECK(*paths.ReadFile("/log") == expected);
  image.Check();
}

TEST_CASE("who lists a directory finds what is in it all the time once, whatever comes and goes", "[fs][thread]") {
  constexpr int kStable = 40;
  Image image(Busy());
  PathFileSystem& paths = image.paths();
  FileSystem& fs = image.fs();
  REQUIRE(paths.MakeDirectory("/d").ok());
  for (int i = 0; i < kStable; ++i) REQUIRE(paths.WriteFile(fmt::format("/d/stable{:02}", i), "").ok());
  OpenFile directory = *paths.Open("/d");
  std::vector<std::function<absl::Status()>> writers;
  for (const std::string name : {"/d/before", "/d/stable2", "/d/then"}) {
    writers.emplace_back([&, name] {
      absl::Status status;
      for (int i = 0; status.ok() && i < 40 * Rounds(); ++i) {
        const std::string path = name + "+" + std::to_string(i % 20);
        status = i % 40 < 20 ? paths.WriteFile(path, "") : paths.Unlink(path);
      }
      return status;
    });
  }
  const auto list = [&](Listing way) {
    return [&, way](const std::atomic<bool>& done) {
      while (!done) {
        Names names;
        if (const absl::Status status = way(fs, directory.inode(), &names); !status.ok()) return status;
        for (int i = 0; i < kStable; ++i) {
          if (const size_t times = names.count(fmt::format("stable{:02}", i)); times != 1) {
            return Wrong(fmt::format("stable{:02} was found {} times", i, times));
          }
        }
      }
      return absl::OkStatus();
    };
  };
  RunBeside(writers, {list(ListByName), list(ListInPieces), list(ListByPosition)});
  directory = OpenFile();
  image.Check();
}

}  // namespace betr::test
