// SPDX-License-Identifier: Apache-2.0
// Listing directories.
#include <vector>

#include "operations.h"
#include "reply.h"

namespace betr::fuse {
namespace {

// The least space that an entry with attributes takes in an answer. It tells how many entries are worth looking up.
constexpr size_t kSmallestEntry = 160;

void OpenDirectory(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
  Server& server = ServerOf(request);
  auto stream = std::make_unique<DirectoryStream>(&server.fs(), ToInode(node));
  info->fh = reinterpret_cast<uint64_t>(server.files().Add(ToInode(node), false, std::move(stream)));
  // No cache_readdir. When the kernel loses its copy, it would go on with positions of another handle's stream.
  if (fuse_reply_open(request, info) != 0) server.files().Remove(HandleOf(info));
}

void ReleaseDirectory(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  ServerOf(request).files().Remove(HandleOf(info));
  fuse_reply_err(request, 0);
}

// Answers with the entries collected, or with the error if there are none.
void ReplyListing(fuse_req_t request, const std::vector<char>& buffer, size_t used, const absl::Status& status) {
  if (!status.ok() && used == 0) return ReplyStatus(request, status, "readdir");
  fuse_reply_buf(request, buffer.data(), used);
}

void ReadPlain(fuse_req_t request, fuse_ino_t, size_t size, off_t position, fuse_file_info* info) {
  std::vector<char> buffer(size);
  size_t used = 0;
  const absl::Status status =
      HandleOf(info)->stream->Read(static_cast<uint64_t>(position), [&](const DirectoryStream::Item& item) {
        const struct stat stat = ToStat(item.attributes);
        const size_t needed = fuse_add_direntry(request, buffer.data() + used, size - used,
                                                std::string(item.name).c_str(), &stat, static_cast<off_t>(item.next));
        if (needed > size - used) return false;
        used += needed;
        return true;
      });
  ReplyListing(request, buffer, used, status);
}

void ReadPlus(fuse_req_t request, fuse_ino_t, size_t size, off_t position, fuse_file_info* info) {
  Server& server = ServerOf(request);
  std::vector<char> buffer(size);
  std::vector<InodeId> referred;
  size_t used = 0;
  const auto add = [&](const DirectoryStream::ReferredItem& item) {
    const fuse_entry_param param = server.ToParam(item.entry);
    const size_t needed = fuse_add_direntry_plus(request, buffer.data() + used, size - used,
                                                 std::string(item.name).c_str(), &param, static_cast<off_t>(item.next));
    if (needed > size - used) return false;
    used += needed;
    referred.push_back(item.entry.inode);
    return true;
  };
  const absl::Status status =
      HandleOf(info)->stream->ReadReferred(static_cast<uint64_t>(position), (size / kSmallestEntry) + 1, add);
  if (!status.ok() && used == 0) return ReplyStatus(request, status, "readdir");
  if (fuse_reply_buf(request, buffer.data(), used) == 0) return;
  for (const InodeId inode : referred) server.fs().Forget(inode);
}

}  // namespace

void AddDirectoryOperations(fuse_lowlevel_ops* ops) {
  ops->opendir = OpenDirectory;
  ops->releasedir = ReleaseDirectory;
  ops->readdir = ReadPlain;
  ops->readdirplus = ReadPlus;
}

}  // namespace betr::fuse
