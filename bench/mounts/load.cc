// SPDX-License-Identifier: Apache-2.0
// Loads for a mounted file system, each timed: load WORK ARGUMENT... prints seconds. bench/mounts/compare calls it.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kFanout = 128;
constexpr size_t kSmallFile = 200;    // bytes
constexpr size_t kRequest = 1 << 20;  // bytes
constexpr size_t kPatch = 4;          // bytes
constexpr uint32_t kSeed = 20260801;

void Must(bool ok, const std::string& what) {
  if (ok) return;
  std::perror(what.c_str());
  std::exit(EXIT_FAILURE);
}

int Open(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags, 0644);
  Must(fd >= 0, path);
  return fd;
}

void SyncAll(const std::string& directory) {
  const int fd = Open(directory, O_RDONLY);
  Must(syncfs(fd) == 0 && fsync(fd) == 0, directory);
  close(fd);
}

// DIRECTORY FILES THREADS: files of 200 bytes, 128 to a directory, directories 128 to a directory.
void Create(const std::vector<std::string>& arguments) {
  const std::string& root = arguments.at(0);
  const size_t files = std::stoul(arguments.at(1));
  const size_t threads = std::stoul(arguments.at(2));
  const std::string content(kSmallFile, 'x');
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
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  SyncAll(root);
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

// FILE WRITES: of 4 bytes, anywhere; one fsync.
void Patch(const std::vector<std::string>& arguments) {
  const int fd = Open(arguments.at(0), O_WRONLY);
  struct stat attributes {};
  Must(fstat(fd, &attributes) == 0, "stat");
  std::mt19937_64 random(kSeed);
  const auto places = static_cast<uint64_t>(attributes.st_size) / kPatch;
  for (size_t i = 0; i < std::stoul(arguments.at(1)); ++i) {
    const auto offset = static_cast<off_t>(random() % places * kPatch);
    Must(pwrite(fd, "abcd", kPatch, offset) == kPatch, "pwrite");
  }
  Must(fsync(fd) == 0, "fsync");
  close(fd);
}

uint64_t ScanBelow(const std::string& directory) {
  DIR* const stream = opendir(directory.c_str());
  Must(stream != nullptr, directory);
  uint64_t count = 0;
  while (const dirent* const entry = readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = directory + "/" + name;
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
      {"create", Create}, {"write", Write}, {"read", Read}, {"patch", Patch}, {"scan", Scan}};
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  const auto work = works.find(argc > 1 ? argv[1] : "");
  if (work == works.end()) {
    std::fputs("usage: load create|write|read|patch|scan ARGUMENT...\n", stderr);
    return 2;
  }
  const auto begun = std::chrono::steady_clock::now();
  work->second(arguments);
  std::printf("%.3f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  return 0;
}
