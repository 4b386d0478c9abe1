// SPDX-License-Identifier: Apache-2.0
#include "served_image.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "device/loop_backing.h"

namespace betr::fuse {
namespace {

constexpr std::chrono::milliseconds kLongestOfOne{1000};
constexpr std::chrono::milliseconds kLongestEnd{5000};
constexpr std::chrono::milliseconds kLongestEndOfKilled{200};
constexpr std::chrono::milliseconds kPeriod{1};

// What the process that asks reports.
struct Told {
  betr_server server;
  betr_image image;
};

// Asks in a separate process, which may wait for a server that never answers. It must not keep anything of its parent's
// open, least of all a lock on an image. Uses only calls that are safe after a fork. The exit code is the error.
[[noreturn]] void AskAndExit(const char* directory, int answer) {
  const auto own = static_cast<unsigned>(answer);
  if (own > 0) close_range(0, own - 1, 0);
  close_range(own + 1, UINT_MAX, 0);
  Told told{};
  const int root = open(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  if (root < 0 || ioctl(root, BETR_IOC_IMAGE, &told.image) != 0) _exit(errno);
  if (ioctl(root, BETR_IOC_SERVER, &told.server) != 0) told.server = {};
  _exit(write(answer, &told, sizeof told) == sizeof told ? 0 : EIO);
}

// Reads until the other end is closed, as more than PIPE_BUF may come in pieces.
bool ReadAnswer(int answer, Told* told) {
  size_t size = 0;
  while (size < sizeof *told) {
    const ssize_t got = read(answer, reinterpret_cast<char*>(told) + size, sizeof *told - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size += static_cast<size_t>(got);
  }
  return true;
}

pid_t ProcessOf(const betr_server& server) {
  const uint64_t ours = ThisServer().pid_namespace;
  return ours != 0 && server.pid_namespace == ours ? static_cast<pid_t>(server.pid) : 0;
}

// Waits for the child, so that nothing of it keeps the mount busy, and returns the error that it ended with. Waits only
// for a while. If the server has taken the child's request and was killed, the child cannot end before the mount goes
// away.
int EndOf(pid_t child, std::chrono::milliseconds longest) {
  const auto begun = std::chrono::steady_clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - begun > longest) return ETIMEDOUT;
    std::this_thread::sleep_for(kPeriod);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ETIMEDOUT;
}

// Whether a mount of this type may be ours. Others are not looked at, since that may wake them up.
bool MayBeOurs(const std::string& type) { return type == "fuse.betr" || type == "fuse"; }

}  // namespace

betr_server ThisServer() {
  struct stat space {};
  const bool is_known = stat("/proc/self/ns/pid", &space) == 0;
  return {static_cast<__u64>(getpid()), is_known ? space.st_ino : 0};
}

ServerAnswer AskServer(const std::string& directory, std::chrono::milliseconds longest) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {errno};
  const pid_t child = fork();
  if (child == 0) AskAndExit(directory.c_str(), ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return {errno};
  }
  pollfd wait{ends[0], POLLIN, 0};
  const bool has_ended = poll(&wait, 1, static_cast<int>(longest.count())) > 0;
  Told told{};
  const bool has_answered = has_ended && ReadAnswer(ends[0], &told);
  if (!has_ended) kill(child, SIGKILL);
  const int error = EndOf(child, has_ended ? kLongestEnd : kLongestEndOfKilled);
  close(ends[0]);
  if (!has_answered) return {error};
  const size_t size = strnlen(told.image.path, sizeof told.image.path);
  if (size == 0 || size == sizeof told.image.path) return {ENOTTY};
  return {0, std::string(told.image.path, size), ProcessOf(told.server)};
}

std::optional<std::string> ImageServedOn(const std::string& directory, std::chrono::milliseconds longest) {
  ServerAnswer answer = AskServer(directory, longest);
  return answer.error == 0 ? std::optional(std::move(answer.image)) : std::nullopt;
}

// Whoever mounted it may have chosen any subtype. So an unusual subtype says nothing, and its server is asked.
bool IsForeign(const MountInfo& mount, std::chrono::milliseconds longest) {
  if (mount.type.empty() || mount.type == "fuse.betr") return false;
  return !mount.type.starts_with("fuse") || AskServer(mount.directory, longest).error == ENOTTY;
}

bool IsMounted(const std::string& image, const std::string& source) {
  const std::vector<MountInfo> table = MountInfos();
  const std::string file = FileBehind(image);
  if (std::any_of(table.begin(), table.end(), [&](const MountInfo& entry) { return entry.source == source; })) {
    return true;
  }
  return std::any_of(table.begin(), table.end(), [&](const MountInfo& entry) {
    if (!MayBeOurs(entry.type)) return false;
    const std::optional<std::string> served = ImageServedOn(entry.directory, kLongestOfOne);
    std::error_code error;
    return served && std::filesystem::equivalent(FileBehind(*served), file, error);
  });
}

}  // namespace betr::fuse
