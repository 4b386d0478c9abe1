// SPDX-License-Identifier: Apache-2.0
// The calls of betr/mount_ioctl.h, and that of fstrim. Every other ioctl gets ENOTTY, without taking a lock: programs
// ask of each file that they open whether it is a terminal.
#include <linux/fs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/mount_ioctl.h"
#include "clone_rights.h"
#include "cloner.h"
#include "compare.h"
#include "mount_stats.h"
#include "operations.h"
#include "remove_tree.h"
#include "reply.h"
#include "served_image.h"

namespace betr::fuse {
namespace {

// Returns the argument of an ioctl, or answers EINVAL and returns nothing.
template <typename T>
std::optional<T> Argument(fuse_req_t request, const void* in, size_t in_size) {
  T wanted{};
  if (in_size == sizeof wanted) {
    std::memcpy(&wanted, in, sizeof wanted);
    if (wanted.flags == 0 && wanted.reserved == 0) return wanted;
  }
  fuse_reply_err(request, EINVAL);
  return std::nullopt;
}

// Returns the name in a field; nothing if it is not terminated.
template <size_t kSize>
std::optional<std::string> NameIn(const char (&field)[kSize]) {
  const size_t size = strnlen(field, kSize);
  return size < kSize ? std::optional(std::string(field, size)) : std::nullopt;
}

void Clone(fuse_req_t request, fuse_ino_t directory, const void* in, size_t in_size) {
  const auto wanted = Argument<betr_clone>(request, in, in_size);
  if (!wanted) return;
  const std::optional<std::string> name = NameIn(wanted->name);
  if (!name) return ReplyStatus(request, ErrnoError(EINVAL, "name"), "clone");
  ServerOf(request).cloner().CloneTo(request, {wanted->source, ""}, ToInode(directory), *name);
}

void CloneEntry(fuse_req_t request, fuse_ino_t directory, const void* in, size_t in_size) {
  const auto wanted = Argument<betr_clone_entry>(request, in, in_size);
  if (!wanted) return;
  const std::optional<std::string> entry = NameIn(wanted->entry);
  const std::optional<std::string> name = NameIn(wanted->name);
  if (!entry || entry->empty() || !name) return ReplyStatus(request, ErrnoError(EINVAL, "name"), "clone");
  ServerOf(request).cloner().CloneTo(request, {wanted->directory, *entry}, ToInode(directory), *name);
}

void Remove(fuse_req_t request, fuse_ino_t directory, const void* in, size_t in_size) {
  const auto wanted = Argument<betr_remove>(request, in, in_size);
  if (!wanted) return;
  const std::optional<std::string> name = NameIn(wanted->name);
  if (!name) return ReplyStatus(request, ErrnoError(EINVAL, "name"), "remove");
  RemoveTree(request, ToInode(directory), *name);
}

void TellFootprint(fuse_req_t request, const void* in, size_t in_size) {
  auto wanted = Argument<betr_footprint>(request, in, in_size);
  if (!wanted) return;
  if (wanted->count < 1 || wanted->count > BETR_FOOTPRINT_SOURCES) {
    return ReplyStatus(request, ErrnoError(EINVAL, "count"), "footprint");
  }
  std::vector<InodeId> inodes;
  for (size_t i = 0; i < wanted->count; ++i) {
    const absl::StatusOr<InodeId> inode = ServerOf(request).files().FindSource(wanted->sources[i]);
    if (!inode.ok()) return ReplyStatus(request, inode.status(), "footprint");
    inodes.push_back(*inode);
  }
  const absl::StatusOr<Footprint> footprint = ServerOf(request).fs().FootprintOf(inodes);
  if (!footprint.ok()) return ReplyStatus(request, footprint.status(), "footprint");
  wanted->stored = footprint->stored.value;
  wanted->exclusive = footprint->exclusive.value;
  fuse_reply_ioctl(request, 0, &*wanted, sizeof *wanted);
}

void BeginComparison(fuse_req_t request, fuse_ino_t before, Handle* handle, const void* in, size_t in_size) {
  const auto wanted = Argument<betr_compare>(request, in, in_size);
  if (wanted) Compare(request, ToInode(before), handle, wanted->after);
}

// Serves fstrim(8). Its positions are those of the image.
void Trim(fuse_req_t request, const void* in, size_t in_size) {
  fstrim_range wanted{};
  if (in_size != sizeof wanted) return ReplyStatus(request, ErrnoError(EINVAL, "range"), "trim");
  std::memcpy(&wanted, in, sizeof wanted);
  const uint32_t caller = CallerOf(request).uid;
  if (caller != 0 && caller != geteuid()) return ReplyStatus(request, ErrnoError(EPERM, "somebody else's"), "trim");
  Server& server = ServerOf(request);
  if (server.IsMadeReadOnly()) return ReplyStatus(request, ErrnoError(EROFS, "made read-only"), "trim");
  const uint64_t end = wanted.start + std::min(wanted.len, UINT64_MAX - wanted.start);
  const absl::StatusOr<Bytes> trimmed = server.fs().store().Trim({{wanted.start}, {end}, {wanted.minlen}});
  if (!trimmed.ok()) return ReplyStatus(request, trimmed.status(), "trim");
  wanted.len = trimmed->value;
  fuse_reply_ioctl(request, 0, &wanted, sizeof wanted);
}

// Answers with a text. The rest stays zeros, so that the text is terminated.
template <class Answer, size_t kSize>
void ReplyText(fuse_req_t request, std::string_view text, char (Answer::*field)[kSize]) {
  Answer answer{};
  if (text.size() >= kSize) {
    fuse_reply_err(request, EOVERFLOW);
    return;
  }
  text.copy(answer.*field, text.size());
  fuse_reply_ioctl(request, 0, &answer, sizeof answer);
}

void Stats(fuse_req_t request) { ReplyText(request, MountStatsJson(ServerOf(request)).dump(), &betr_stats::json); }

void Image(fuse_req_t request) { ReplyText(request, ServerOf(request).settings().image, &betr_image::path); }

void ServerProcess(fuse_req_t request) {
  const betr_server server = ThisServer();
  fuse_reply_ioctl(request, 0, &server, sizeof server);
}

void Ioctl(fuse_req_t request, fuse_ino_t node, unsigned command, void*, fuse_file_info* info, unsigned, const void* in,
           size_t in_size, size_t out_size) {
  if (command == BETR_IOC_SOURCE && out_size >= sizeof(uint64_t)) {
    const uint64_t source = ServerOf(request).files().SourceOf(HandleOf(info));
    fuse_reply_ioctl(request, 0, &source, sizeof source);
  } else if (command == BETR_IOC_CLONE) {
    Clone(request, node, in, in_size);
  } else if (command == BETR_IOC_CLONE_ENTRY) {
    CloneEntry(request, node, in, in_size);
  } else if (command == BETR_IOC_REMOVE) {
    Remove(request, node, in, in_size);
  } else if (command == BETR_IOC_FOOTPRINT && out_size >= sizeof(betr_footprint)) {
    TellFootprint(request, in, in_size);
  } else if (command == BETR_IOC_COMPARE) {
    BeginComparison(request, node, HandleOf(info), in, in_size);
  } else if (command == BETR_IOC_DIFFERENCES && out_size >= sizeof(betr_differences)) {
    TellDifferences(request, HandleOf(info));
  } else if (command == FITRIM && out_size >= sizeof(fstrim_range)) {
    Trim(request, in, in_size);
  } else if (command == BETR_IOC_STATS && out_size >= sizeof(betr_stats)) {
    Stats(request);
  } else if (command == BETR_IOC_IMAGE && out_size >= sizeof(betr_image)) {
    Image(request);
  } else if (command == BETR_IOC_SERVER && out_size >= sizeof(betr_server)) {
    ServerProcess(request);
  } else {
    fuse_reply_err(request, ENOTTY);
  }
}

}  // namespace

void AddIoctlOperations(fuse_lowlevel_ops* ops) { ops->ioctl = Ioctl; }

}  // namespace betr::fuse
