// SPDX-License-Identifier: Apache-2.0
#include "betr/path_filesystem.h"

#include <absl/strings/str_format.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "fs/path_names.h"
#include "fs/write_all.h"

namespace betr {
namespace {

absl::StatusOr<std::vector<std::string>> NamesOf(std::string_view path) {
  if (path.size() > kMaxPathSize + 1) return ErrnoError(ENAMETOOLONG, "path");
  return fs::Components(path);
}

std::string FromRoot(std::string_view path) {
  return absl::StrFormat("/%s", path.substr(std::min(path.find_first_not_of('/'), path.size())));
}

// Whether the error names the last name of the path, and nothing else.
bool NamesLast(const absl::Status& status, std::string_view path) {
  path = path.substr(0, path.find_last_not_of('/') + 1);
  return status.message() == ErrnoError(ToErrno(status), path.substr(path.rfind('/') + 1)).message();
}

// The path in front of the error, or in place of its last name where the error already names that.
absl::Status NamePath(const absl::Status& status, std::string_view path) {
  if (status.ok()) return status;
  return NamesLast(status, path) ? ErrnoError(ToErrno(status), FromRoot(path)) : Annotate(status, FromRoot(path));
}

// The same of both paths, for what went wrong between them.
absl::Status NamePaths(const absl::Status& status, std::string_view from, std::string_view to) {
  if (status.ok()) return status;
  const std::string both = absl::StrFormat("%s -> %s", FromRoot(from), FromRoot(to));
  const bool names_one = NamesLast(status, from) || NamesLast(status, to);
  return names_one ? ErrnoError(ToErrno(status), both) : Annotate(status, both);
}

}  // namespace

absl::StatusOr<OpenFile> OpenFile::Take(FileSystem* fs, const Entry& entry) {
  const absl::Status opened = fs->Open(entry.inode);
  fs->Forget(entry.inode);
  if (!opened.ok()) return opened;
  return OpenFile(fs, entry);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : fs_(std::exchange(other.fs_, nullptr)), inode_(other.inode_), attributes_(other.attributes_) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this == &other) return *this;
  Release();
  fs_ = std::exchange(other.fs_, nullptr);
  inode_ = other.inode_;
  attributes_ = other.attributes_;
  return *this;
}

OpenFile::~OpenFile() { Release(); }

void OpenFile::Release() {
  if (fs_ != nullptr) fs_->Close(inode_);
  fs_ = nullptr;
}

struct PathFileSystem::Place {
  OpenFile parent;
  std::string name;
};

absl::StatusOr<OpenFile> PathFileSystem::OpenName(InodeId directory, const std::string& name) {
  for (;;) {
    BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.Lookup(directory, name));
    absl::StatusOr<OpenFile> file = OpenFile::Take(&fs_, entry);
    if (ToErrno(file.status()) != ESTALE) return file;  // else what had the name lost it since: another one may have it
  }
}

absl::StatusOr<OpenFile> PathFileSystem::OpenParts(const std::vector<std::string>& names) {
  BETR_ASSIGN_OR_RETURN(OpenFile at, OpenName(kRootInode, "."));
  for (const std::string& name : names) {
    BETR_ASSIGN_OR_RETURN(at, OpenName(at.inode(), name));
  }
  return at;
}

absl::StatusOr<PathFileSystem::Place> PathFileSystem::Locate(std::string_view path) {
  BETR_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesOf(path));
  if (names.empty()) return ErrnoError(EBUSY, "the root directory");
  Place place;
  place.name = std::move(names.back());
  names.pop_back();
  BETR_ASSIGN_OR_RETURN(place.parent, OpenParts(names));
  // Said here, so that of two bad paths the first one decides, as in system calls.
  if (place.parent.attributes().type != FileType::kDirectory) return ErrnoError(ENOTDIR, "a file above the last name");
  return place;
}

absl::StatusOr<OpenFile> PathFileSystem::Open(std::string_view path) {
  absl::StatusOr<std::vector<std::string>> names = NamesOf(path);
  if (!names.ok()) return NamePath(names.status(), path);
  absl::StatusOr<OpenFile> file = OpenParts(*names);
  if (!file.ok()) return NamePath(file.status(), path);
  return file;
}

