// SPDX-License-Identifier: Apache-2.0
// The file system in C11, for programs in C and for bindings of other languages: images of mkfs.betr, read and written
// without a mount. betr_fs_x and betr_file_x are what PathFileSystem (betr/path_filesystem.h) and FileSystem
// (betr/filesystem.h) do, which tell more of durability, limits and cost; docs/embedding.md has an example. Bytes,
// ownership, threads, the ABI and structs with a `struct_size` are as betr/c.h says.
//
// Paths are strings of any bytes: names joined by slashes, from the root whether or not they begin with one; "" and "/"
// are the root. Symbolic links are not followed: where one is on the way, that is ENOTDIR. Nobody's permissions are
// looked at.
//
// Errors. As in betr/c.h; and betr_error_errno() is the errno of Linux that the system call of that kind would set:
// ENOENT, EEXIST, ENOTEMPTY, ENOSPC, EUCLEAN for damage, ...
//
// Durability. What was changed survives a crash after a betr_fs_sync, or a betr_file_sync of any file, that began later
// and returned ok. Content is gathered in memory before that: call one of them every few seconds, as a kernel would.
//
// Threads. A file system and what is open in it may be used by any number of threads at once, until betr_fs_close.
#pragma once

#include "betr/c.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the last call in this thread that failed, any of the library's: never 0.
int betr_error_errno(void);

typedef struct betr_fs betr_fs;
typedef struct betr_file betr_file;  // a file, directory, symbolic link or anything else that is open

// --- images --------------------------------------------------------------------------------------------------

// The root directory of a new file system, made now.
typedef struct betr_root_options {
  size_t struct_size;
  uint32_t permissions;  // 0: 0755
  uint32_t uid;
  uint32_t gid;
} betr_root_options;

// As betr_create_image and betr_format_image, with a file system; options may be null.
betr_code betr_fs_create_image(const char* path, uint64_t size, const betr_format_options* options,
                               const betr_root_options* root);
betr_code betr_fs_format_image(const char* path, const betr_format_options* options, const betr_root_options* root,
                               int existing);
// As betr_open_image; BETR_INVALID_ARGUMENT if there is no file system in it. The upsert functions 16 and 17 are its.
betr_code betr_fs_open_image(const char* path, const betr_open_options* options, betr_fs** fs);
// All that was written is durable, and the image in good order, when it returns ok. Nothing else is under way. What is
// open may still be freed; other calls fail, or read.
betr_code betr_fs_close(betr_fs* fs);
// Without betr_fs_close, what was not made durable may be lost. What is open keeps the file system alive.
void betr_fs_free(betr_fs* fs);

// What was written before this call is durable when it returns ok.
betr_code betr_fs_sync(betr_fs* fs);
// The store below: for betr_space, betr_trim, betr_for_each_stat and what else does not change its trees; freed by
// betr_store_free, not closed.
betr_code betr_fs_get_store(betr_fs* fs, betr_store** store);

typedef struct betr_fs_space_stats {
  size_t struct_size;
  uint64_t total;      // bytes, as the next two
  uint64_t free;       // not in use
  uint64_t available;  // what files may be written: FileSystemSpace says which
} betr_fs_space_stats;
betr_code betr_fs_space(betr_fs* fs, betr_fs_space_stats* space);

// --- names ---------------------------------------------------------------------------------------------------

// Since 1970-01-01 00:00 UTC; nanoseconds below 10^9, also before.
typedef struct betr_time {
  int64_t seconds;
  uint32_t nanoseconds;
} betr_time;

// What stat(2) says: FileAttributes.
typedef struct betr_attributes {
  size_t struct_size;
  uint64_t inode_number;
  uint32_t mode;  // type and permissions, as st_mode
  uint32_t links;
  uint32_t uid;
  uint32_t gid;
  uint64_t device;  // st_rdev
  uint64_t size;    // bytes
  uint64_t blocks;  // of 512 bytes
  betr_time accessed;
  betr_time modified;
  betr_time changed;
  betr_time born;
} betr_attributes;
betr_code betr_fs_stat(betr_fs* fs, const char* path, betr_attributes* attributes);

// What is to be made; null is a regular file of user 0 with permissions 0644.
typedef struct betr_new_file {
  size_t struct_size;
  uint32_t mode;  // type and permissions; 0: a regular file with 0644. No umask is applied
  uint32_t uid;
  uint32_t gid;
  uint64_t device;     // of a device, as st_rdev
  const char* target;  // of a symbolic link
} betr_new_file;
// A file of any type, EEXIST if the name is taken.
betr_code betr_fs_make(betr_fs* fs, const char* path, const betr_new_file* what);
// A directory, and those above it that are missing; ok if it is there.
betr_code betr_fs_make_directories(betr_fs* fs, const char* path, uint32_t permissions);
// A further name.
betr_code betr_fs_link(betr_fs* fs, const char* from, const char* to);
betr_code betr_fs_unlink(betr_fs* fs, const char* path);
betr_code betr_fs_remove_directory(betr_fs* fs, const char* path);
// With everything below: O(height) nodes, whatever that is.
betr_code betr_fs_remove_tree(betr_fs* fs, const char* path);
// What betr_fs_rename does with what there is at `to`.
enum {
  BETR_RENAME_REPLACE = 0,     // it goes, if POSIX allows it
  BETR_RENAME_NO_REPLACE = 1,  // EEXIST
  BETR_RENAME_EXCHANGE = 2,    // it gets the other name
};
betr_code betr_fs_rename(betr_fs* fs, const char* from, const char* to, int mode);
// A copy of a file, or of a directory with everything below, as of now: O(height) nodes, whatever that is.
betr_code betr_fs_clone(betr_fs* fs, const char* from, const char* to);

