// SPDX-License-Identifier: Apache-2.0
// From an archive into a file system. What an archive does not tell of times is the time of modification.
#include <absl/strings/str_join.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <utility>

#include "base/status.h"
#include "fs/acl.h"
#include "fs/path_names.h"
#include "fs/record.h"
#include "fs/replace.h"
#include "fs/tar/tar_acl.h"
#include "fs/tar/tar_copy.h"
#include "fs/tar/tar_directories.h"
#include "fs/tar/tar_headers.h"
#include "fs/tar/tar_layer.h"
#include "fs/tar/tar_reader.h"
#include "fs/write_all.h"

namespace betr::fs {
namespace {

constexpr Bytes kProgressStep = MiB(4);

using Names = std::vector<std::string>;

std::map<std::string, std::string> XattrsOf(archive_entry* entry) {
  std::map<std::string, std::string> xattrs;
  archive_entry_xattr_reset(entry);
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
    if (name != nullptr) xattrs[name] = std::string(static_cast<const char*>(value), size);
  }
  return PlainXattrs(std::move(xattrs));
}

class TarImport {
 public:
  TarImport(FileSystem* fs, int descriptor, const std::string& inside, const CopyOptions& options)
      : fs_(*fs),
        options_(options),
        top_(NormalNames(inside)),
        reader_(descriptor),
        directories_(fs, options, top_.size()),
        layer_(fs, &directories_, top_.size(), options, &totals_) {}

  absl::StatusOr<CopyTotals> Run() {
    BETR_RETURN_IF_ERROR(directories_.Enter(top_).status());
    const absl::Status status = ImportAll();
    const absl::Status left = directories_.Leave();
    BETR_RETURN_IF_ERROR(status);
    BETR_RETURN_IF_ERROR(left);
    return totals_;
  }

 private:
  absl::Status ImportAll() {
    for (;;) {
      BETR_ASSIGN_OR_RETURN(archive_entry* const entry, reader_.Next());
      if (entry == nullptr) return absl::OkStatus();
      if (IsExcluded(entry)) {
        ++totals_.excluded;
        continue;
      }
      ++totals_.files;
      BETR_RETURN_IF_ERROR(Progress());
      BETR_RETURN_IF_ERROR(Annotate(ImportEntry(entry), reader_.name()));
    }
  }

  bool IsExcluded(archive_entry* entry) const {
    const absl::StatusOr<Names> below = SplitArchiveName(reader_.name());
    const FileType type = TypeOfMode(archive_entry_filetype(entry)).value_or(FileType::kRegular);
    return below.ok() && !below->empty() && options_.exclusions.ExcludesWithParents(absl::StrJoin(*below, "/"), type);
  }

  absl::Status Progress() const {
    return options_.progress ? options_.progress(totals_, reader_.name()) : absl::OkStatus();
  }

  absl::Status ImportEntry(archive_entry* entry) {
    absl::StatusOr<Names> path = FullPath(reader_.name());
    if (!path.ok()) return PassOver(path.status());
    const std::optional<FileType> type = TypeOfMode(archive_entry_filetype(entry));
    if (path->size() == top_.size()) return ImportTop(entry, type);
    if (options_.is_layer) {
      const absl::StatusOr<bool> said = layer_.Apply(*path);
      if (!said.ok()) return PassOver(said.status());
      if (*said) return absl::OkStatus();
    }
    const std::string name = std::move(path->back());
    path->pop_back();
    const char* const first = archive_entry_hardlink(entry);
    if (first != nullptr) return ImportLink(entry, first, *path, name);
    if (!type) return absl::InvalidArgumentError("a file of an unknown type");
    BETR_ASSIGN_OR_RETURN(const NewFile file, Describe(entry, *type));
    const absl::StatusOr<InodeId> parent = directories_.Enter(*path);
    if (!parent.ok()) return PassOver(parent.status());
    const absl::Status way = MakeWay(*parent, name, *type == FileType::kDirectory);
    if (!way.ok()) return PassOver(way);
    const absl::StatusOr<OpenFile> made = Make(*parent, name, file);
    if (!made.ok()) return PassOver(made.status());
    if (*type == FileType::kRegular) BETR_RETURN_IF_ERROR(CopyContent(entry, made->inode()));
    return FinishAttributes(entry, *type, made->inode());
  }

  // An entry without a place does not keep others from theirs.
  absl::Status PassOver(const absl::Status& status) { return HasNoPlace(status) ? Tell(status) : status; }