absl::StatusOr<FileAttributes> PathFileSystem::Stat(std::string_view path) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  return file.attributes();
}

absl::StatusOr<bool> PathFileSystem::Exists(std::string_view path) {
  const absl::Status status = Open(path).status();
  if (status.ok()) return true;
  const int error = ToErrno(status);
  if (error == ENOENT || error == ENOTDIR) return false;
  return status;
}

absl::StatusOr<OpenFile> PathFileSystem::Create(std::string_view path, const NewFile& file) {
  const absl::StatusOr<Place> place = Locate(path);
  if (!place.ok() && ToErrno(place.status()) == EBUSY) return NamePath(ErrnoError(EEXIST, "the root directory"), path);
  if (!place.ok()) return NamePath(place.status(), path);
  for (;;) {
    const absl::StatusOr<Entry> entry = fs_.Create(place->parent.inode(), place->name, file);
    if (!entry.ok()) return NamePath(entry.status(), path);
    absl::StatusOr<OpenFile> made = OpenFile::Take(&fs_, *entry);
    if (ToErrno(made.status()) != ESTALE) return made;  // else somebody has removed it at once
  }
}

absl::Status PathFileSystem::MakeDirectory(std::string_view path, uint32_t permissions) {
  return Create(path, {.type = FileType::kDirectory, .permissions = permissions}).status();
}

absl::Status PathFileSystem::MakeDirectories(std::string_view path, uint32_t permissions) {
  return MakeDirectories(path, {.type = FileType::kDirectory, .permissions = permissions});
}

absl::Status PathFileSystem::MakeDirectories(std::string_view path, const NewFile& directory) {
  const absl::StatusOr<std::vector<std::string>> names = NamesOf(path);
  if (!names.ok()) return NamePath(names.status(), path);
  std::string at;
  for (const std::string& name : *names) {
    at += at.empty() ? name : "/" + name;
    absl::Status made = Create(at, directory).status();
    if (!made.ok() && ToErrno(made) != EEXIST) return made;
  }
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, Stat(path));
  return attributes.type == FileType::kDirectory ? absl::OkStatus() : NamePath(ErrnoError(ENOTDIR, "file"), path);
}

absl::Status PathFileSystem::MakeSymlink(std::string_view target, std::string_view path) {
  NewFile file;
  file.type = FileType::kSymlink;
  file.target = target;
  return Create(path, file).status();
}

absl::Status PathFileSystem::Link(std::string_view from, std::string_view to) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(from));
  const absl::StatusOr<Place> place = Locate(to);
  if (!place.ok()) return NamePath(place.status(), to);
  const absl::StatusOr<Entry> entry = fs_.Link(file.inode(), place->parent.inode(), place->name);
  if (entry.ok()) fs_.Forget(entry->inode);
  return NamePaths(entry.status(), from, to);
}

absl::Status PathFileSystem::Unlink(std::string_view path) {
  const absl::StatusOr<Place> place = Locate(path);
  return NamePath(place.ok() ? fs_.Unlink(place->parent.inode(), place->name) : place.status(), path);
}

absl::Status PathFileSystem::RemoveDirectory(std::string_view path) {
  const absl::StatusOr<Place> place = Locate(path);
  return NamePath(place.ok() ? fs_.RemoveDirectory(place->parent.inode(), place->name) : place.status(), path);
}

absl::Status PathFileSystem::RemoveTree(std::string_view path) {
  const absl::StatusOr<Place> place = Locate(path);
  return NamePath(place.ok() ? fs_.RemoveTree(place->parent.inode(), place->name) : place.status(), path);
}

absl::Status PathFileSystem::Rename(std::string_view from, std::string_view to, RenameMode mode, const NewFile* left) {
  const absl::StatusOr<Place> source = Locate(from);
  if (!source.ok()) return NamePath(source.status(), from);
  const absl::StatusOr<Place> target = Locate(to);
  if (!target.ok()) return NamePath(target.status(), to);
  const absl::Status renamed =
      fs_.Rename(source->parent.inode(), source->name, target->parent.inode(), target->name, mode, left);
  return NamePaths(renamed, from, to);
}

