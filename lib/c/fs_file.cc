// SPDX-License-Identifier: Apache-2.0
// Open files: their content, attributes and extended attributes.
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "betr/fs_error.h"
#include "c/answer.h"
#include "c/fs_convert.h"
#include "c/fs_handles.h"
#include "c/returned.h"
#include "c/sized.h"
#include "fs/write_all.h"

namespace betr::c {
namespace {

constexpr unsigned kOpenFlags = BETR_OPEN_CREATE | BETR_OPEN_EXCLUSIVE | BETR_OPEN_TRUNCATE;

absl::StatusOr<OpenFile> OpenOrCreate(PathFileSystem paths, const char* path, unsigned flags, const NewFile& what) {
  const bool is_exclusive = (flags & BETR_OPEN_EXCLUSIVE) != 0;
  for (;;) {
    if (!is_exclusive) {
      absl::StatusOr<OpenFile> found = paths.Open(path);
      if (found.ok() || ToErrno(found.status()) != ENOENT || (flags & BETR_OPEN_CREATE) == 0) return found;
    }
    absl::StatusOr<OpenFile> made = paths.Create(path, what);
    if (is_exclusive || made.ok() || ToErrno(made.status()) != EEXIST) return made;
  }
}

absl::Status Empty(FileSystem& fs, const OpenFile& file) {
  AttributeChange change;
  change.size = 0;
  return fs.SetAttributes(file.inode(), change).status();
}

absl::StatusOr<XattrMode> XattrModeOf(int mode) {
  if (mode == BETR_XATTR_ANY) return XattrMode::kAny;
  if (mode == BETR_XATTR_CREATE) return XattrMode::kCreate;
  if (mode == BETR_XATTR_REPLACE) return XattrMode::kReplace;
  return absl::InvalidArgumentError("mode: is none of BETR_XATTR_ANY, _CREATE and _REPLACE");
}

template <class T, class Result>
absl::Status Return(const absl::StatusOr<T>& found, Result* result) {
  if (found.ok() && result != nullptr) *result = *found;
  return found.status();
}

}  // namespace

extern "C" {

betr_code betr_fs_open(betr_fs* fs, const char* path, unsigned flags, const betr_new_file* what, betr_file** file) {
  Clear(file);
  return Answer({FaultOfHandle(fs), FaultOf(path, "path"), FaultOf(file, "file")}, [&]() -> absl::Status {
    const bool is_exclusive = (flags & BETR_OPEN_EXCLUSIVE) != 0;
    if ((flags & ~kOpenFlags) != 0) return absl::InvalidArgumentError("flags: has a bit that is not known");
    if (is_exclusive && (flags & BETR_OPEN_CREATE) == 0) {
      return absl::InvalidArgumentError("flags: BETR_OPEN_EXCLUSIVE goes with BETR_OPEN_CREATE");
    }
    BETR_ASSIGN_OR_RETURN(const NewFile fresh, NewFileOf(what));
    if ((flags & BETR_OPEN_TRUNCATE) != 0 && fresh.type != FileType::kRegular) {
      return absl::InvalidArgumentError("flags: BETR_OPEN_TRUNCATE goes with regular files");
    }
    BETR_ASSIGN_OR_RETURN(OpenFile open, OpenOrCreate(fs->Paths(), path, flags, fresh));
    if ((flags & BETR_OPEN_TRUNCATE) != 0) BETR_RETURN_IF_ERROR(Annotate(Empty(*fs->fs, open), path));
    *file = new betr_file{fs->fs, std::move(open)};
    return absl::OkStatus();
  });
}

void betr_file_free(betr_file* file) { delete file; }

betr_code betr_file_stat(betr_file* file, betr_attributes* attributes) {
  ClearSized(attributes);
  return Answer({FaultOfHandle(file), FaultOf(attributes, "attributes")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FileAttributes found, file->fs->GetAttributes(file->open.inode()));
    return WriteSized(Describe(found), attributes, "attributes");
  });
}

betr_code betr_file_change(betr_file* file, const betr_attributes* attributes, unsigned which) {
  return Answer({FaultOfHandle(file), FaultOf(attributes, "attributes")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const AttributeChange change, ChangeOf(attributes, which));
    return file->fs->SetAttributes(file->open.inode(), change).status();
  });
}

