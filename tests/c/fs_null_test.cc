// SPDX-License-Identifier: Apache-2.0
// Null pointers, modes and flags that are none, in every function of the file system: each a mistake that is named.
#include <cerrno>
#include <string>

#include "support/c/c_fs.h"

namespace betr::test {
namespace {

struct Fixture {
  const CFsImage image;
  const FsHandle handle = image.Open();
  betr_fs* const fs = handle.get();
  const FileHandle file_handle = OpenFileAt(handle, "file", BETR_OPEN_CREATE);
  betr_file* const file = file_handle.get();
  betr_attributes attributes = Sized<betr_attributes>();
  uint64_t number = 0;
  size_t size = 0;
  char buffer[8] = {};
};

bool VisitName(void*, const char*, const betr_attributes*) { return true; }
bool VisitDifference(void*, const betr_name_difference*) { return true; }
void VisitXattr(void*, const char*) {}

}  // namespace

TEST_CASE_METHOD(Fixture, "null in functions of file systems", "[c]") {
  Refused("path", betr_fs_create_image(nullptr, 1 << 20, nullptr, nullptr));
  CHECK(betr_error_errno() == EINVAL);
  Refused("path", betr_fs_format_image(nullptr, nullptr, nullptr, BETR_KEEP));
  Refused("existing", betr_fs_format_image(image.path(), nullptr, nullptr, 2),
          "is neither BETR_KEEP nor BETR_OVERWRITE");
  betr_fs* opened = nullptr;
  Refused("path", betr_fs_open_image(nullptr, nullptr, &opened));
  Refused("fs", betr_fs_open_image(image.path(), nullptr, nullptr));
  Refused("fs", betr_fs_close(nullptr));
  Refused("fs", betr_fs_sync(nullptr));
  betr_store* store = nullptr;
  Refused("fs", betr_fs_get_store(nullptr, &store));
  Refused("store", betr_fs_get_store(fs, nullptr));
  auto space = Sized<betr_fs_space_stats>();
  Refused("fs", betr_fs_space(nullptr, &space));
  Refused("space", betr_fs_space(fs, nullptr));
  betr_fs_free(nullptr);
}

TEST_CASE_METHOD(Fixture, "null in functions of names", "[c]") {
  Refused("fs", betr_fs_stat(nullptr, "a", &attributes));
  Refused("path", betr_fs_stat(fs, nullptr, &attributes));
  Refused("attributes", betr_fs_stat(fs, "a", nullptr));
  Refused("fs", betr_fs_make(nullptr, "a", nullptr));
  Refused("path", betr_fs_make(fs, nullptr, nullptr));
  Refused("fs", betr_fs_make_directories(nullptr, "a", 0755));
  Refused("path", betr_fs_make_directories(fs, nullptr, 0755));
  Refused("fs", betr_fs_link(nullptr, "a", "b"));
  Refused("from", betr_fs_link(fs, nullptr, "b"));
  Refused("to", betr_fs_link(fs, "a", nullptr));
  Refused("path", betr_fs_unlink(fs, nullptr));
  Refused("path", betr_fs_remove_directory(fs, nullptr));
  Refused("path", betr_fs_remove_tree(fs, nullptr));
  Refused("fs", betr_fs_remove_tree(nullptr, "a"));
  Refused("from", betr_fs_rename(fs, nullptr, "b", BETR_RENAME_REPLACE));
  Refused("to", betr_fs_rename(fs, "a", nullptr, BETR_RENAME_REPLACE));
  Refused("mode", betr_fs_rename(fs, "a", "b", 3), "is none of BETR_RENAME_REPLACE, _NO_REPLACE and _EXCHANGE");
  Refused("to", betr_fs_clone(fs, "a", nullptr));
  Refused("fs", betr_fs_for_each_name(nullptr, "", nullptr, VisitName, nullptr));
  Refused("path", betr_fs_for_each_name(fs, nullptr, nullptr, VisitName, nullptr));
  Refused("visit", betr_fs_for_each_name(fs, "", nullptr, nullptr, nullptr));
  Refused("before", betr_fs_for_each_difference(fs, nullptr, "", VisitDifference, nullptr));
  Refused("after", betr_fs_for_each_difference(fs, "", nullptr, VisitDifference, nullptr));
  Refused("visit", betr_fs_for_each_difference(fs, "", "", nullptr, nullptr));
  auto footprint = Sized<betr_footprint_stats>();
  const char* const paths[] = {"", nullptr};
  Refused("paths", betr_fs_footprint_of(fs, nullptr, 1, &footprint), kLost);
  Refused("paths", betr_fs_footprint_of(fs, paths, 2, &footprint));
  Refused("footprint", betr_fs_footprint_of(fs, paths, 1, nullptr));
}

TEST_CASE_METHOD(Fixture, "null in functions of what is open", "[c]") {
  betr_file* opened = nullptr;
  Refused("fs", betr_fs_open(nullptr, "a", 0, nullptr, &opened));
  Refused("path", betr_fs_open(fs, nullptr, 0, nullptr, &opened));
  Refused("file", betr_fs_open(fs, "a", 0, nullptr, nullptr));
  Refused("flags", betr_fs_open(fs, "a", 8, nullptr, &opened), "has a bit that is not known");
  Refused("flags", betr_fs_open(fs, "a", BETR_OPEN_EXCLUSIVE, nullptr, &opened),
          "BETR_OPEN_EXCLUSIVE goes with BETR_OPEN_CREATE");
  Refused("file", betr_file_stat(nullptr, &attributes));
  Refused("attributes", betr_file_stat(file, nullptr));
  Refused("file", betr_file_change(nullptr, &attributes, 0));
  Refused("attributes", betr_file_change(file, nullptr, 0));
  Refused("which", betr_file_change(file, &attributes, BETR_SET_BORN << 1), "has a bit that is not known");
  Refused("file", betr_file_read(nullptr, 0, buffer, 8, &size));
  Refused("buffer", betr_file_read(file, 0, nullptr, 8, &size), kLost);
  Refused("done", betr_file_read(file, 0, buffer, 8, nullptr));
  Refused("file", betr_file_write(nullptr, 0, buffer, 8));
  Refused("data", betr_file_write(file, 0, nullptr, 8), kLost);
  Refused("data", betr_file_append(file, nullptr, 8, &number), kLost);
  Refused("file", betr_file_allocate(nullptr, 0, 0, 8));
  Refused("found", betr_file_seek_data(file, 0, nullptr));
  Refused("found", betr_file_seek_hole(file, 0, nullptr));
  Refused("from", betr_file_copy_range(nullptr, 0, file, 0, 8, &number));
  Refused("to", betr_file_copy_range(file, 0, nullptr, 0, 8, &number));
  Refused("copied", betr_file_copy_range(file, 0, file, 0, 8, nullptr));
  Refused("file", betr_file_sync(nullptr));
  Refused("target", betr_file_read_link(file, nullptr));
  betr_file_free(nullptr);
}

TEST_CASE_METHOD(Fixture, "null in functions of extended attributes", "[c]") {
  void* value = nullptr;
  Refused("file", betr_file_set_xattr(nullptr, "user.a", "", 0, BETR_XATTR_ANY));
  Refused("name", betr_file_set_xattr(file, nullptr, "", 0, BETR_XATTR_ANY));
  Refused("value", betr_file_set_xattr(file, "user.a", nullptr, 1, BETR_XATTR_ANY), kLost);
  Refused("mode", betr_file_set_xattr(file, "user.a", "", 0, 3), "is none of BETR_XATTR_ANY, _CREATE and _REPLACE");
  Refused("name", betr_file_get_xattr(file, nullptr, &value, &size));
  Refused("value", betr_file_get_xattr(file, "user.a", nullptr, &size));
  Refused("value_size", betr_file_get_xattr(file, "user.a", &value, nullptr));
  Refused("name", betr_file_remove_xattr(file, nullptr));
  Refused("file", betr_file_for_each_xattr(nullptr, VisitXattr, nullptr));
  Refused("visit", betr_file_for_each_xattr(file, nullptr, nullptr));
}

}  // namespace betr::test
