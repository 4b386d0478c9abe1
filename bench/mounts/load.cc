// SPDX-License-Identifier: Apache-2.0
// Loads for a mounted file system, each timed: load WORK ARGUMENT... prints seconds on its last line.
// bench/mounts/compare and bench/evaluate call it.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kFanout = 128;
constexpr size_t kSmallFile = 200;    // bytes
constexpr size_t kRequest = 1 << 20;  // bytes
constexpr size_t kPatch = 4;          // bytes
constexpr size_t kPoke = 16;          // bytes
constexpr size_t kBlock = 4096;       // bytes
constexpr uint32_t kSeed = 20260801;

[[noreturn]] void Fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(EXIT_FAILURE);
}

void Must(bool ok, const std::string& what) {
  if (!ok) Fail(what);
}

int Open(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags, 0644);
  Must(fd >= 0, path);
  return fd;
}

// Servers of FUSE hear of the fsync only, and fuse2fs ignores it unless it is that of a file that may be written.
void SyncAll(const std::string& file) {
  const int fd = Open(file, O_WRONLY);
  Must(syncfs(fd) == 0 && fsync(fd) == 0, file);
  close(fd);
}

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Prints how many there were after how many seconds, until it is destroyed, which it does not delay.
class Progress {
 public:
  explicit Progress(const std::atomic<size_t>& done)
      : done_(done), printer_([this](const std::stop_token& stop) { Print(stop); }) {}

 private:
  void Print(const std::stop_token& stop) {
    constexpr auto kPause = std::chrono::milliseconds(200);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any ended;
    while (!stop.stop_requested()) {
      ended.wait_for(lock, stop, kPause, [] { return false; });
      std::printf("%.3f %zu\n", Now() - begun_, done_.load());
    }
  }

  const std::atomic<size_t>& done_;
  const double begun_ = Now();
  std::jthread printer_;
};

// DIRECTORY FILES THREADS [progress]: files of 200 bytes, 128 to a directory, directories 128 to a directory.
void Create(const std::vector<std::string>& arguments) {
  const std::string& root = arguments.at(0);
  const size_t files = std::stoul(arguments.at(1));
  const size_t threads = std::stoul(arguments.at(2));
  const std::string content(kSmallFile, 'x');
  std::atomic<size_t> done = 0;
  std::vector<std::thread> workers;
  for (size_t worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      const std::string own = root + "/w" + std::to_string(worker);
      Must(mkdir(own.c_str(), 0755) == 0, own);
      for (size_t i = 0; i < files / threads; ++i) {
        const std::string upper = own + "/" + std::to_string(i / kFanout / kFanout);
        const std::string lower = upper + "/" + std::to_string(i / kFanout % kFanout);
        if (i % (kFanout * kFanout) == 0) Must(mkdir(upper.c_str(), 0755) == 0, upper);
        if (i % kFanout == 0) Must(mkdir(lower.c_str(), 0755) == 0, lower);
        const int fd = Open(lower + "/" + std::to_string(i % kFanout), O_CREAT | O_EXCL | O_WRONLY);
        Must(write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "write");
        close(fd);
        ++done;
      }
    });
  }
  {
    std::optional<Progress> progress;
    if (arguments.size() > 3) progress.emplace(done);
    for (std::thread& worker : workers) worker.join();
  }
  if (files >= threads) SyncAll(root + "/w0/0/0/0");
}

// FILE MEBIBYTES
void Write(const std::vector<std::string>& arguments) {
  std::string buffer(kRequest, '\0');
  std::mt19937_64 random(kSeed);
  for (char& c : buffer) c = static_cast<char>(random());
  const int fd = Open(arguments.at(0), O_CREAT | O_WRONLY | O_TRUNC);
  for (size_t i = 0; i < std::stoul(arguments.at(1)); ++i) {
    *reinterpret_cast<uint64_t*>(buffer.data()) = i;
    Must(write(fd, buffer.data(), buffer.size()) == static_cast<ssize_t>(buffer.size()), "write");
  }
  Must(fsync(fd) == 0, "fsync");
  close(fd);
}

// FILE KIBIBYTES: a file that does not compress; no sync.
void Fill(const std::vector<std::string>& arguments) {
  std::string block(kBlock, '\0');
  std::mt19937_64 random(kSeed);
  const int fd = Open(arguments.at(0), O_CREAT | O_WRONLY | O_TRUNC);
  for (size_t left = std::stoul(arguments.at(1)) * 1024; left > 0; left -= std::min(left, block.size())) {
    for (char& c : block) c = static_cast<char>(random());
    const size_t size = std::min(left, block.size());
    Must(write(fd, block.data(), size) == static_cast<ssize_t>(size), "write");
  }
  close(fd);
}

// FILE
void Read(const std::vector<std::string>& arguments) {
  std::string buffer(kRequest, '\0');
  const int fd = Open(arguments.at(0), O_RDONLY);
  ssize_t size = 0;
  while ((size = read(fd, buffer.data(), buffer.size())) > 0) {
  }
  Must(size == 0, "read");
  close(fd);
}

// Calls `work(offset)` for `count` places of the file, each a multiple of `unit`.
void AtRandom(int fd, size_t count, size_t unit, uint64_t seed, const std::function<void(off_t)>& work) {
  struct stat attributes {};
  Must(fstat(fd, &attributes) == 0, "stat");
  std::mt19937_64 random(seed);
  const uint64_t places = std::max<uint64_t>(static_cast<uint64_t>(attributes.st_size) / unit, 1);
  for (size_t i = 0; i < count; ++i) work(static_cast<off_t>(random() % places * unit));
}