betr_code betr_file_read(betr_file* file, uint64_t offset, void* buffer, size_t size, size_t* done) {
  Clear(done);
  return Answer({FaultOfHandle(file), FaultOf(buffer, size, "buffer"), FaultOf(done, "done")}, [&] {
    return Return(file->fs->Read(file->open.inode(), offset, {static_cast<char*>(buffer), size}), done);
  });
}

betr_code betr_file_write(betr_file* file, uint64_t offset, const void* data, size_t size) {
  return Answer({FaultOfHandle(file), FaultOf(data, size, "data")},
                [&] { return fs::WriteAll(file->fs.get(), file->open.inode(), offset, BytesOf(data, size)); });
}

betr_code betr_file_append(betr_file* file, const void* data, size_t size, uint64_t* offset) {
  Clear(offset);
  return Answer({FaultOfHandle(file), FaultOf(data, size, "data")},
                [&] { return Return(file->fs->Append(file->open.inode(), BytesOf(data, size)), offset); });
}

betr_code betr_file_allocate(betr_file* file, int flags, uint64_t offset, uint64_t size) {
  return Answer({FaultOfHandle(file)}, [&]() -> absl::Status {
    const std::optional<AllocateMode> mode = AllocateModeOf(flags);
    if (!mode.has_value()) return ErrnoError(EOPNOTSUPP, "flags");
    return file->fs->Allocate(file->open.inode(), *mode, offset, size);
  });
}

betr_code betr_file_seek_data(betr_file* file, uint64_t offset, uint64_t* found) {
  Clear(found);
  return Answer({FaultOfHandle(file), FaultOf(found, "found")},
                [&] { return Return(file->fs->SeekData(file->open.inode(), offset), found); });
}

betr_code betr_file_seek_hole(betr_file* file, uint64_t offset, uint64_t* found) {
  Clear(found);
  return Answer({FaultOfHandle(file), FaultOf(found, "found")},
                [&] { return Return(file->fs->SeekHole(file->open.inode(), offset), found); });
}

betr_code betr_file_copy_range(betr_file* from, uint64_t from_offset, betr_file* to, uint64_t to_offset, uint64_t size,
                               uint64_t* copied) {
  Clear(copied);
  return Answer({FaultOf(from, "from"), FaultOf(to, "to"), FaultOf(copied, "copied")}, [&]() -> absl::Status {
    if (from->fs != to->fs) return ErrnoError(EXDEV, "files of two file systems");
    return Return(from->fs->CopyRange(from->open.inode(), from_offset, to->open.inode(), to_offset, size), copied);
  });
}

betr_code betr_file_sync(betr_file* file) {
  return Answer({FaultOfHandle(file)}, [&] { return file->fs->SyncFile(file->open.inode()); });
}

betr_code betr_file_read_link(betr_file* file, char** target) {
  Clear(target);
  return Answer({FaultOfHandle(file), FaultOf(target, "target")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const std::string found, file->fs->ReadLink(file->open.inode()));
    *target = CopyOf(found);
    return absl::OkStatus();
  });
}

betr_code betr_file_set_xattr(betr_file* file, const char* name, const void* value, size_t value_size, int mode) {
  return Answer({FaultOfHandle(file), FaultOf(name, "name"), FaultOf(value, value_size, "value")},
                [&]() -> absl::Status {
                  BETR_ASSIGN_OR_RETURN(const XattrMode how, XattrModeOf(mode));
                  return file->fs->SetXattr(file->open.inode(), name, BytesOf(value, value_size), how);
                });
}

betr_code betr_file_get_xattr(betr_file* file, const char* name, void** value, size_t* value_size) {
  Clear(value, value_size);
  return Answer(
      {FaultOfHandle(file), FaultOf(name, "name"), FaultOf(value, "value"), FaultOf(value_size, "value_size")},
      [&]() -> absl::Status {
        BETR_ASSIGN_OR_RETURN(const std::string found, file->fs->GetXattr(file->open.inode(), name));
        *value = CopyOf(found, value_size);
        return absl::OkStatus();
      });
}

betr_code betr_file_remove_xattr(betr_file* file, const char* name) {
  return Answer({FaultOfHandle(file), FaultOf(name, "name")},
                [&] { return file->fs->RemoveXattr(file->open.inode(), name); });
}

betr_code betr_file_for_each_xattr(betr_file* file, void (*visit)(void* user, const char* name), void* user) {
  return Answer({FaultOfHandle(file), FaultOf(visit, "visit")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, file->fs->ListXattrs(file->open.inode()));
    for (const std::string& name : names) visit(user, name.c_str());
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace betr::c
