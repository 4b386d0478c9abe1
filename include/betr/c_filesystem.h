// SPDX-License-Identifier: Apache-2.0
// The file system in C11, for programs in C and for bindings of other languages: images of mkfs.betr, read and written
// without a mount. betr_fs_x and betr_file_x do what PathFileSystem (betr/path_filesystem.h) and FileSystem
// (betr/filesystem.h) do. Those headers say more about durability, limits and cost; docs/embedding.md has an example.
// Bytes, ownership, threads, the ABI and structs with a `struct_size` are as in betr/c.h.
//
// Paths are strings of any bytes: names joined by slashes, from the root, with or without a leading slash. "" and "/"
// are the root. Symbolic links are not followed: a path through one is ENOTDIR. Permissions are not checked.
//
// Errors are as in betr/c.h. In addition, betr_error_errno() is the Linux errno that the corresponding system call
// would set: ENOENT, EEXIST, ENOTEMPTY, ENOSPC, EUCLEAN for damage, and so on.
//
// Durability. A change survives a crash if a betr_fs_sync, or a betr_file_sync of any file, that began after it
// returned ok. Before that, content is gathered in memory: call one of them every few seconds, as a kernel would.
//
// Threads. Any number of threads may use a file system and what is open in it at once, until betr_fs_close.
#pragma once

#include "betr/c.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the errno of the last call to the library in this thread that failed. Never 0.
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

// As betr_create_image and betr_format_image, but the image holds an empty file system. Options may be null.
betr_code betr_fs_create_image(const char* path, uint64_t size, const betr_format_options* options,
                               const betr_root_options* root);
betr_code betr_fs_format_image(const char* path, const betr_format_options* options, const betr_root_options* root,
                               int existing);
// As betr_open_image. BETR_INVALID_ARGUMENT if the image holds no file system. Upsert functions 16 and 17 are its own.
betr_code betr_fs_open_image(const char* path, const betr_open_options* options, betr_fs** fs);
// Makes everything durable and leaves the image in good order. No other call may be under way. Afterwards, what is open
// may still be freed; other calls fail, or read. What is written to an open file then is lost.
betr_code betr_fs_close(betr_fs* fs);
// Frees the handle. Without betr_fs_close, what is not durable may be lost. Open files keep the file system alive.
void betr_fs_free(betr_fs* fs);

// Makes everything written before this call durable.
betr_code betr_fs_sync(betr_fs* fs);
// Returns the store below, for betr_space, betr_trim, betr_for_each_stat and anything else that does not change its
// trees. Free it with betr_store_free; do not close it.
betr_code betr_fs_get_store(betr_fs* fs, betr_store** store);

typedef struct betr_fs_space_stats {
  size_t struct_size;
  uint64_t total;      // bytes
  uint64_t free;       // bytes not in use
  uint64_t available;  // bytes of files that may be written: FileSystemSpace says which
} betr_fs_space_stats;
betr_code betr_fs_space(betr_fs* fs, betr_fs_space_stats* space);

// --- names ---------------------------------------------------------------------------------------------------

// Time since 1970-01-01 00:00 UTC. Nanoseconds are below 10^9, before 1970 too.
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

// A file to be made. Null means a regular file of user 0 with permissions 0644.
typedef struct betr_new_file {
  size_t struct_size;
  uint32_t mode;  // type and permissions; 0: a regular file with 0644. The umask is not applied
  uint32_t uid;
  uint32_t gid;
  uint64_t device;     // of a device, as st_rdev
  const char* target;  // of a symbolic link
} betr_new_file;
// Makes a file of any type. EEXIST if the name is taken.
betr_code betr_fs_make(betr_fs* fs, const char* path, const betr_new_file* what);
// Makes a directory and any missing ones above it. Ok if it is there already.
betr_code betr_fs_make_directories(betr_fs* fs, const char* path, uint32_t permissions);
// Gives a file a further name.
betr_code betr_fs_link(betr_fs* fs, const char* from, const char* to);
betr_code betr_fs_unlink(betr_fs* fs, const char* path);
betr_code betr_fs_remove_directory(betr_fs* fs, const char* path);
// Removes a name with everything below it. Cost: O(height) nodes, however much there is.
betr_code betr_fs_remove_tree(betr_fs* fs, const char* path);
// What betr_fs_rename does with what is at `to`.
enum {
  BETR_RENAME_REPLACE = 0,     // replaces it, if POSIX allows it
  BETR_RENAME_NO_REPLACE = 1,  // leaves it: EEXIST
  BETR_RENAME_EXCHANGE = 2,    // gives it the other name
};
betr_code betr_fs_rename(betr_fs* fs, const char* from, const char* to, int mode);
// Copies a file, or a directory with everything below it, as of now. Cost: O(height) nodes, however much there is.
betr_code betr_fs_clone(betr_fs* fs, const char* from, const char* to);

