// SPDX-License-Identifier: Apache-2.0
#include "libfuse312/own_loop.h"

#include <fmt/format.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "base/check.h"
#include "libfuse312/privilege_marks.h"
#include "libfuse312/raw_requests.h"
#include "libfuse312/request_bytes.h"

namespace betr::fuse {
namespace {

constexpr int kWakeSignal = SIGUSR1;
constexpr std::chrono::milliseconds kWakePeriod{5};

// What is copied in a few microseconds.
constexpr uint32_t kQuickBytes = 32 << 10;
constexpr uint32_t kSyncFs = 50;  // FUSE_SYNCFS of newer headers

// Whether somebody else should take the next request meanwhile. What takes long for another reason, as looking up what
// is not in memory, the deputy sees (watch.h).
bool MayTakeLong(std::span<const char> request) {
  const auto header = Load<fuse_in_header>(request);
  if (request.size() < sizeof header) return false;
  const std::span<const char> body = request.subspan(sizeof header);
  switch (header.opcode) {
    case FUSE_READ:
      return Load<fuse_read_in>(body).size > kQuickBytes;
    case FUSE_WRITE:
      return Load<fuse_write_in>(body).size > kQuickBytes;
    case FUSE_FSYNC:
    case FUSE_FSYNCDIR:
    case kSyncFs:
    case FUSE_FALLOCATE:
    case FUSE_COPY_FILE_RANGE:
    case FUSE_IOCTL:
      return true;
    default:
      return false;
  }
}

// Only interrupts the read of a request.
void IgnoreWake(int) {}

}  // namespace

OwnLoop::OwnLoop(Server* server, fuse_session* session, std::chrono::microseconds look)
    : server_(*server), session_(session), ended_(eventfd(0, EFD_CLOEXEC)), watch_(fuse_session_fd(session), look) {
  Check(ended_ >= 0, "an eventfd can be had");
  struct sigaction action {};
  action.sa_handler = IgnoreWake;  // without SA_RESTART
  sigaction(kWakeSignal, &action, nullptr);
}

OwnLoop::~OwnLoop() {
  Stop();
  close(ended_);
}

void OwnLoop::Start(unsigned threads) {
  running_ = threads;
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

void OwnLoop::Run() {
  fuse_buf buffer{};
  // Of two processors the callers need the other one more than a second thread for quick requests does.
  const bool spare = std::thread::hardware_concurrency() > 2;
  while (fuse_session_exited(session_) == 0) {
    if (!watch_.Take()) break;
    watch_.Look();
    const int size = fuse_session_receive_buf(session_, &buffer);
    const std::span<const char> bytes(static_cast<const char*>(buffer.mem), static_cast<size_t>(std::max(size, 0)));
    watch_.Give(size <= 0 || MayTakeLong(bytes) || (spare && watch_.Pending()));
    if (size == -EINTR || size == -EAGAIN) continue;
    if (size < 0) {
      server_.log().Write(LogLevel::kError, fmt::format("receive: {}", std::generic_category().message(-size)));
    }
    if (size <= 0) break;
    Answer(&buffer, bytes);
  }
  std::free(buffer.mem);
  --running_;
  const uint64_t one = 1;
  Check(write(ended_, &one, sizeof one) == sizeof one, "an eventfd counts");
}

void OwnLoop::Answer(fuse_buf* buffer, std::span<const char> request) {
  SeeOffer(request);
  const bool is_allowed = !IsOfStranger(request);
  const absl::Status dropped = is_allowed ? DropMarkedPrivileges(server_.fs(), session_, request) : absl::OkStatus();
  if (!dropped.ok()) return AnswerRawError(server_, session_, request, dropped);
  if (!AnswerRawRequest(server_, session_, request, is_allowed)) fuse_session_process_buf(session_, buffer);
}

bool OwnLoop::IsOfStranger(std::span<const char> request) const {
  if (!server_.settings().mounter_and_root_only) return false;
  const auto header = Load<fuse_in_header>(request);
  // Who has been given an open file may write to it.
  return header.uid != 0 && header.uid != getuid() && header.opcode != FUSE_WRITE;
}

void OwnLoop::Stop() {
  fuse_session_exit(session_);
  watch_.Close();
  // A signal may come just before the thread begins to wait, so it comes again.
  while (running_ > 0) {
    for (std::thread& thread : threads_) pthread_kill(thread.native_handle(), kWakeSignal);
    std::this_thread::sleep_for(kWakePeriod);
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace betr::fuse
