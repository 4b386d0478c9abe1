// SPDX-License-Identifier: Apache-2.0
#include "mounted.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "cloner.h"
#include "libfuse.h"
#include "unmount.h"

namespace betr::fuse {
namespace {

constexpr unsigned kThreadsMin = 2;
constexpr unsigned kThreadsDefaultMax = 8;
// How long a lazily unmounted file system with open files goes on answering.
constexpr int kGraceMilliseconds = 2000;
// How often space is looked at, if nothing is synced that often.
constexpr std::chrono::milliseconds kSpacePeriod{5000};

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

unsigned ThreadsOf(const MountPlan& plan) {
  if (plan.threads > 0) return plan.threads;
  return std::clamp(std::thread::hardware_concurrency(), kThreadsMin, kThreadsDefaultMax);
}

// With one processor, looking would keep it from the program that is to make the next request.
std::chrono::microseconds LookOf(const MountPlan& plan) {
  return std::thread::hardware_concurrency() > 1 ? plan.look : std::chrono::microseconds(0);
}

// Whether so little space is left that comparisons must not keep any for those who may have forgotten them.
bool IsShort(const FileSystemSpace& space) { return space.available < space.total / 8; }

bool WaitFor(int descriptor, int milliseconds) {
  pollfd wait{descriptor, POLLIN, 0};
  return poll(&wait, 1, milliseconds) > 0;
}

}  // namespace

void Mounted::BlockSignals() {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Mounted::Mounted(FileSystem* fs, Log* log, const MountPlan& plan)
    : plan_(plan), log_(*log), server_(fs, log, plan.server) {}

Mounted::~Mounted() {
  if (session_ == nullptr) return;
  server_.Detach();
  fuse_session_destroy(session_);
}

absl::Status Mounted::Mount(const std::string& directory, bool debug) {
  if (plan_.io_uring) {
    if (const absl::Status possible = CheckIoUring(); !possible.ok()) {
      return absl::UnavailableError("-o io_uring: " + std::string(possible.message()));
    }
  }
  const std::string options = FuseOptions(plan_);
  std::vector<std::string> words = {"mount.betr", "-o", options};
  if (debug) words.emplace_back("-d");
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  fuse_args args = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  session_ = fuse_session_new(&args, &Operations(), sizeof(fuse_lowlevel_ops), &server_);
  fuse_opt_free_args(&args);
  if (session_ == nullptr) return absl::UnavailableError("libfuse refuses the options " + options);
  if (fuse_session_mount(session_, directory.c_str()) != 0) return absl::UnavailableError("the kernel refuses");
  if (absl::Status prepared = PrepareSession(session_); !prepared.ok()) return prepared;
  directory_ = directory;
  AllowToRoot();
  server_.Attach(session_, directory_);
  return absl::OkStatus();
}

void Mounted::AllowToRoot() {
  if (geteuid() != 0 || !IsPassed(plan_, "auto_unmount")) return;
  // Remounts only this mount. For the file system the kernel would ask us, and we do not answer yet.
  if (mount(nullptr, directory_.c_str(), nullptr, MS_REMOUNT | MS_BIND | MountFlags(plan_), nullptr) == 0) return;
  const std::string error = std::generic_category().message(errno);
  log_.Write(LogLevel::kWarning, fmt::format("{}: mounted with nosuid, nodev: {}", directory_, error));
}

void Mounted::Serve() {
  const std::unique_ptr<SessionLoop> loop = MakeSessionLoop(&server_, session_, LookOf(plan_));
  loop->Start(ThreadsOf(plan_));
  const sigset_t signals = EndSignals();
  const int signal = signalfd(-1, &signals, SFD_CLOEXEC);
  const std::chrono::milliseconds period = plan_.commit_period;
  const bool syncs = period.count() > 0 && !plan_.server.read_only;
  const int timeout = static_cast<int>((syncs ? period : kSpacePeriod).count());
  std::array<pollfd, 2> wait{{{signal, POLLIN, 0}, {loop->ended(), POLLIN, 0}}};
  while (true) {
    const int ready = poll(wait.data(), wait.size(), timeout);
    if (ready > 0 || (ready < 0 && errno != EINTR)) break;
    if (IsShort(server_.fs().Space())) server_.files().GiveUpIdleComparisons();
    if (!syncs) continue;
    if (const absl::Status synced = server_.fs().Sync(); !synced.ok()) log_.Error("sync", synced);
  }
  if (wait[1].revents == 0) Unmount();
  WaitFor(loop->ended(), kGraceMilliseconds);
  server_.cloner().Finish();
  loop->Stop();
  server_.files().Clear();
  close(signal);
}

void Mounted::Unmount() {
  if (const int root = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); root >= 0) {
    syncfs(root);
    close(root);
  }
  // libfuse's own way would close the connection before the kernel has written its last pages to it.
  if (!UnmountDirectory(directory_, {.lazily = true})) {
    log_.Write(LogLevel::kWarning, fmt::format("{}: not unmounted", directory_));
  }
}

}  // namespace betr::fuse
