// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/status.h"
#include "betr/path_filesystem.h"
#include "betr/store.h"
#include "fs/filesystem_impl.h"
#include "fs/key.h"
#include "fs/transfer/tree_copy.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

// Of everything in "data" at and below an inode. Links whose home is above are left out.
absl::StatusOr<RangeEstimate> EstimateData(FileSystem* fs, InodeId id) {
  FsSession session(fs->impl());
  Core& core = session.core();
  BETR_ASSIGN_OR_RETURN(const Inode* const inode, session.Find(id));
  std::vector<std::string> prefixes;
  if (inode->IsDirectory()) {
    BETR_ASSIGN_OR_RETURN(prefixes, ContentsBelow(core, *inode));
  } else {
    prefixes.push_back(key::Attachments(core.ObjectOf(*inode)));
  }
  RangeEstimate sum;
  for (const std::string& prefix : prefixes) {
    BETR_ASSIGN_OR_RETURN(const RangeEstimate estimate, core.store().Estimate(core.data(), Range::Prefix(prefix)));
    sum.keys += estimate.keys;
    sum.bytes += estimate.bytes;
  }
  return sum;
}

}  // namespace

absl::StatusOr<Bytes> EstimateTree(FileSystem* fs, const std::string& inside) {
  BETR_ASSIGN_OR_RETURN(const OpenFile top, PathFileSystem(fs).Open(inside));
  BETR_ASSIGN_OR_RETURN(const RangeEstimate data, EstimateData(fs, top.inode()));
  // The bytes are those of the keys, too.
  return std::min(data.bytes, kFileBlock * data.keys);
}

}  // namespace betr::fs