  absl::Status Tell(const absl::Status& status) {
    if (!options_.gone_without) return status;
    ++totals_.gone_without;
    options_.gone_without(Annotate(status, reader_.name()));
    return absl::OkStatus();
  }

  absl::StatusOr<Names> FullPath(std::string_view name) const {
    BETR_ASSIGN_OR_RETURN(const Names below, SplitArchiveName(name));
    Names path = top_;
    path.insert(path.end(), below.begin(), below.end());
    size_t size = 0;
    for (const std::string& part : path) size += part.size() + 1;
    if (size > kMaxPathSize + 1) return ErrnoError(ENAMETOOLONG, "path");
    return path;
  }

  absl::Status ImportTop(archive_entry* entry, std::optional<FileType> type) {
    if (type != FileType::kDirectory) return PassOver(ErrnoError(ENOTDIR, "the directory that is unpacked into"));
    BETR_ASSIGN_OR_RETURN(const InodeId top, directories_.Enter(top_));
    return FinishAttributes(entry, FileType::kDirectory, top);
  }

  absl::StatusOr<NewFile> Describe(archive_entry* entry, FileType type) const {
    NewFile file;
    file.type = type;
    file.permissions = Permissions(entry);
    BETR_ASSIGN_OR_RETURN(file.uid, Owner(archive_entry_uid(entry), options_.uid));
    BETR_ASSIGN_OR_RETURN(file.gid, Owner(archive_entry_gid(entry), options_.gid));
    if (IsDevice(type)) file.device = archive_entry_rdev(entry);
    if (type == FileType::kSymlink) {
      const char* const target = archive_entry_symlink(entry);
      if (target == nullptr) return absl::InvalidArgumentError("a symbolic link without a target");
      file.target = target;
    }
    return file;
  }

  uint32_t Permissions(archive_entry* entry) const {
    return PermissionsOf(entry) & (options_.all_attributes ? 07777U : 0777U);
  }

  absl::StatusOr<uint32_t> Owner(la_int64_t in_archive, uint32_t otherwise) const {
    if (options_.all_root) return 0;
    if (!options_.all_attributes) return otherwise;
    if (in_archive < 0 || in_archive > std::numeric_limits<uint32_t>::max()) {
      return absl::InvalidArgumentError("an owner of more than 32 bits");
    }
    return static_cast<uint32_t>(in_archive);
  }

  absl::Status MakeWay(InodeId parent, const std::string& name, bool for_directory) {
    return options_.is_layer ? layer_.MakeWay(parent, name, for_directory) : absl::OkStatus();
  }

  absl::StatusOr<OpenFile> Make(InodeId parent, const std::string& name, const NewFile& file) {
    BETR_ASSIGN_OR_RETURN(const Entry entry, CreateOrReplace(&fs_, parent, name, file));
    return OpenFile::Take(&fs_, entry);
  }

  absl::Status CopyContent(archive_entry* entry, InodeId inode) {
    uint64_t end = 0;
    BETR_RETURN_IF_ERROR(reader_.ReadContent([&](uint64_t offset, std::string_view bytes) -> absl::Status {
      if (absl::Status written = WriteAll(&fs_, inode, offset, bytes); !written.ok()) return written;
      end = std::max(end, offset + bytes.size());
      const uint64_t steps = totals_.bytes.value / kProgressStep.value;
      totals_.bytes += Bytes{bytes.size()};
      return steps == totals_.bytes.value / kProgressStep.value ? absl::OkStatus() : Progress();
    }));
    const la_int64_t size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : 0;
    if (size <= 0 || static_cast<uint64_t>(size) <= end) return absl::OkStatus();
    AttributeChange change;  // the file ends with a hole
    change.size = static_cast<uint64_t>(size);
    return fs_.SetAttributes(inode, change).status();
  }

  // Another name for what the archive has under `first`.
  absl::Status ImportLink(archive_entry* entry, const std::string& first, const Names& path, const std::string& name) {
    absl::StatusOr<OpenFile> target = OpenTarget(first);
    if (!target.ok()) return PassOver(Annotate(target.status(), "link to " + first));
    const absl::StatusOr<InodeId> parent = directories_.Enter(path);
    if (!parent.ok()) return PassOver(parent.status());
    if (const absl::Status way = MakeWay(*parent, name, false); !way.ok()) return PassOver(way);
    if (!options_.all_attributes) {
      target = CopyOf(*target, *parent, name);
      if (!target.ok()) return PassOver(target.status());
    } else if (const absl::Status linked = Link(*target, *parent, name); !linked.ok()) {
      return PassOver(linked);
    }
    const bool has_content = target->attributes().type == FileType::kRegular && archive_entry_size(entry) > 0;
    if (has_content) BETR_RETURN_IF_ERROR(CopyContent(entry, target->inode()));
    if (!has_content && options_.all_attributes) return absl::OkStatus();
    return FinishAttributes(entry, target->attributes().type, target->inode());
  }