// Visits the names of a directory after `after` (null: all) in memcmp order, until `visit` returns false. Name and
// attributes are valid only during the visit. `visit` may call the file system.
betr_code betr_fs_for_each_name(betr_fs* fs, const char* path, const char* after,
                                bool (*visit)(void* user, const char* name, const betr_attributes* attributes),
                                void* user);

// How a name differs between two trees, as in FindDifferences. Valid only during the visit.
typedef struct betr_name_difference {
  size_t struct_size;
  const char* path;               // relative to the two; "" for the two themselves
  const betr_attributes* before;  // null if it is not there. Without the inode number
  const betr_attributes* after;
  bool content;  // set, as the next one, only if both are there and have the same type
  bool xattrs;
} betr_name_difference;
// Visits the differences until `visit` returns false. What a clone shares with its source is not looked at.
betr_code betr_fs_for_each_difference(betr_fs* fs, const char* before, const char* after,
                                      bool (*visit)(void* user, const betr_name_difference* difference), void* user);

// Returns the space that files and directories take together, with everything below.
betr_code betr_fs_footprint_of(betr_fs* fs, const char* const* paths, size_t count, betr_footprint_stats* footprint);

// --- files ---------------------------------------------------------------------------------------------------

// Flags of betr_fs_open.
enum {
  BETR_OPEN_CREATE = 1 << 0,     // makes the file if it is missing
  BETR_OPEN_EXCLUSIVE = 1 << 1,  // with BETR_OPEN_CREATE: EEXIST if there is something
  BETR_OPEN_TRUNCATE = 1 << 2,   // empties a regular file
};
// Opens whatever has the name; of a symbolic link, the link itself. An open file outlives its last name. `what` is for
// BETR_OPEN_CREATE and may be null.
betr_code betr_fs_open(betr_fs* fs, const char* path, unsigned flags, const betr_new_file* what, betr_file** file);
void betr_file_free(betr_file* file);

betr_code betr_file_stat(betr_file* file, betr_attributes* attributes);
// The attributes that betr_file_change sets.
enum {
  BETR_SET_PERMISSIONS = 1 << 0,  // of `mode`; the type is ignored
  BETR_SET_UID = 1 << 1,
  BETR_SET_GID = 1 << 2,
  BETR_SET_SIZE = 1 << 3,
  BETR_SET_ACCESSED = 1 << 4,
  BETR_SET_MODIFIED = 1 << 5,
  BETR_SET_CHANGED = 1 << 6,  // for copies of trees only; without it, it becomes now
  BETR_SET_BORN = 1 << 7,
};
betr_code betr_file_change(betr_file* file, const betr_attributes* attributes, unsigned which);

// Reads. `done` is the number of bytes, less than `size` only at the end of the file.
betr_code betr_file_read(betr_file* file, uint64_t offset, void* buffer, size_t size, size_t* done);
// Writes everything. After an error, what was written before it stays.
betr_code betr_file_write(betr_file* file, uint64_t offset, const void* data, size_t size);
// Writes at the end of the file, whatever others do: everything or, after an error, nothing, unless the store fails.
// `offset` says where; it may be null.
betr_code betr_file_append(betr_file* file, const void* data, size_t size, uint64_t* offset);
// Does what fallocate(2) does, with its flags.
betr_code betr_file_allocate(betr_file* file, int flags, uint64_t offset, uint64_t size);
// Find the next data or hole at or after an offset, as SEEK_DATA and SEEK_HOLE do. ENXIO if there is none.
betr_code betr_file_seek_data(betr_file* file, uint64_t offset, uint64_t* found);
betr_code betr_file_seek_hole(betr_file* file, uint64_t offset, uint64_t* found);
// Copies as copy_file_range(2) does: `copied` bytes, maybe less than `size`. Whole files, and whole mebibytes at the
// same offset in both, are shared. Both files must be of one file system.
betr_code betr_file_copy_range(betr_file* from, uint64_t from_offset, betr_file* to, uint64_t to_offset, uint64_t size,
                               uint64_t* copied);
// fsync. Makes everything that was written durable, in other files too.
betr_code betr_file_sync(betr_file* file);
// Returns the target of a symbolic link, with a zero byte behind it, for betr_free. EINVAL for anything else.
betr_code betr_file_read_link(betr_file* file, char** target);

// What betr_file_set_xattr requires of the name.
enum {
  BETR_XATTR_ANY = 0,
  BETR_XATTR_CREATE = 1,   // EEXIST if it is there
  BETR_XATTR_REPLACE = 2,  // ENODATA if it is not
};
// Names are those of the system calls, namespace ("user.") included.
betr_code betr_file_set_xattr(betr_file* file, const char* name, const void* value, size_t value_size, int mode);
// Returns a value, to be freed with betr_free. ENODATA if there is none.
betr_code betr_file_get_xattr(betr_file* file, const char* name, void** value, size_t* value_size);
betr_code betr_file_remove_xattr(betr_file* file, const char* name);
// Visits the names in memcmp order. The name is valid only during the visit.
betr_code betr_file_for_each_xattr(betr_file* file, void (*visit)(void* user, const char* name), void* user);

#ifdef __cplusplus
}
#endif
