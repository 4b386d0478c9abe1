// SPDX-License-Identifier: Apache-2.0
// FileSystem::FootprintOf: which keys a file is, and a directory with everything below.
#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <utility>

#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/filesystem_impl.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/zones.h"

namespace betr {
namespace {

// Directories that are below others of them are left out.
std::vector<fs::Inode*> TopsOf(const std::vector<fs::Inode*>& inodes) {
  std::vector<fs::Inode*> tops;
  for (fs::Inode* const inode : inodes) {
    const auto holds = [&](const fs::Inode* other) { return other != inode && fs::IsBelow(*inode, *other); };
    if (inode->IsDirectory() && std::ranges::none_of(inodes, holds)) tops.push_back(inode);
  }
  std::ranges::sort(tops);
  const auto repeated = std::ranges::unique(tops);
  tops.erase(repeated.begin(), repeated.end());
  return tops;
}

// The prefixes of all keys of some inodes, but for those that files with several names have in link homes above.
absl::StatusOr<std::vector<TreePrefix>> OwnPrefixes(fs::Core& core, const std::vector<fs::Inode*>& inodes) {
  std::vector<TreePrefix> prefixes;
  for (const fs::Inode* inode : inodes) {
    // The record itself, which lies in its directory, is left out.
    prefixes.push_back({core.data(), fs::key::Attachments(core.ObjectOf(*inode))});
    if (!inode->IsDirectory()) continue;
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> contents, fs::ContentsBelow(core, *inode));
    for (const std::string& content : contents) {
      prefixes.push_back({core.meta(), content});
      prefixes.push_back({core.data(), content});
    }
  }
  return prefixes;
}

// Adds those of the files in homes above whose names are all below some directories, none of which is below another.
absl::Status AddLinked(fs::Core& core, const std::vector<fs::Inode*>& directories, std::vector<TreePrefix>& prefixes) {
  std::map<std::pair<fs::Inode*, uint64_t>, uint32_t> names;
  for (fs::Inode* const directory : directories) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> contents, fs::ContentsBelow(core, *directory));
    for (fs::Inode* home = core.HomeAbove(*directory); home != nullptr; home = core.HomeAbove(*home)) {
      for (const std::string& content : contents) {
        BETR_ASSIGN_OR_RETURN(const std::vector<fs::GroupMember> members,
                              fs::MembersBelow(core, *home, content, std::numeric_limits<size_t>::max()));
        for (const fs::GroupMember& member : members) ++names[{home, member.id}];
      }
    }
  }
  for (const auto& [group, count] : names) {
    BETR_ASSIGN_OR_RETURN(const fs::Inode* const found, core.FindGroup(*group.first, group.second));
    if (count < found->record.links) continue;
    prefixes.push_back({core.data(), fs::key::Attachments(core.ObjectOf(*found))});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Footprint> FileSystem::FootprintOf(const std::vector<InodeId>& inodes) {
  if (!store().ReadOnly() && Flush().ok()) store().Checkpoint().IgnoreError();
  std::vector<TreePrefix> prefixes;
  std::shared_ptr<const ReadView> view;
  {
    FsSession session(*impl_);
    std::vector<fs::Inode*> found;
    for (const InodeId id : inodes) {
      BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
      if (inode->place == fs::InodePlace::kGone) {
        return ErrnoError(inode->IsDirectory() ? ENOENT : ESTALE, "what was removed");
      }
      found.push_back(inode);
    }
    BETR_ASSIGN_OR_RETURN(prefixes, OwnPrefixes(session.core(), found));
    BETR_RETURN_IF_ERROR(AddLinked(session.core(), TopsOf(found), prefixes));
    view = store().Pin();
  }
  return store().FootprintOf(*view, prefixes);
}

}  // namespace betr