  absl::StatusOr<OpenFile> OpenTarget(const std::string& first) {
    BETR_ASSIGN_OR_RETURN(Names path, FullPath(first));
    if (path.size() == top_.size()) return ErrnoError(EPERM, "a directory");
    const std::string name = std::move(path.back());
    path.pop_back();
    BETR_ASSIGN_OR_RETURN(const InodeId parent, directories_.Enter(path, TarDirectories::Missing::kFail));
    BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.Lookup(parent, name));
    BETR_ASSIGN_OR_RETURN(OpenFile target, OpenFile::Take(&fs_, entry));
    if (target.attributes().type == FileType::kDirectory) return ErrnoError(EPERM, "a directory");
    return target;
  }

  absl::Status Link(const OpenFile& target, InodeId parent, const std::string& name) {
    BETR_RETURN_IF_ERROR(LinkOrReplace(&fs_, target.inode(), parent, name));
    AttributeChange change;
    change.changed = Limited(target.attributes().changed);
    return fs_.SetAttributes(target.inode(), change).status();
  }

  // A file of its own, where links are not kept.
  absl::StatusOr<OpenFile> CopyOf(const OpenFile& target, InodeId parent, const std::string& name) {
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(target.inode()));
    NewFile file;
    file.type = attributes.type;
    file.permissions = attributes.permissions & 0777;
    file.uid = options_.all_root ? 0 : options_.uid;
    file.gid = options_.all_root ? 0 : options_.gid;
    file.device = attributes.device;
    if (file.type == FileType::kSymlink) {
      BETR_ASSIGN_OR_RETURN(file.target, fs_.ReadLink(target.inode()));
    }
    BETR_ASSIGN_OR_RETURN(OpenFile made, Make(parent, name, file));
    uint64_t at = 0;
    while (file.type == FileType::kRegular && at < attributes.size) {
      BETR_ASSIGN_OR_RETURN(const uint64_t copied,
                            fs_.CopyRange(target.inode(), at, made.inode(), at, attributes.size - at));
      if (copied == 0) break;
      at += copied;
    }
    return made;
  }

  FileTime Limited(FileTime time) const { return options_.latest_time ? std::min(time, *options_.latest_time) : time; }

  absl::StatusOr<FileTime> ToTime(const EntryTime& time) const {
    if (time.nanoseconds < 0 || time.nanoseconds >= 1'000'000'000) {
      return absl::InvalidArgumentError("a time that there is not");
    }
    if (reader_.IsTar()) return FromPax(time);
    return FileTime{time.seconds, static_cast<uint32_t>(time.nanoseconds)};
  }

  absl::Status SetTimes(archive_entry* entry, AttributeChange* change) const {
    FileTime modified = options_.latest_time ? *options_.latest_time : fs_.Now();
    if (archive_entry_mtime_is_set(entry) != 0) {
      BETR_ASSIGN_OR_RETURN(modified, ToTime({archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)}));
    }
    change->accessed = change->modified = change->changed = change->born = modified;
    if (archive_entry_atime_is_set(entry) != 0) {
      BETR_ASSIGN_OR_RETURN(change->accessed, ToTime({archive_entry_atime(entry), archive_entry_atime_nsec(entry)}));
    }
    if (archive_entry_ctime_is_set(entry) != 0) {
      BETR_ASSIGN_OR_RETURN(change->changed, ToTime({archive_entry_ctime(entry), archive_entry_ctime_nsec(entry)}));
    }
    if (archive_entry_birthtime_is_set(entry) != 0) {
      BETR_ASSIGN_OR_RETURN(change->born,
                            ToTime({archive_entry_birthtime(entry), archive_entry_birthtime_nsec(entry)}));
    }
    for (auto* time : {&change->accessed, &change->modified, &change->changed, &change->born}) *time = Limited(**time);
    return absl::OkStatus();
  }

  // Of a directory that a layer changes and that was there before: attributes that it has no more.
  absl::Status RemoveOtherXattrs(InodeId inode, const std::map<std::string, std::string>& xattrs) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(inode));
    for (const std::string& name : names) {
      if (!xattrs.contains(name)) BETR_RETURN_IF_ERROR(fs_.RemoveXattr(inode, name));
    }
    return absl::OkStatus();
  }

  // Whether the names of a file's extended attributes leave room for another.
  absl::StatusOr<bool> NamesFit(InodeId inode, const std::string& name) {
    BETR_ASSIGN_OR_RETURN(const Names names, fs_.ListXattrs(inode));
    std::vector<XattrRecord> xattrs;
    for (const std::string& there : names) {
      if (there == name) return true;
      xattrs.push_back({.name = there, .value = {}});
    }
    return XattrNamesFit(xattrs, name);
  }

  // One that no file can have does not keep the file from its place. False if it is left out.
  absl::StatusOr<bool> SetXattr(InodeId inode, const std::string& name, const std::string& value) {
    const absl::Status set = fs_.SetXattr(inode, name, value);
    if (set.ok()) return true;
    const int error = ToErrno(set);
    bool is_told = error == E2BIG || error == ERANGE || error == EINVAL;
    if (error == ENOSPC) {
      BETR_ASSIGN_OR_RETURN(const bool fits, NamesFit(inode, name));
      is_told = !fits;
    }
    if (!is_told) return set;
    BETR_RETURN_IF_ERROR(Tell(Annotate(set, "without " + name)));
    return false;
  }

  // With access control lists. Returns the permissions that belong to them.
  absl::StatusOr<uint32_t> FinishXattrs(archive_entry* entry, FileType type, InodeId inode) {
    std::map<std::string, std::string> xattrs = XattrsOf(entry);
    uint32_t permissions = Permissions(entry);
    const auto tell = [this](const absl::Status& status) { return Tell(status); };
    BETR_RETURN_IF_ERROR(ReadAcls(entry, type, &xattrs, &permissions, tell));
    // One that was there before may have lists.
    if (type == FileType::kDirectory) BETR_RETURN_IF_ERROR(RemoveAcls(fs_, inode));
    if (type == FileType::kDirectory && options_.is_layer) BETR_RETURN_IF_ERROR(RemoveOtherXattrs(inode, xattrs));
    for (const auto& [name, value] : xattrs) {
      BETR_ASSIGN_OR_RETURN(const bool is_set, SetXattr(inode, name, value));
      if (!is_set && name == kAccessAcl) permissions = PermissionsWithout(value, permissions);
    }
    return permissions;
  }

  // Extended attributes, and then what making and filling has changed.
  absl::Status FinishAttributes(archive_entry* entry, FileType type, InodeId inode) {
    AttributeChange change;
    if (options_.all_attributes) {
      BETR_ASSIGN_OR_RETURN(const uint32_t permissions, FinishXattrs(entry, type, inode));
      if (type != FileType::kSymlink) change.permissions = permissions;
      BETR_ASSIGN_OR_RETURN(change.uid, Owner(archive_entry_uid(entry), options_.uid));
      BETR_ASSIGN_OR_RETURN(change.gid, Owner(archive_entry_gid(entry), options_.gid));
      BETR_RETURN_IF_ERROR(SetTimes(entry, &change));
    } else if (options_.latest_time) {
      change.accessed = change.modified = change.changed = change.born = *options_.latest_time;
    } else {
      return absl::OkStatus();
    }
    BETR_RETURN_IF_ERROR(fs_.SetAttributes(inode, change).status());
    return type == FileType::kDirectory ? directories_.Keep(inode) : absl::OkStatus();
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  const Names top_;
  TarReader reader_;
  TarDirectories directories_;
  CopyTotals totals_;
  LayerRemover layer_;
};

}  // namespace

absl::StatusOr<CopyTotals> ImportTar(FileSystem* fs, int descriptor, const std::string& inside,
                                     const CopyOptions& options) {
  return TarImport(fs, descriptor, inside, options).Run();
}

absl::Status CheckTar(int descriptor) {
  struct stat file {};
  const off_t start = lseek(descriptor, 0, SEEK_CUR);
  if (start < 0 || fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return absl::OkStatus();
  absl::Status status = TarReader(descriptor).Next().status();
  if (lseek(descriptor, start, SEEK_SET) != start) return ErrnoError(errno, "archive: lseek");
  return status;
}

}  // namespace betr::fs
