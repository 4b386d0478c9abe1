// SPDX-License-Identifier: Apache-2.0
// From a file system to the host.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/host_file.h"
#include "fs/replace.h"
#include "fs/tree_copy.h"

namespace betr::fs {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

mode_t Umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

class TreeExport {
 public:
  TreeExport(FileSystem* fs, const CopyOptions& options)
      : fs_(*fs), options_(options), umask_(Umask()), is_root_(geteuid() == 0), buffer_(kBufferSize, '\0') {}

  // To be called for one after the other.
  absl::Status Export(const std::string& inside, const std::string& host) {
    PathFileSystem paths(&fs_);
    BETR_ASSIGN_OR_RETURN(const OpenFile source, paths.Open(inside));
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(source.inode()));
    return ExportOne(source.inode(), attributes, {AT_FDCWD, host, host});
  }

  const CopyTotals& totals() const { return totals_; }

 private:
  struct Target {
    int directory;
    std::string name;
    std::string path;
  };
  struct Item {
    std::string name;
    FileAttributes attributes;
  };

  absl::Status ExportOne(InodeId inode, const FileAttributes& attributes, const Target& target) {
    ++totals_.files;
    if (options_.progress) BETR_RETURN_IF_ERROR(options_.progress(totals_, target.path));
    if (attributes.type == FileType::kDirectory) return ExportDirectory(inode, attributes, target);
    const bool linked = options_.all_attributes && attributes.links > 1;
    if (const auto first = linked ? links_.find(attributes.inode_number) : links_.end(); first != links_.end()) {
      return MakeLink(first->second, attributes.type, target);
    }
    BETR_RETURN_IF_ERROR(attributes.type == FileType::kRegular ? ExportContent(inode, attributes, target)
                                                               : MakeSpecial(inode, attributes, target));
    BETR_RETURN_IF_ERROR(FinishAttributes(inode, attributes, target));
    if (linked) links_[attributes.inode_number] = target.path;
    return absl::OkStatus();
  }

