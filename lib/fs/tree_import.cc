// SPDX-License-Identifier: Apache-2.0
// From the host into a file system.
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/acl.h"
#include "fs/host_directory.h"
#include "fs/host_file.h"
#include "fs/host_inode.h"
#include "fs/replace.h"
#include "fs/tree_copy.h"
#include "fs/write_all.h"

namespace betr::fs {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

// A reference on an inode, given back when it goes.
class Held {
 public:
  Held(FileSystem* fs, InodeId inode) : fs_(fs), inode_(inode) {}
  Held(Held&& other) noexcept : fs_(std::exchange(other.fs_, nullptr)), inode_(other.inode_) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (fs_ != nullptr) fs_->Forget(inode_);
  }
  InodeId inode() const { return inode_; }

 private:
  FileSystem* fs_;
  InodeId inode_;
};

class TreeImport {
 public:
  TreeImport(FileSystem* fs, const CopyOptions& options) : fs_(*fs), options_(options), buffer_(kBufferSize, '\0') {}

  // To be called for one after the other.
  absl::Status Import(const std::string& host, const std::string& inside) {
    struct stat host_stat {};
    if (fstatat(AT_FDCWD, host.c_str(), &host_stat, AT_SYMLINK_NOFOLLOW) != 0) {
      return PassOver(HostError(host, "stat"));
    }
    PathFileSystem paths(&fs_);
    const size_t end = inside.find_last_not_of('/');
    if (end == std::string::npos) return ImportIntoRoot(host, host_stat);
    const std::string trimmed = inside.substr(0, end + 1);
    const size_t slash = trimmed.rfind('/');
    const std::string name = slash == std::string::npos ? trimmed : trimmed.substr(slash + 1);
    BETR_ASSIGN_OR_RETURN(const OpenFile parent,
                          paths.Open(slash == std::string::npos ? "" : trimmed.substr(0, slash)));
    HostDirectory working;
    return ImportNamed({&working, host, host}, parent.inode(), name, host_stat);
  }

  const CopyTotals& totals() const { return totals_; }

 private:
  struct Source {
    HostDirectory* directory;
    std::string name;  // in the directory
    std::string path;  // for messages
  };
  struct Subdirectory {
    Held inode;
    std::string name;
    struct stat host_stat;
  };

  absl::Status ImportIntoRoot(const std::string& host, const struct stat& host_stat) {
    if (!S_ISDIR(host_stat.st_mode)) {
      errno = ENOTDIR;
      return HostError(host, "import as the root directory");
    }
    BETR_RETURN_IF_ERROR(Begin(host));
    HostDirectory working;
    return ImportContent({&working, host, host}, kRootInode, host_stat);
  }

  absl::Status Begin(const std::string& path) {
    ++totals_.files;
    return options_.progress ? options_.progress(totals_, path) : absl::OkStatus();
  }

  // What cannot be read on the host is told of and left out, if anybody wants to be told.
  absl::Status PassOver(const absl::Status& status) {
    if (!options_.unreadable) return status;
    ++totals_.unreadable;
    options_.unreadable(status);
    return absl::OkStatus();
  }

  // What the user has named: a file of any type, with everything below it.
  absl::Status ImportNamed(const Source& source, InodeId parent, const std::string& name,
                           const struct stat& host_stat) {
    BETR_RETURN_IF_ERROR(Begin(source.path));
    if (options_.image == IdOf(host_stat)) return IsTheImage(source);
    if (!S_ISDIR(host_stat.st_mode)) return ImportFile(source, parent, name, host_stat);
    BETR_ASSIGN_OR_RETURN(const Held made, Make(source, parent, name, host_stat, ""));
    return ImportContent(source, made.inode(), host_stat);
  }

  static absl::Status IsTheImage(const Source& source) {
    return ErrnoError(EINVAL, source.path + ": the image cannot be in itself");
  }

