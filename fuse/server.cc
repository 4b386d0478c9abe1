// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <algorithm>
#include <vector>

#include "cloner.h"
#include "libfuse.h"
#include "mount_table.h"
#include "operations.h"

namespace betr::fuse {
namespace {

timespec ToTimespec(const FileTime& time) {
  return {.tv_sec = time.seconds, .tv_nsec = static_cast<long>(time.nanoseconds)};
}

fuse_lowlevel_ops MakeOperations() {
  fuse_lowlevel_ops ops{};
  AddSessionOperations(&ops);
  AddNameOperations(&ops);
  AddAttributeOperations(&ops);
  AddXattrOperations(&ops);
  AddContentOperations(&ops);
  AddDirectoryOperations(&ops);
  AddIoctlOperations(&ops);
  AddVersionOperations(&ops);
  return ops;
}

}  // namespace

Server::Server(FileSystem* fs, Log* log, const ServerSettings& settings)
    : fs_(*fs),
      log_(*log),
      settings_(settings),
      generation_(static_cast<uint64_t>(fs->Now().seconds) * 1000000000 + fs->Now().nanoseconds) {}

Server::~Server() = default;

void Server::Attach(fuse_session* session, const std::string& directory) {
  session_ = session;
  for (const MountInfo& info : MountInfos()) {
    if (info.directory == directory) device_ = info.device;
  }
  cloner_ = std::make_unique<Cloner>(this, session);
}

void Server::Detach() { cloner_.reset(); }

bool Server::IsMadeReadOnly() const {
  // Not statvfs: that would ask us.
  const std::vector<MountInfo> infos = MountInfos();
  return std::any_of(infos.begin(), infos.end(),
                     [&](const MountInfo& info) { return info.device == device_ && info.read_only; });
}

bool Server::IsMountedWithin(std::string_view path) const { return fuse::IsMountedWithin(MountInfos(), device_, path); }

// The kernel drops attributes without waiting for anything.
void Server::OutdateAnswers(InodeId inode) {
  if (fs_.TakeTold(inode)) fuse_lowlevel_notify_inval_inode(session_, inode.value, -1, 0);
}

void Server::OutdateAnswers(InodeId directory, std::string_view name) {
  const std::optional<InodeId> inode = fs_.TakeTold(directory, name);
  if (inode) fuse_lowlevel_notify_inval_inode(session_, inode->value, -1, 0);
}

fuse_entry_param Server::ToParam(const Entry& entry) const {
  fuse_entry_param param{};
  param.ino = entry.inode.value;
  param.generation = generation_;
  param.attr = ToStat(entry.attributes);
  param.attr_timeout = kForever;
  param.entry_timeout = kForever;
  return param;
}

struct stat ToStat(const FileAttributes& attributes) {
  struct stat stat {};
  stat.st_ino = attributes.inode_number;
  stat.st_mode = attributes.mode();
  stat.st_nlink = attributes.links;
  stat.st_uid = attributes.uid;
  stat.st_gid = attributes.gid;
  stat.st_rdev = attributes.device;
  stat.st_size = static_cast<off_t>(attributes.size);
  stat.st_blksize = static_cast<blksize_t>(kFileBlock.value);
  stat.st_blocks = static_cast<blkcnt_t>(attributes.blocks);
  stat.st_atim = ToTimespec(attributes.accessed);
  stat.st_mtim = ToTimespec(attributes.modified);
  stat.st_ctim = ToTimespec(attributes.changed);
  return stat;
}

const fuse_lowlevel_ops& Operations() {
  static const fuse_lowlevel_ops operations = MakeOperations();
  return operations;
}

}  // namespace betr::fuse
