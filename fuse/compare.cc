// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "base/status.h"
#include "clone_rights.h"
#include "cloner.h"
#include "reply.h"

namespace betr::fuse {
namespace {

// Whoever runs this process has the image itself, whatever the permissions.
bool MayKnowAll(const Caller& caller) { return caller.IsRoot() || caller.uid == geteuid(); }

// For callers who may not know everything; called before anything is done for them.
absl::Status CheckIsOwn(FileSystem& fs, const Caller& caller, InodeId inode) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(inode));
  return CheckOwnAndReadable(caller, attributes);
}

// Checks what is compared as it was then, not what is there now. Otherwise whoever may move directories could put
// somebody else's tree there in between.
absl::Status CheckAllOwn(const Caller& caller, const DifferenceStream& differences) {
  return differences.VisitAll(
      [&](const FileAttributes& attributes) { return CheckOwnAndReadable(caller, attributes); });
}

// Begins a comparison. Requires: a thread that may wait for the kernel.
absl::Status Begin(Server& server, const Caller& caller, InodeId before, Handle* handle, uint64_t after) {
  BETR_ASSIGN_OR_RETURN(const InodeId other, server.files().FindSource(after));
  const bool may_know_all = MayKnowAll(caller);
  for (const InodeId inode : {before, other}) {
    if (!may_know_all) BETR_RETURN_IF_ERROR(CheckIsOwn(server.fs(), caller, inode));
  }
  server.cloner().WriteBack();
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<DifferenceStream> differences, server.fs().NewDifferences(before, other));
  if (!may_know_all) BETR_RETURN_IF_ERROR(CheckAllOwn(caller, *differences));
  return server.files().BeginComparison(handle, std::make_unique<Comparison>(std::move(differences), caller.uid));
}

}  // namespace

void Compare(fuse_req_t request, InodeId before, Handle* handle, uint64_t after) {
  Server& server = ServerOf(request);
  server.cloner().DoForIoctl(request, "compare", [&server, request, before, handle, after] {
    return Begin(server, CallerOf(request), before, handle, after);
  });
}

void TellDifferences(fuse_req_t request, Handle* handle) {
  const std::shared_ptr<Comparison> comparison = ServerOf(request).files().ComparisonOf(handle);
  if (comparison == nullptr) return ReplyStatus(request, ErrnoError(EINVAL, "no comparison"), "differences");
  betr_differences answer{};
  const absl::Status status = comparison->Tell(fuse_req_ctx(request)->uid, &answer);
  if (!status.ok()) return ReplyStatus(request, status, "differences");
  fuse_reply_ioctl(request, 0, &answer, sizeof answer);
}

}  // namespace betr::fuse