// FILE WRITES: of 4 bytes, anywhere; one fsync.
void Patch(const std::vector<std::string>& arguments) {
  const int fd = Open(arguments.at(0), O_WRONLY);
  AtRandom(fd, std::stoul(arguments.at(1)), kPatch, kSeed,
           [&](off_t offset) { Must(pwrite(fd, "abcd", kPatch, offset) == kPatch, "pwrite"); });
  Must(fsync(fd) == 0, "fsync");
  close(fd);
}

// FILE READS: of 4 bytes, anywhere.
void Peek(const std::vector<std::string>& arguments) {
  const int fd = Open(arguments.at(0), O_RDONLY);
  char buffer[kPatch];
  AtRandom(fd, std::stoul(arguments.at(1)), kPatch, kSeed + 1,
           [&](off_t offset) { Must(pread(fd, buffer, kPatch, offset) == kPatch, "pread"); });
  close(fd);
}

void PokeFile(const std::string& path, size_t writes, uint64_t seed, bool sync) {
  const int fd = Open(path, O_WRONLY);
  AtRandom(fd, writes, kBlock, seed,
           [&](off_t offset) { Must(pwrite(fd, "sixteen bytes: 0", kPoke, offset) == kPoke, "pwrite"); });
  if (sync) Must(fsync(fd) == 0, "fsync");
  close(fd);
}

// FILE WRITES SEED: of 16 bytes to the beginnings of blocks; one fsync.
void Poke(const std::vector<std::string>& arguments) {
  PokeFile(arguments.at(0), std::stoul(arguments.at(1)), std::stoul(arguments.at(2)), true);
}

std::vector<std::string> FilesBelow(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && !entry.is_symlink()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// DIRECTORY SEED: one write of 16 bytes to each file below; no sync.
void PokeEach(const std::vector<std::string>& arguments) {
  uint64_t seed = std::stoul(arguments.at(1)) << 20;
  for (const std::string& path : FilesBelow(arguments.at(0))) PokeFile(path, 1, ++seed, false);
}

// DIRECTORY CHANGES SEED: what `git pull` does to a tree: of ten files that change eight get another line somewhere,
// one is removed and one comes beside it. Each is written anew under its name; no sync.
void Pull(const std::vector<std::string>& arguments) {
  std::mt19937_64 random(std::stoul(arguments.at(2)) + kSeed);
  std::vector<std::string> paths = FilesBelow(arguments.at(0));
  for (size_t i = 0; i < std::stoul(arguments.at(1)) && !paths.empty(); ++i) {
    const size_t chosen = random() % paths.size();
    const std::string path = paths[chosen];
    std::ifstream old(path, std::ios::binary);
    std::string content((std::istreambuf_iterator<char>(old)), std::istreambuf_iterator<char>());
    content.insert(random() % (content.size() + 1), "/* changed upstream: " + std::to_string(random()) + " */\n");
    const uint64_t kind = random() % 10;
    const std::string to = kind == 0 ? path + "." + std::to_string(random() % 1000) : path;
    Must(kind == 0 || unlink(path.c_str()) == 0, path);
    if (kind == 1) {
      paths.erase(paths.begin() + static_cast<ptrdiff_t>(chosen));
      continue;
    }
    std::ofstream file(to, std::ios::binary | std::ios::trunc);
    Must(file.write(content.data(), static_cast<std::streamsize>(content.size())).flush().good(), to);
  }
}

// DIRECTORY: removes every second file below.
void Thin(const std::vector<std::string>& arguments) {
  const std::vector<std::string> paths = FilesBelow(arguments.at(0));
  for (size_t i = 0; i < paths.size(); i += 2) Must(unlink(paths[i].c_str()) == 0, paths[i]);
}

// DIRECTORY NAME COUNT [FILE]: renames the entry as often, each time with an fsync of the directory, or of the file.
void Rename(const std::vector<std::string>& arguments) {
  const std::string base = arguments.at(0) + "/" + arguments.at(1);
  const int fd = arguments.size() > 3 ? Open(arguments.at(3), O_WRONLY | O_CREAT) : Open(arguments.at(0), O_RDONLY);
  std::string from = base;
  const size_t count = std::stoul(arguments.at(2));
  for (size_t i = 0; i < count; ++i) {
    const std::string to = i + 1 == count ? base : base + "." + std::to_string(i);
    Must(rename(from.c_str(), to.c_str()) == 0 && fsync(fd) == 0, to);
    from = to;
  }
  close(fd);
}

uint64_t ScanBelow(const std::string& directory) {
  DIR* const stream = opendir(directory.c_str());
  if (stream == nullptr) Fail(directory);
  uint64_t count = 0;
  while (const dirent* const entry = readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string path = directory;
    path.append("/").append(name);
    struct stat attributes {};
    Must(lstat(path.c_str(), &attributes) == 0, path);
    count += S_ISDIR(attributes.st_mode) ? ScanBelow(path) : 1;
  }
  closedir(stream);
  return count;
}

// DIRECTORY: lists and stats everything.
void Scan(const std::vector<std::string>& arguments) { Must(ScanBelow(arguments.at(0)) > 0, "files"); }

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void(const std::vector<std::string>&)>> works = {
      {"create", Create}, {"fill", Fill}, {"patch", Patch},   {"peek", Peek}, {"poke", Poke}, {"poke-each", PokeEach},
      {"pull", Pull},     {"read", Read}, {"rename", Rename}, {"scan", Scan}, {"thin", Thin}, {"write", Write},
  };
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  const auto work = works.find(argc > 1 ? argv[1] : "");
  if (work == works.end()) {
    std::fputs("usage: load create|fill|patch|peek|poke|poke-each|pull|read|rename|scan|thin|write ARGUMENT...\n",
               stderr);
    return 2;
  }
  const double begun = Now();
  work->second(arguments);
  std::printf("%.3f\n", Now() - begun);
  return 0;
}