absl::Status PathFileSystem::Clone(std::string_view from, std::string_view to) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(from));
  const absl::StatusOr<Place> place = Locate(to);
  if (!place.ok()) return NamePath(place.status(), to);
  const absl::StatusOr<Entry> entry = fs_.Clone(file.inode(), place->parent.inode(), place->name);
  if (entry.ok()) fs_.Forget(entry->inode);
  return NamePaths(entry.status(), from, to);
}

absl::StatusOr<FileAttributes> PathFileSystem::SetAttributes(std::string_view path, const AttributeChange& change) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  absl::StatusOr<FileAttributes> attributes = fs_.SetAttributes(file.inode(), change);
  if (!attributes.ok()) return NamePath(attributes.status(), path);
  return attributes;
}

absl::StatusOr<std::string> PathFileSystem::ReadLink(std::string_view path) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  absl::StatusOr<std::string> target = fs_.ReadLink(file.inode());
  if (!target.ok()) return NamePath(target.status(), path);
  return target;
}

absl::StatusOr<std::string> PathFileSystem::ReadFile(std::string_view path) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  std::string content(file.attributes().type == FileType::kRegular ? file.attributes().size : 0, '\0');
  const absl::StatusOr<size_t> read = fs_.Read(file.inode(), 0, content);
  if (!read.ok()) return NamePath(read.status(), path);
  content.resize(*read);
  return content;
}

absl::Status PathFileSystem::WriteFile(std::string_view path, std::string_view content, uint32_t permissions) {
  NewFile fresh;
  fresh.permissions = permissions;
  absl::StatusOr<OpenFile> file = Create(path, fresh);
  if (!file.ok() && ToErrno(file.status()) == EEXIST) {
    file = Open(path);
    AttributeChange empty;
    empty.size = 0;
    if (file.ok()) BETR_RETURN_IF_ERROR(NamePath(fs_.SetAttributes(file->inode(), empty).status(), path));
  }
  BETR_RETURN_IF_ERROR(file.status());
  return NamePath(fs::WriteAll(&fs_, file->inode(), 0, content), path);
}

absl::StatusOr<std::vector<std::string>> PathFileSystem::List(std::string_view path) {
  BETR_ASSIGN_OR_RETURN(const OpenFile directory, Open(path));
  std::vector<std::string> names;
  const absl::Status listed = fs_.ReadDirectory(directory.inode(), "", [&](const DirectoryEntry& entry) {
    names.emplace_back(entry.name);
    return true;
  });
  if (!listed.ok()) return NamePath(listed, path);
  return names;
}

absl::Status PathFileSystem::Walk(std::string_view path, const Visitor& visit) {
  BETR_ASSIGN_OR_RETURN(const OpenFile top, Open(path));
  BETR_RETURN_IF_ERROR(visit("", top.attributes()));
  return top.attributes().type == FileType::kDirectory ? WalkBelow(top, "", visit) : absl::OkStatus();
}

absl::Status PathFileSystem::WalkBelow(const OpenFile& directory, const std::string& prefix, const Visitor& visit) {
  std::vector<std::string> subdirectories;
  absl::Status status;
  const absl::Status listed = fs_.ReadDirectory(directory.inode(), "", [&](const DirectoryEntry& entry) {
    if (entry.attributes.type == FileType::kDirectory) subdirectories.emplace_back(entry.name);
    status = visit(absl::StrFormat("%s%s", prefix, entry.name), entry.attributes);
    return status.ok();
  });
  BETR_RETURN_IF_ERROR(status);
  BETR_RETURN_IF_ERROR(NamePath(listed, prefix));
  for (const std::string& name : subdirectories) {
    const absl::StatusOr<OpenFile> below = OpenName(directory.inode(), name);
    if (!below.ok()) return NamePath(below.status(), prefix + name);
    BETR_RETURN_IF_ERROR(WalkBelow(*below, prefix + name + "/", visit));
  }
  return absl::OkStatus();
}

absl::Status PathFileSystem::FindDifferences(std::string_view before, std::string_view after,
                                             absl::FunctionRef<absl::Status(const EntryDifference&)> visit) {
  BETR_ASSIGN_OR_RETURN(const OpenFile from, Open(before));
  BETR_ASSIGN_OR_RETURN(const OpenFile to, Open(after));
  return fs_.FindDifferences(from.inode(), to.inode(), visit);
}

}  // namespace betr