  // All entries, then what is below each: the order in which they lie in the image.
  absl::Status ExportDirectory(InodeId inode, const FileAttributes& attributes, const Target& target) {
    if (mkdirat(target.directory, target.name.c_str(), 0700) != 0) {
      if (errno != EEXIST) return HostError(target.path, "mkdir");
      BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kDirectory));
    }
    BETR_ASSIGN_OR_RETURN(const HostFile opened,
                          OpenAt(target.directory, target.name, O_RDONLY | O_DIRECTORY, 0, target.path));
    std::vector<Item> items;
    BETR_RETURN_IF_ERROR(fs_.ReadDirectory(inode, "", [&](const DirectoryEntry& entry) {
      items.push_back({std::string(entry.name), entry.attributes});
      return true;
    }));
    for (const bool directories : {false, true}) {
      for (const Item& item : items) {
        if ((item.attributes.type == FileType::kDirectory) == directories) {
          BETR_RETURN_IF_ERROR(ExportItem(inode, item, {opened.get(), item.name, target.path + "/" + item.name}));
        }
      }
    }
    return FinishAttributes(inode, attributes, target);
  }

  absl::Status ExportItem(InodeId directory, const Item& item, const Target& target) {
    BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.Lookup(directory, item.name));
    absl::Status status = ExportOne(entry.inode, entry.attributes, target);
    fs_.Forget(entry.inode);
    return status;
  }

  // What has the name goes, unless two directories are merged.
  absl::Status MakeRoom(const Target& target, FileType type) {
    const bool for_directory = type == FileType::kDirectory;
    struct stat there {};
    if (fstatat(target.directory, target.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? absl::OkStatus() : HostError(target.path, "stat");
    }
    // Who names `/dev/null` as the target of a file does not want it replaced by that file.
    if (type == FileType::kRegular && (S_ISCHR(there.st_mode) || S_ISBLK(there.st_mode))) {
      return ErrnoError(EEXIST, target.path + ": is a device, which a file does not replace");
    }
    if (options_.image == IdOf(there)) return ErrnoError(EINVAL, target.path + ": is the image");
    BETR_RETURN_IF_ERROR(Annotate(CheckReplaces(S_ISDIR(there.st_mode), for_directory), target.path));
    if (!for_directory && unlinkat(target.directory, target.name.c_str(), 0) != 0) {
      return HostError(target.path, "unlink");
    }
    return absl::OkStatus();
  }

  absl::Status MakeLink(const std::string& first, FileType type, const Target& target) {
    BETR_RETURN_IF_ERROR(MakeRoom(target, type));
    if (linkat(AT_FDCWD, first.c_str(), target.directory, target.name.c_str(), 0) != 0) {
      return HostError(target.path, "link");
    }
    return absl::OkStatus();
  }

  absl::Status MakeSpecial(InodeId inode, const FileAttributes& attributes, const Target& target) {
    BETR_RETURN_IF_ERROR(MakeRoom(target, attributes.type));
    if (attributes.type == FileType::kSymlink) {
      BETR_ASSIGN_OR_RETURN(const std::string link, fs_.ReadLink(inode));
      if (symlinkat(link.c_str(), target.directory, target.name.c_str()) != 0) {
        return HostError(target.path, "symlink");
      }
    } else if (mknodat(target.directory, target.name.c_str(), ModeBits(attributes.type) | 0600,
                       static_cast<dev_t>(attributes.device)) != 0) {
      return HostError(target.path, "mknod");
    }
    return absl::OkStatus();
  }

  absl::Status ExportContent(InodeId inode, const FileAttributes& attributes, const Target& target) {
    BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kRegular));
    BETR_ASSIGN_OR_RETURN(const HostFile file,
                          OpenAt(target.directory, target.name, O_WRONLY | O_CREAT | O_EXCL, 0600, target.path));
    uint64_t at = 0;
    while (at < attributes.size) {
      uint64_t end = attributes.size;
      if (attributes.size > kBufferSize) {  // holes of smaller files are not worth looking for
        const absl::StatusOr<uint64_t> data = fs_.SeekData(inode, at);
        if (ToErrno(data.status()) == ENXIO) break;
        BETR_RETURN_IF_ERROR(Annotate(data.status(), target.path));
        at = *data;
        BETR_ASSIGN_OR_RETURN(end, fs_.SeekHole(inode, at));
      }
      BETR_RETURN_IF_ERROR(CopyPart(inode, file.get(), target.path, at, end));
      at = end;
    }
    if (ftruncate(file.get(), static_cast<off_t>(attributes.size)) != 0) return HostError(target.path, "truncate");
    return absl::OkStatus();
  }

  absl::Status CopyPart(InodeId inode, int file, const std::string& path, uint64_t at, uint64_t end) {
    while (at < end) {
      const size_t want = std::min<uint64_t>(buffer_.size(), end - at);
      const absl::StatusOr<size_t> size = fs_.Read(inode, at, {buffer_.data(), want});
      if (!size.ok()) return Annotate(size.status(), path);
      if (*size == 0) break;
      for (size_t done = 0; done < *size;) {
        const ssize_t written = pwrite(file, buffer_.data() + done, *size - done, static_cast<off_t>(at + done));
        if (written < 0) return HostError(path, "write");
        done += static_cast<size_t>(written);
      }
      totals_.bytes += Bytes{*size};
      at += *size;
      if (options_.progress && at < end) BETR_RETURN_IF_ERROR(options_.progress(totals_, path));
    }
    return absl::OkStatus();
  }

  // Owner first: it clears the set-id bits. Extended attributes while we may still write. Times last.
  absl::Status FinishAttributes(InodeId inode, const FileAttributes& attributes, const Target& target) {
    const bool symlink = attributes.type == FileType::kSymlink;
    const char* name = target.name.c_str();
    if (options_.all_attributes && is_root_ &&
        fchownat(target.directory, name, attributes.uid, attributes.gid, AT_SYMLINK_NOFOLLOW) != 0) {
      return HostError(target.path, "chown");
    }
    if (options_.all_attributes) BETR_RETURN_IF_ERROR(SetXattrs(inode, target.path));
    if (!symlink) BETR_RETURN_IF_ERROR(SetMode(attributes, target));
    if (!options_.all_attributes) return absl::OkStatus();
    const timespec times[2] = {ToTimespec(attributes.accessed), ToTimespec(attributes.modified)};
    if (utimensat(target.directory, name, times, AT_SYMLINK_NOFOLLOW) != 0) return HostError(target.path, "utimens");
    return absl::OkStatus();
  }

  // What is not its owner's on the host does not run as somebody else there.
  absl::Status SetMode(const FileAttributes& attributes, const Target& target) {
    mode_t mode = options_.all_attributes ? attributes.permissions : attributes.permissions & 0777 & ~umask_;
    if ((mode & (S_ISUID | S_ISGID)) != 0) {
      struct stat made {};
      if (fstatat(target.directory, target.name.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) {
        return HostError(target.path, "stat");
      }
      const bool same = made.st_uid == attributes.uid && made.st_gid == attributes.gid;
      if (!same) mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
    }
    return fchmodat(target.directory, target.name.c_str(), mode, 0) == 0 ? absl::OkStatus()
                                                                         : HostError(target.path, "chmod");
  }

  absl::Status SetXattrs(InodeId inode, const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(inode));
    for (const std::string& name : names) {
      BETR_ASSIGN_OR_RETURN(const std::string value, fs_.GetXattr(inode, name));
      if (lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) != 0 && errno != EOPNOTSUPP &&
          errno != EPERM) {
        return HostError(path, "setxattr");
      }
    }
    return absl::OkStatus();
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  const mode_t umask_;
  const bool is_root_;
  CopyTotals totals_;
  std::string buffer_;
  std::map<uint64_t, std::string> links_;  // inode number -> the first path on the host
};

}  // namespace

absl::StatusOr<CopyTotals> ExportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options) {
  TreeExport all(fs, options);
  for (const CopyPair& tree : trees) BETR_RETURN_IF_ERROR(all.Export(tree.from, tree.to));
  return all.totals();
}

}  // namespace betr::fs
