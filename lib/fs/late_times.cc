// SPDX-License-Identifier: Apache-2.0
#include "fs/late_times.h"

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "fs/content.h"
#include "fs/filesystem_impl.h"
#include "fs/names.h"

namespace betr::fs {
namespace {

absl::Status SetTimes(Core& core, Inode& inode, FileTime modified, FileTime changed) {
  return Repeated([&] { return SetAttributes(core, inode, {.modified = modified, .changed = changed}); });
}

// Files that have the present time for as long as this lives.
class ChangedNow {
 public:
  explicit ChangedNow(Core* core) : core_(*core) {}
  ~ChangedNow() {
    // Where this fails, the times are later than the change.
    for (const Before& file : files_) {
      SetTimes(core_, *file.inode, file.modified, file.changed).IgnoreError();
      file.inode->times_are_late = true;
    }
  }
  ChangedNow(const ChangedNow&) = delete;
  ChangedNow& operator=(const ChangedNow&) = delete;

  absl::Status Add(Inode* inode) {
    const Before before{inode, inode->record.modified, inode->record.changed};
    const FileTime now = core_.Now();
    BETR_RETURN_IF_ERROR(SetTimes(core_, *inode, now, now));
    files_.push_back(before);
    return absl::OkStatus();
  }

 private:
  struct Before {
    Inode* inode;
    FileTime modified;
    FileTime changed;
  };
  Core& core_;
  std::vector<Before> files_;
};

}  // namespace

absl::StatusOr<Entry> CloneWithLateTimes(FileSystem* fs, const std::vector<InodeId>& files, InodeId source,
                                         InodeId parent, std::string_view name, const SeenOwner* seen) {
  FsSession session(fs->impl());
  Core& core = session.core();
  if (seen != nullptr && seen->arrivals != core.arrivals(seen->owner)) return ErrnoError(EAGAIN, name);
  BETR_ASSIGN_OR_RETURN(Inode* const inode, session.Find(source));
  BETR_ASSIGN_OR_RETURN(Inode* const directory, session.Find(parent));
  ChangedNow changed(&core);
  for (const InodeId file : files) {
    Inode* const late = core.inodes().Find(file);
    const bool may_be_in = late == inode || inode->IsDirectory();
    const bool is_late = late != nullptr && late->times_are_late && late->place != InodePlace::kGone;
    if (may_be_in && is_late) BETR_RETURN_IF_ERROR(changed.Add(late));
  }
  BETR_ASSIGN_OR_RETURN(Inode* const clone, Repeated([&] { return Clone(core, *inode, *directory, name); }));
  return session.Refer(clone);
}

}  // namespace betr::fs
