// SPDX-License-Identifier: Apache-2.0
// All of betr/c_filesystem.h, used in C11: that it compiles without a warning is half of the test. Each part returns 0,
// or the line of what was not so.
#include <string.h>

#include "betr/c_filesystem.h"
#include "expect.h"

// As in <errno.h> and <sys/stat.h> of Linux, which C11 alone does not have.
enum { kEexist = 17, kEnodata = 61, kEnxio = 6, kRegular = 0100000, kDirectory = 0040000, kSymlink = 0120000 };

int UseWholeFileSystem(const char* path);

static bool CountName(void* user, const char* name, const betr_attributes* attributes) {
  if (strlen(name) > 0 && attributes->inode_number != 0) ++*(int*)user;
  return true;
}

static bool CountDifference(void* user, const betr_name_difference* difference) {
  if (strcmp(difference->path, "file") == 0 && difference->content && !difference->xattrs) ++*(int*)user;
  if (strcmp(difference->path, "link") == 0 && difference->before != NULL && difference->after == NULL) ++*(int*)user;
  return true;
}

static void CountXattr(void* user, const char* name) {
  if (strcmp(name, "user.a") == 0) ++*(int*)user;
}

static int MakeImage(const char* path) {
  const betr_format_options format = {.struct_size = sizeof format, .node_size = 65536, .log_size = 1 << 20};
  const betr_root_options root = {.struct_size = sizeof root, .permissions = 0700, .uid = 7, .gid = 8};
  EXPECT(betr_fs_create_image(path, 64 << 20, &format, &root) == BETR_OK);
  EXPECT(betr_fs_create_image(path, 64 << 20, NULL, NULL) == BETR_ALREADY_EXISTS);
  EXPECT(betr_error_errno() == kEexist);
  return betr_fs_format_image(path, &format, &root, BETR_OVERWRITE) == BETR_OK ? 0 : __LINE__;
}

static int MakeNames(betr_fs* fs) {
  EXPECT(betr_fs_make_directories(fs, "a/b", 0755) == BETR_OK);
  const betr_new_file link = {.struct_size = sizeof link, .mode = kSymlink | 0777, .target = "file"};
  EXPECT(betr_fs_make(fs, "a/link", &link) == BETR_OK);
  EXPECT(betr_fs_make(fs, "a/file", NULL) == BETR_OK);
  EXPECT(betr_fs_link(fs, "a/file", "a/b/other") == BETR_OK);
  EXPECT(betr_fs_unlink(fs, "a/b/other") == BETR_OK);
  EXPECT(betr_fs_rename(fs, "a/b", "a/c", BETR_RENAME_NO_REPLACE) == BETR_OK);
  EXPECT(betr_fs_remove_directory(fs, "a/c") == BETR_OK);
  betr_attributes root = {.struct_size = sizeof root};
  EXPECT(betr_fs_stat(fs, "/", &root) == BETR_OK);
  EXPECT(root.mode == (kDirectory | 0700) && root.uid == 7 && root.gid == 8 && root.born.seconds > 0);
  return 0;
}

static int ChangeContent(betr_file* file) {
  uint64_t offset = 0;
  size_t done = 0;
  char buffer[16];
  EXPECT(betr_file_write(file, 0, "hello", 5) == BETR_OK);
  EXPECT(betr_file_append(file, ", world", 7, &offset) == BETR_OK && offset == 5);
  EXPECT(betr_file_read(file, 0, buffer, sizeof buffer, &done) == BETR_OK);
  EXPECT(done == 12 && memcmp(buffer, "hello, world", 12) == 0);
  EXPECT(betr_file_allocate(file, 0, 0, 1 << 16) == BETR_OK);
  EXPECT(betr_file_seek_data(file, 0, &offset) == BETR_OK && offset == 0);
  EXPECT(betr_file_seek_hole(file, 0, &offset) == BETR_OK && offset == 4096);
  EXPECT(betr_file_seek_data(file, 1 << 20, &offset) != BETR_OK && betr_error_errno() == kEnxio && offset == 0);
  return betr_file_sync(file) == BETR_OK ? 0 : __LINE__;
}