  // All entries of a directory, then what is below each: the order of the keys. Then the attributes of the directory.
  absl::Status ImportContent(const Source& source, InodeId directory, const struct stat& host_stat) {
    absl::StatusOr<HostDirectory> opened = HostDirectory::Enter(source.directory, source.name, source.path);
    if (!opened.ok()) {
      BETR_RETURN_IF_ERROR(PassOver(opened.status()));
      const bool is_there = absl::IsPermissionDenied(opened.status());
      return is_there ? FinishAttributes(directory, source, -1, host_stat) : absl::OkStatus();
    }
    const absl::StatusOr<std::vector<std::string>> names = ListHostDirectory(opened->get(), source.path);
    if (!names.ok()) BETR_RETURN_IF_ERROR(PassOver(names.status()));
    std::vector<Subdirectory> below;
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      BETR_RETURN_IF_ERROR(ImportEntry({&*opened, name, source.path + "/" + name}, directory, &below));
    }
    for (const Subdirectory& sub : below) {
      const Source entry{&*opened, sub.name, source.path + "/" + sub.name};
      BETR_RETURN_IF_ERROR(ImportContent(entry, sub.inode.inode(), sub.host_stat));
    }
    BETR_RETURN_IF_ERROR(opened->Leave(source.path));
    return FinishAttributes(directory, source, opened->get(), opened->attributes());
  }

  // A directory is only made: `below` gets it.
  absl::Status ImportEntry(const Source& entry, InodeId directory, std::vector<Subdirectory>* below) {
    struct stat host_stat {};
    if (fstatat(entry.directory->get(), entry.name.c_str(), &host_stat, AT_SYMLINK_NOFOLLOW) != 0) {
      return PassOver(HostError(entry.path, "stat"));
    }
    BETR_RETURN_IF_ERROR(Begin(entry.path));
    if (!S_ISDIR(host_stat.st_mode)) return ImportFile(entry, directory, entry.name, host_stat);
    BETR_ASSIGN_OR_RETURN(Held made, Make(entry, directory, entry.name, host_stat, ""));
    below->push_back({std::move(made), entry.name, host_stat});
    return absl::OkStatus();
  }

  absl::Status ImportFile(const Source& source, InodeId parent, const std::string& name, struct stat host_stat) {
    // Before anything makes room for it.
    ScopedFd content;
    std::string link;
    const absl::Status opened = Open(source, &host_stat, &content, &link);
    if (!opened.ok()) return PassOver(opened);
    if (options_.image == IdOf(host_stat)) {
      if (!options_.left_out) return IsTheImage(source);
      options_.left_out(source.path + ": is the image itself");
      return absl::OkStatus();
    }
    const std::pair key(host_stat.st_dev, host_stat.st_ino);
    const bool linked = options_.all_attributes && host_stat.st_nlink > 1;
    if (const auto first = linked ? links_.find(key) : links_.end(); first != links_.end()) {
      BETR_ASSIGN_OR_RETURN(const FileAttributes copy, fs_.GetAttributes(first->second.inode()));
      if (copy.links > 0) return Annotate(LinkOrReplace(&fs_, first->second.inode(), parent, name), source.path);
      links_.erase(first);  // something else has taken all its names
    }
    BETR_ASSIGN_OR_RETURN(Held made, Make(source, parent, name, host_stat, link));
    if (content.get() >= 0) BETR_RETURN_IF_ERROR(CopyContent(content.get(), source.path, made.inode()));
    BETR_RETURN_IF_ERROR(FinishAttributes(made.inode(), source, content.get(), host_stat));
    if (linked) links_.emplace(key, std::move(made));
    return absl::OkStatus();
  }

  // What is no directory, as far as it is to be read: `content` of a regular file, the target of a symlink.
  static absl::Status Open(const Source& source, struct stat* host_stat, ScopedFd* content, std::string* link) {
    if (S_ISREG(host_stat->st_mode)) {
      BETR_ASSIGN_OR_RETURN(*content, OpenRegular(source, host_stat));
    } else if (S_ISLNK(host_stat->st_mode)) {
      BETR_ASSIGN_OR_RETURN(*link, Target(source, *host_stat));
    } else if (!TypeOfMode(host_stat->st_mode)) {
      return absl::InvalidArgumentError(source.path + ": a file of an unknown type");
    }
    return absl::OkStatus();
  }

  // What has the name may be another file than the one that was looked at: what is opened is what counts. A fifo is not
  // waited for, and a device not read.
  static absl::StatusOr<ScopedFd> OpenRegular(const Source& source, struct stat* host_stat) {
    constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
    BETR_ASSIGN_OR_RETURN(ScopedFd file, OpenAt(source.directory->get(), source.name, kFlags, 0, source.path));
    if (fstat(file.get(), host_stat) != 0) return HostError(source.path, "stat");
    if (!S_ISREG(host_stat->st_mode)) return absl::AbortedError(source.path + ": is no regular file any more");
    return file;
  }

  absl::StatusOr<Held> Make(const Source& source, InodeId parent, const std::string& name, const struct stat& host_stat,
                            const std::string& link) {
    NewFile file;
    file.type = TypeOfMode(host_stat.st_mode).value_or(FileType::kRegular);
    file.permissions = Permissions(host_stat);
    file.uid = Owner(host_stat.st_uid, options_.uid);
    file.gid = Owner(host_stat.st_gid, options_.gid);
    file.device = host_stat.st_rdev;
    file.target = link;
    const absl::StatusOr<Entry> entry = CreateOrReplace(&fs_, parent, name, file);
    if (!entry.ok()) return Annotate(entry.status(), source.path);
    return Held(&fs_, entry->inode);
  }

  uint32_t Permissions(const struct stat& host_stat) const {
    return host_stat.st_mode & (options_.all_attributes ? 07777 : 0777);
  }

  uint32_t Owner(uint32_t on_host, uint32_t otherwise) const {
    return options_.all_root ? 0 : options_.all_attributes ? on_host : otherwise;
  }

  static absl::StatusOr<std::string> Target(const Source& source, const struct stat& host_stat) {
    std::string target(static_cast<size_t>(std::max<off_t>(host_stat.st_size, 4096)), '\0');
    const ssize_t size = readlinkat(source.directory->get(), source.name.c_str(), target.data(), target.size());
    if (size < 0) return HostError(source.path, "readlink");
    target.resize(static_cast<size_t>(size));
    return target;
  }

  // The parts that are no holes.
  absl::Status CopyContent(int file, const std::string& path, InodeId inode) {
    struct stat now {};
    if (fstat(file, &now) != 0) return HostError(path, "stat");
    // Files that are made while they are read, as in /proc, have no size before.
    if (now.st_size == 0) return CopyPart(file, path, inode, 0, std::numeric_limits<off_t>::max()).status();
    const bool sparse = now.st_blocks * 512 < now.st_size;
    off_t at = 0;
    while (at < now.st_size) {
      off_t end = now.st_size;
      if (sparse) {
        const off_t data = lseek(file, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) break;
        if (data >= 0) {
          at = data;
          const off_t hole = lseek(file, at, SEEK_HOLE);
          end = hole < 0 ? now.st_size : std::min(hole, now.st_size);
        }
      }
      BETR_ASSIGN_OR_RETURN(const bool more, CopyPart(file, path, inode, at, end));
      if (!more) return absl::OkStatus();
      at = end;
    }
    BETR_ASSIGN_OR_RETURN(const FileAttributes written, fs_.GetAttributes(inode));
    if (written.size < static_cast<uint64_t>(now.st_size)) {
      return fs_.SetAttributes(inode, {.size = static_cast<uint64_t>(now.st_size)}).status();
    }
    return absl::OkStatus();
  }

  // False: the file ends before, or cannot be read further.
  absl::StatusOr<bool> CopyPart(int file, const std::string& path, InodeId inode, off_t at, off_t end) {
    while (at < end) {
      const size_t want = std::min<size_t>(buffer_.size(), static_cast<size_t>(end - at));
      const ssize_t size = pread(file, buffer_.data(), want, at);
      if (size < 0) {
        BETR_RETURN_IF_ERROR(
            PassOver(HostError(absl::StrFormat("%s: incomplete: only the first %u bytes", path, at), "read")));
        return false;
      }
      if (size == 0) return false;
      const std::string_view bytes(buffer_.data(), static_cast<size_t>(size));
      BETR_RETURN_IF_ERROR(Annotate(WriteAll(&fs_, inode, static_cast<uint64_t>(at), bytes), path));
      totals_.bytes += Bytes{bytes.size()};
      at += size;
      if (options_.progress && at < end) BETR_RETURN_IF_ERROR(options_.progress(totals_, path));
    }
    return true;
  }

  // Extended attributes, and then what making and filling has changed. `opened` is the source, or -1.
  absl::Status FinishAttributes(InodeId inode, const Source& source, int opened, const struct stat& host_stat) {
    const std::string& path = source.path;
    if (!options_.all_attributes && !options_.latest_time) return absl::OkStatus();
    AttributeChange change;
    if (options_.all_attributes) {
      const auto xattrs = HostInode(opened, source.directory->get(), source.name, path).Xattrs();
      if (!xattrs.ok()) BETR_RETURN_IF_ERROR(PassOver(xattrs.status()));
      // One that was there before may have lists.
      if (S_ISDIR(host_stat.st_mode)) BETR_RETURN_IF_ERROR(Annotate(RemoveAcls(fs_, inode), path));
      for (size_t i = 0; xattrs.ok() && i < xattrs->size(); ++i) {
        const auto& [name, value] = (*xattrs)[i];
        BETR_RETURN_IF_ERROR(Annotate(fs_.SetXattr(inode, name, value), path));
      }
      change.permissions = Permissions(host_stat);
      change.uid = Owner(host_stat.st_uid, options_.uid);
      change.gid = Owner(host_stat.st_gid, options_.gid);
      change.accessed = ToFileTime(host_stat.st_atim);
      change.modified = ToFileTime(host_stat.st_mtim);
    }
    if (options_.latest_time) {
      // Reading the input changes its access times, and the clock goes on: neither may show.
      const FileTime modified = std::min(change.modified.value_or(*options_.latest_time), *options_.latest_time);
      change.accessed = change.modified = change.changed = change.born = modified;
    }
    return Annotate(fs_.SetAttributes(inode, change).status(), path);
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  CopyTotals totals_;
  std::string buffer_;
  std::map<std::pair<dev_t, ino_t>, Held> links_;  // the first copy of inodes with several links
};

}  // namespace

absl::StatusOr<CopyTotals> ImportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options) {
  TreeImport import(fs, options);
  for (const CopyPair& tree : trees) BETR_RETURN_IF_ERROR(import.Import(tree.from, tree.to));
  return import.totals();
}

}  // namespace betr::fs