// Visits the names of a directory in memcmp order, those behind `after` (null: all), until `visit` returns false. Name
// and attributes are valid during the visit; it may call the file system.
betr_code betr_fs_for_each_name(betr_fs* fs, const char* path, const char* after,
                                bool (*visit)(void* user, const char* name, const betr_attributes* attributes),
                                void* user);

// How a name in one of two trees differs from that in the other, as FindDifferences tells it; valid during the visit.
typedef struct betr_name_difference {
  size_t struct_size;
  const char* path;               // below the two; "" for themselves
  const betr_attributes* before;  // null: it is not there. Without the inode number
  const betr_attributes* after;
  bool content;  // where both are there, and of one type
  bool xattrs;
} betr_name_difference;
// Until `visit` returns false. What a clone shares with its source is not looked at.
betr_code betr_fs_for_each_difference(betr_fs* fs, const char* before, const char* after,
                                      bool (*visit)(void* user, const betr_name_difference* difference), void* user);

// The space that what has these paths takes together, everything below included.
betr_code betr_fs_footprint_of(betr_fs* fs, const char* const* paths, size_t count, betr_footprint_stats* footprint);

// --- files ---------------------------------------------------------------------------------------------------

// Flags of betr_fs_open.
enum {
  BETR_OPEN_CREATE = 1 << 0,     // what is missing is made
  BETR_OPEN_EXCLUSIVE = 1 << 1,  // with BETR_OPEN_CREATE: EEXIST if there is something
  BETR_OPEN_TRUNCATE = 1 << 2,   // a regular file is emptied
};
// Whatever has the name is opened, a symbolic link itself. What is open stays when its last name goes. `what`: of
// BETR_OPEN_CREATE; may be null.
betr_code betr_fs_open(betr_fs* fs, const char* path, unsigned flags, const betr_new_file* what, betr_file** file);
void betr_file_free(betr_file* file);

betr_code betr_file_stat(betr_file* file, betr_attributes* attributes);
// Which of them betr_file_change sets.
enum {
  BETR_SET_PERMISSIONS = 1 << 0,  // of the mode; the type is not looked at
  BETR_SET_UID = 1 << 1,
  BETR_SET_GID = 1 << 2,
  BETR_SET_SIZE = 1 << 3,
  BETR_SET_ACCESSED = 1 << 4,
  BETR_SET_MODIFIED = 1 << 5,
  BETR_SET_CHANGED = 1 << 6,  // for copies of trees: it becomes now else
  BETR_SET_BORN = 1 << 7,
};
betr_code betr_file_change(betr_file* file, const betr_attributes* attributes, unsigned which);

// `done` is how many bytes it was: less than `size` at the end of the file only.
betr_code betr_file_read(betr_file* file, uint64_t offset, void* buffer, size_t size, size_t* done);
// All of it; after an error, what was written before that stays.
betr_code betr_file_write(betr_file* file, uint64_t offset, const void* data, size_t size);
// At the end, whatever others do: all, or after an error nothing. `offset`, where that was, may be null.
betr_code betr_file_append(betr_file* file, const void* data, size_t size, uint64_t* offset);
// fallocate(2) with its flags.
betr_code betr_file_allocate(betr_file* file, int flags, uint64_t offset, uint64_t size);
// The next data or hole at or behind an offset, as SEEK_DATA and SEEK_HOLE; ENXIO if there is none.
betr_code betr_file_seek_data(betr_file* file, uint64_t offset, uint64_t* found);
betr_code betr_file_seek_hole(betr_file* file, uint64_t offset, uint64_t* found);
// copy_file_range(2): `copied` bytes, maybe less than `size`. Whole files, and whole mebibytes in the same place of
// both, are shared. Both files are of one file system.
betr_code betr_file_copy_range(betr_file* from, uint64_t from_offset, betr_file* to, uint64_t to_offset, uint64_t size,
                               uint64_t* copied);
// fsync: everything that was written is durable, in other files too.
betr_code betr_file_sync(betr_file* file);
// The target of a symbolic link, with a zero byte behind it, for betr_free. EINVAL of anything else.
betr_code betr_file_read_link(betr_file* file, char** target);

// What betr_file_set_xattr does with a name that is there, or is not.
enum {
  BETR_XATTR_ANY = 0,
  BETR_XATTR_CREATE = 1,   // EEXIST
  BETR_XATTR_REPLACE = 2,  // ENODATA
};
// Names are those of the system calls, "user." included.
betr_code betr_file_set_xattr(betr_file* file, const char* name, const void* value, size_t value_size, int mode);
// The value is the caller's, for betr_free. ENODATA if there is none.
betr_code betr_file_get_xattr(betr_file* file, const char* name, void** value, size_t* value_size);
betr_code betr_file_remove_xattr(betr_file* file, const char* name);
// In memcmp order; the name is valid during the visit.
betr_code betr_file_for_each_xattr(betr_file* file, void (*visit)(void* user, const char* name), void* user);

#ifdef __cplusplus
}
#endif