static int ChangeAttributes(betr_file* file) {
  betr_attributes attributes = {.struct_size = sizeof attributes, .mode = 0600, .size = 12, .modified = {86400, 5}};
  EXPECT(betr_file_change(file, &attributes, BETR_SET_PERMISSIONS | BETR_SET_SIZE | BETR_SET_MODIFIED) == BETR_OK);
  EXPECT(betr_file_stat(file, &attributes) == BETR_OK);
  EXPECT(attributes.mode == (kRegular | 0600) && attributes.size == 12 && attributes.links == 1);
  EXPECT(attributes.modified.seconds == 86400 && attributes.modified.nanoseconds == 5);
  void* value = NULL;
  size_t size = 0;
  int names = 0;
  EXPECT(betr_file_set_xattr(file, "user.a", "value", 5, BETR_XATTR_CREATE) == BETR_OK);
  EXPECT(betr_file_get_xattr(file, "user.a", &value, &size) == BETR_OK && size == 5 && memcmp(value, "value", 5) == 0);
  betr_free(value);
  EXPECT(betr_file_for_each_xattr(file, CountXattr, &names) == BETR_OK && names == 1);
  EXPECT(betr_file_remove_xattr(file, "user.a") == BETR_OK);
  EXPECT(betr_file_get_xattr(file, "user.a", &value, &size) == BETR_NOT_FOUND && betr_error_errno() == kEnodata);
  return 0;
}

static int UseFiles(betr_fs* fs) {
  betr_file* file = NULL;
  betr_file* copy = NULL;
  char* target = NULL;
  uint64_t copied = 0;
  EXPECT(betr_fs_open(fs, "a/link", 0, NULL, &file) == BETR_OK);
  EXPECT(betr_file_read_link(file, &target) == BETR_OK && strcmp(target, "file") == 0);
  betr_free(target);
  betr_file_free(file);
  EXPECT(betr_fs_open(fs, "a/file", BETR_OPEN_TRUNCATE, NULL, &file) == BETR_OK);
  EXPECT_ZERO(ChangeContent(file));
  EXPECT_ZERO(ChangeAttributes(file));
  EXPECT(betr_fs_open(fs, "copy", BETR_OPEN_CREATE | BETR_OPEN_EXCLUSIVE, NULL, &copy) == BETR_OK);
  EXPECT(betr_file_copy_range(file, 0, copy, 0, 12, &copied) == BETR_OK && copied == 12);
  betr_file_free(copy);
  betr_file_free(file);
  return 0;
}

static int Compare(betr_fs* fs) {
  betr_file* file = NULL;
  int names = 0;
  int differences = 0;
  EXPECT(betr_fs_clone(fs, "a", "clone") == BETR_OK);
  EXPECT(betr_fs_open(fs, "clone/file", 0, NULL, &file) == BETR_OK);
  EXPECT(betr_file_write(file, 100, "x", 1) == BETR_OK);
  betr_file_free(file);
  EXPECT(betr_fs_unlink(fs, "clone/link") == BETR_OK);
  EXPECT(betr_fs_for_each_name(fs, "", "a", CountName, &names) == BETR_OK && names == 2);
  EXPECT(betr_fs_for_each_difference(fs, "a", "clone", CountDifference, &differences) == BETR_OK && differences == 2);
  const char* const paths[] = {"a", "clone"};
  betr_footprint_stats footprint = {.struct_size = sizeof footprint};
  EXPECT(betr_fs_footprint_of(fs, paths, 2, &footprint) == BETR_OK && footprint.stored > 0);
  return betr_fs_remove_tree(fs, "clone") == BETR_OK ? 0 : __LINE__;
}

int UseWholeFileSystem(const char* path) {
  betr_fs* fs = NULL;
  betr_store* store = NULL;
  betr_space_stats below = {.struct_size = sizeof below};
  betr_fs_space_stats space = {.struct_size = sizeof space};
  EXPECT_ZERO(MakeImage(path));
  EXPECT(betr_fs_open_image(path, NULL, &fs) == BETR_OK);
  EXPECT_ZERO(MakeNames(fs));
  EXPECT_ZERO(UseFiles(fs));
  EXPECT_ZERO(Compare(fs));
  EXPECT(betr_fs_sync(fs) == BETR_OK);
  EXPECT(betr_fs_space(fs, &space) == BETR_OK && space.available < space.free && space.free < space.total);
  EXPECT(betr_fs_get_store(fs, &store) == BETR_OK);
  EXPECT(betr_space(store, &below) == BETR_OK && below.total == space.total);
  betr_store_free(store);
  EXPECT(betr_fs_close(fs) == BETR_OK);
  betr_fs_free(fs);
  return 0;
}
