// SPDX-License-Identifier: Apache-2.0
#include "c/fs_convert.h"

#include <optional>

#include "base/status.h"
#include "c/given.h"
#include "c/sized.h"

namespace betr::c {
namespace {

constexpr uint32_t kPermissions = 07777;
constexpr uint32_t kTypeBits = 0170000;
constexpr unsigned kAllChanges = (BETR_SET_BORN << 1) - 1;

betr_time Describe(FileTime time) { return {time.seconds, time.nanoseconds}; }

FileTime TimeOf(const betr_time& time) { return {time.seconds, time.nanoseconds}; }

}  // namespace

betr_attributes Describe(const FileAttributes& attributes) {
  betr_attributes fields = {};
  fields.struct_size = sizeof fields;
  fields.inode_number = attributes.inode_number;
  fields.mode = attributes.mode();
  fields.links = attributes.links;
  fields.uid = attributes.uid;
  fields.gid = attributes.gid;
  fields.device = attributes.device;
  fields.size = attributes.size;
  fields.blocks = attributes.blocks;
  fields.accessed = Describe(attributes.accessed);
  fields.modified = Describe(attributes.modified);
  fields.changed = Describe(attributes.changed);
  fields.born = Describe(attributes.born);
  return fields;
}

absl::StatusOr<NewFile> NewFileOf(const betr_new_file* given) {
  BETR_ASSIGN_OR_RETURN(const betr_new_file fields, ReadSized(given, "what"));
  NewFile file;
  if (fields.mode != 0) {
    const std::optional<FileType> type = TypeOfMode(fields.mode);
    if (!type.has_value() || (fields.mode & ~(kTypeBits | kPermissions)) != 0) {
      return absl::InvalidArgumentError("what.mode: is not of a file");
    }
    file.type = *type;
    file.permissions = fields.mode & kPermissions;
  }
  file.uid = fields.uid;
  file.gid = fields.gid;
  file.device = fields.device;
  file.target = StringOf(fields.target);
  return file;
}

absl::StatusOr<RootOptions> RootOptionsOf(const betr_root_options* given) {
  BETR_ASSIGN_OR_RETURN(const betr_root_options fields, ReadSized(given, "root"));
  RootOptions root;
  if (fields.permissions != 0) root.permissions = fields.permissions;
  root.uid = fields.uid;
  root.gid = fields.gid;
  return root;
}

absl::StatusOr<AttributeChange> ChangeOf(const betr_attributes* given, unsigned which) {
  if ((which & ~kAllChanges) != 0) return absl::InvalidArgumentError("which: has a bit that is not known");
  BETR_ASSIGN_OR_RETURN(const betr_attributes fields, ReadSized(given, "attributes"));
  AttributeChange change;
  if ((which & BETR_SET_PERMISSIONS) != 0) change.permissions = fields.mode & kPermissions;
  if ((which & BETR_SET_UID) != 0) change.uid = fields.uid;
  if ((which & BETR_SET_GID) != 0) change.gid = fields.gid;
  if ((which & BETR_SET_SIZE) != 0) change.size = fields.size;
  if ((which & BETR_SET_ACCESSED) != 0) change.accessed = TimeOf(fields.accessed);
  if ((which & BETR_SET_MODIFIED) != 0) change.modified = TimeOf(fields.modified);
  if ((which & BETR_SET_CHANGED) != 0) change.changed = TimeOf(fields.changed);
  if ((which & BETR_SET_BORN) != 0) change.born = TimeOf(fields.born);
  return change;
}

}  // namespace betr::c
