// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/host_directory.h"

#include <fcntl.h>

#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// Few trees are deeper.
constexpr size_t kOpenLevels = 32;

}  // namespace

HostDirectory HostDirectory::Absent() {
  HostDirectory absent;
  absent.opened_ = ScopedFd();
  absent.is_absent_ = true;
  return absent;
}

absl::StatusOr<HostDirectory> HostDirectory::Enter(HostDirectory* above, const std::string& name,
                                                   const std::string& path) {
  HostDirectory entered;
  entered.above_ = above;
  entered.level_ = above->level_ + 1;
  BETR_ASSIGN_OR_RETURN(entered.opened_, OpenAt(above->get(), name, O_RDONLY | O_DIRECTORY, 0, path));
  if (fstat(entered.get(), &entered.attributes_) != 0) return HostError(path, "stat");
  if (above->level_ <= kOpenLevels) return entered;
  struct stat back {};
  const bool leads_back = fstatat(entered.get(), "..", &back, 0) == 0 && IdOf(back) == IdOf(above->attributes_);
  if (leads_back) above->opened_ = ScopedFd();
  return entered;
}

absl::Status HostDirectory::Leave(const std::string& path) {
  if (is_absent_ || above_->get() != ScopedFd().get()) return absl::OkStatus();
  absl::StatusOr<ScopedFd> back = OpenAt(get(), "..", O_RDONLY | O_DIRECTORY, 0, path);
  if (!back.ok()) return absl::AbortedError(back.status().message());
  struct stat there {};
  if (fstat(back->get(), &there) != 0) return HostError(path, "stat");
  if (IdOf(there) != IdOf(above_->attributes_)) return absl::AbortedError(path + ": was moved while it was copied");
  above_->opened_ = *std::move(back);
  return absl::OkStatus();
}

}  // namespace betr::fs
