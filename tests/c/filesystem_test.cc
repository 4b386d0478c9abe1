// SPDX-License-Identifier: Apache-2.0
// The file system from C: what becomes of images, names and what is open; errors as errno; lifetimes of handles.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "betr/path_filesystem.h"
#include "support/c/c_fs.h"
#include "support/must.h"

namespace betr::test {
namespace {

void Fails(int error, betr_code code) {
  INFO(betr_error_message());
  CHECK(code != BETR_OK);
  CHECK(betr_error_errno() == error);
}

uint32_t ModeAt(const FsHandle& fs, const char* path) {
  auto attributes = Sized<betr_attributes>();
  Must(betr_fs_stat(fs.get(), path, &attributes));
  return attributes.mode;
}

void Make(const FsHandle& fs, const char* path, uint32_t mode, const char* target = nullptr) {
  auto what = Sized<betr_new_file>();
  what.mode = mode;
  what.target = target;
  Must(betr_fs_make(fs.get(), path, &what));
}

struct Names {
  std::vector<std::string> found;
  size_t most = SIZE_MAX;

  static bool Visit(void* user, const char* name, const betr_attributes*) {
    auto& names = *static_cast<Names*>(user);
    names.found.emplace_back(name);
    return names.found.size() < names.most;
  }
};

}  // namespace

TEST_CASE("a file system made from C is one of C++, and back", "[c]") {
  const CFsImage image;
  {
    const FsHandle fs = image.Open();
    Must(betr_fs_make_directories(fs.get(), "a/b", 0750));
    WriteAt(OpenFileAt(fs, "/a//b/file", BETR_OPEN_CREATE), 0, "from C");
    Must(betr_fs_close(fs.get()));
    CHECK(betr_fs_make(fs.get(), "late", nullptr) != BETR_OK);
  }
  {
    const auto fs = Must(FileSystem::OpenImage(image.path(), {}));
    PathFileSystem paths(fs.get());
    CHECK(Must(paths.ReadFile("a/b/file")) == "from C");
    CHECK(Must(paths.Stat("a/b")).mode() == (S_IFDIR | 0750));
    Must(paths.WriteFile("a/other", "from C++"));
    Must(fs->Unmount());
  }
  CHECK(ContentOf(OpenFileAt(image.Open(), "a/other")) == "from C++");
}

TEST_CASE("an image without a file system, and one in use, are said to be that", "[c]") {
  const CImage store_only;
  betr_fs* fs = nullptr;
  CHECK(betr_fs_open_image(store_only.path(), nullptr, &fs) == BETR_INVALID_ARGUMENT);
  CHECK(std::string(betr_error_message()).find("holds no file system") != std::string::npos);
  CHECK(fs == nullptr);
  Must(betr_fs_format_image(store_only.path(), nullptr, nullptr, BETR_OVERWRITE));
  Must(betr_fs_open_image(store_only.path(), nullptr, &fs));
  const FsHandle opened(fs);
  CHECK(betr_fs_open_image(store_only.path(), nullptr, &fs) == BETR_FAILED_PRECONDITION);
  CHECK(betr_fs_format_image(store_only.path(), nullptr, nullptr, BETR_OVERWRITE) == BETR_FAILED_PRECONDITION);
}

TEST_CASE("errors have the errno of the system call", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  auto attributes = Sized<betr_attributes>();
  Fails(ENOENT, betr_fs_stat(fs.get(), "none", &attributes));
  CHECK(std::string(betr_error_message()).find("none") != std::string::npos);
  Make(fs, "file", 0);
  Fails(EEXIST, betr_fs_make(fs.get(), "file", nullptr));
  Fails(ENOTDIR, betr_fs_make(fs.get(), "file/below", nullptr));
  Fails(ENAMETOOLONG, betr_fs_make(fs.get(), std::string(256, 'n').c_str(), nullptr));
  Make(fs, "directory", S_IFDIR | 0755);
  Fails(EISDIR, betr_fs_unlink(fs.get(), "directory"));
  Make(fs, "directory/file", 0);
  Fails(ENOTEMPTY, betr_fs_remove_directory(fs.get(), "directory"));
  Fails(EEXIST, betr_fs_rename(fs.get(), "file", "directory/file", BETR_RENAME_NO_REPLACE));
  Fails(EBUSY, betr_fs_remove_tree(fs.get(), "/"));
  const FileHandle file = OpenFileAt(fs, "file");
  char* target = nullptr;
  Fails(EINVAL, betr_file_read_link(file.get(), &target));
  Fails(EOPNOTSUPP, betr_file_allocate(file.get(), FALLOC_FL_COLLAPSE_RANGE, 0, 4096));
  Fails(EFBIG, betr_file_write(file.get(), uint64_t{16} << 40, "x", 1));
  auto what = Sized<betr_new_file>();
  what.mode = 0644;  // of no type
  Fails(EINVAL, betr_fs_make(fs.get(), "untyped", &what));
  std::thread([] { CHECK(betr_error_errno() != 0); }).join();
  CHECK(betr_error_errno() == EINVAL);  // another thread's error is not this one's
}

TEST_CASE("what a read-only file system refuses", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open(OpenOptions(BETR_READ_ONLY));
  Fails(EROFS, betr_fs_make(fs.get(), "file", nullptr));
  betr_file* file = nullptr;
  Fails(ENOENT, betr_fs_open(fs.get(), "file", 0, nullptr, &file));
  CHECK(file == nullptr);
}

TEST_CASE("files are made, opened and emptied as the flags say", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  auto what = Sized<betr_new_file>();
  what.mode = S_IFREG | 04711;
  what.uid = 3;
  what.gid = 4;
  betr_file* opened = nullptr;
  Must(betr_fs_open(fs.get(), "file", BETR_OPEN_CREATE, &what, &opened));
  const FileHandle file(opened);
  auto attributes = Sized<betr_attributes>();
  Must(betr_file_stat(file.get(), &attributes));
  CHECK(attributes.mode == what.mode);
  CHECK(attributes.uid == 3);
  CHECK(attributes.gid == 4);
  WriteAt(file, 0, "content");
  CHECK(ContentOf(OpenFileAt(fs, "file", BETR_OPEN_CREATE)) == "content");
  Fails(EEXIST, betr_fs_open(fs.get(), "file", BETR_OPEN_CREATE | BETR_OPEN_EXCLUSIVE, nullptr, &opened));
  CHECK(ContentOf(OpenFileAt(fs, "file", BETR_OPEN_TRUNCATE)).empty());
  CHECK(ContentOf(file).empty());
  Make(fs, "link", S_IFLNK | 0777, "file");
  Fails(EINVAL, betr_fs_open(fs.get(), "link", BETR_OPEN_TRUNCATE, nullptr, &opened));
  CHECK(opened == nullptr);
  CHECK(ModeAt(fs, "link") == (S_IFLNK | 0777));
  what.mode = S_IFIFO | 0644;
  Fails(EINVAL, betr_fs_open(fs.get(), "fifo", BETR_OPEN_CREATE | BETR_OPEN_TRUNCATE, &what, &opened));
  Fails(ENOENT, betr_fs_open(fs.get(), "fifo", 0, nullptr, &opened));
}

TEST_CASE("what is open outlives its name and its file system's handle", "[c]") {
  const CFsImage image;
  FsHandle fs = image.Open();
  const FileHandle file = OpenFileAt(fs, "file", BETR_OPEN_CREATE);
  WriteAt(file, 0, "content");
  Must(betr_fs_unlink(fs.get(), "file"));
  CHECK(ContentOf(file) == "content");
  fs.reset();
  CHECK(ContentOf(file) == "content");
  WriteAt(file, 7, ", more");
  CHECK(ContentOf(file) == "content, more");
}

TEST_CASE("the store below a file system keeps it open", "[c]") {
  const CFsImage image;
  FsHandle fs = image.Open();
  betr_store* below = nullptr;
  Must(betr_fs_get_store(fs.get(), &below));
  const StoreHandle store(below);
  fs.reset();
  betr_tree meta = 0;
  Must(betr_find_tree(store.get(), nullptr, "meta", 4, &meta));
  CHECK(meta != 0);
}

TEST_CASE("names are visited in order, from anywhere, as long as the visitor likes", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  for (const char* name : {"b", "a", "d", "c"}) Make(fs, name, 0);
  Names all;
  Must(betr_fs_for_each_name(fs.get(), "", nullptr, Names::Visit, &all));
  CHECK(all.found == std::vector<std::string>{"a", "b", "c", "d"});
  Names some;
  some.most = 2;
  Must(betr_fs_for_each_name(fs.get(), "/", "a", Names::Visit, &some));
  CHECK(some.found == std::vector<std::string>{"b", "c"});
  Fails(ENOTDIR, betr_fs_for_each_name(fs.get(), "a", nullptr, Names::Visit, &all));
}

TEST_CASE("a visitor may call the file system, and end a comparison", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  Make(fs, "a", S_IFDIR | 0755);
  for (const char* name : {"a/1", "a/2", "a/3"}) Make(fs, name, 0);
  Must(betr_fs_clone(fs.get(), "a", "b"));
  for (const char* name : {"b/1", "b/2", "b/3"}) WriteAt(OpenFileAt(fs, name), 0, "changed");
  struct Seen {
    betr_fs* fs;
    std::vector<std::string> paths;
  } seen{fs.get(), {}};
  const auto visit = [](void* user, const betr_name_difference* difference) {
    auto& to = *static_cast<Seen*>(user);
    CHECK(difference->content);
    CHECK(difference->before->size == 0);
    CHECK(difference->after->size == 7);
    to.paths.emplace_back(difference->path);
    Must(betr_fs_unlink(to.fs, ("b/" + to.paths.back()).c_str()));
    return to.paths.size() < 2;
  };
  Must(betr_fs_for_each_difference(fs.get(), "a", "b", visit, &seen));
  CHECK(seen.paths == std::vector<std::string>{"1", "2"});
  Names left;
  Must(betr_fs_for_each_name(fs.get(), "b", nullptr, Names::Visit, &left));
  CHECK(left.found == std::vector<std::string>{"3"});
}

TEST_CASE("names change places", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  WriteAt(OpenFileAt(fs, "a", BETR_OPEN_CREATE), 0, "a");
  WriteAt(OpenFileAt(fs, "b", BETR_OPEN_CREATE), 0, "b");
  Must(betr_fs_rename(fs.get(), "a", "b", BETR_RENAME_EXCHANGE));
  CHECK(ContentOf(OpenFileAt(fs, "a")) == "b");
  Must(betr_fs_rename(fs.get(), "a", "b", BETR_RENAME_REPLACE));
  CHECK(ContentOf(OpenFileAt(fs, "b")) == "b");
}

TEST_CASE("all of a copy's attributes can be set", "[c]") {
  const CFsImage image;
  const FsHandle fs = image.Open();
  const FileHandle file = OpenFileAt(fs, "file", BETR_OPEN_CREATE);
  auto wanted = Sized<betr_attributes>();
  wanted.mode = S_IFDIR | 02755;  // the type is not looked at
  wanted.uid = 10;
  wanted.gid = 20;
  wanted.size = 30;
  wanted.accessed = {40, 1};
  wanted.modified = {-50, 2};
  wanted.changed = {60, 3};
  wanted.born = {70, 999'999'999};
  Must(betr_file_change(file.get(), &wanted, (BETR_SET_BORN << 1) - 1));
  auto found = Sized<betr_attributes>();
  Must(betr_fs_stat(fs.get(), "file", &found));
  CHECK(found.mode == (S_IFREG | 02755));
  CHECK(found.uid == 10);
  CHECK(found.gid == 20);
  CHECK(found.size == 30);
  CHECK(found.accessed.seconds == 40);
  CHECK(found.modified.seconds == -50);
  CHECK(found.modified.nanoseconds == 2);
  CHECK(found.changed.seconds == 60);
  CHECK(found.born.nanoseconds == 999'999'999);
  wanted.modified.nanoseconds = 1'000'000'000;
  Fails(EINVAL, betr_file_change(file.get(), &wanted, BETR_SET_MODIFIED));
}

TEST_CASE("ranges are not copied between file systems", "[c]") {
  const CFsImage image;
  const CFsImage other;
  const FsHandle fs = image.Open();
  const FsHandle other_fs = other.Open();
  const FileHandle from = OpenFileAt(fs, "file", BETR_OPEN_CREATE);
  const FileHandle to = OpenFileAt(other_fs, "file", BETR_OPEN_CREATE);
  uint64_t copied = 1;
  Fails(EXDEV, betr_file_copy_range(from.get(), 0, to.get(), 0, 1, &copied));
  CHECK(copied == 0);
}

}  // namespace betr::test
