// SPDX-License-Identifier: Apache-2.0
// From a file system to the host.
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/acl.h"
#include "fs/export_reader.h"
#include "fs/exported_links.h"
#include "fs/host_directory.h"
#include "fs/host_file.h"
#include "fs/host_inode.h"
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

// Whether it says that the host will not have something, as a file system without owners, links or such names, or one
// for which the user has no rights, or where what has the name does not give way; and not that nothing more can be
// written.
bool IsRefused(const absl::Status& status) {
  constexpr std::array kErrors = {EPERM,  EACCES, EINVAL, EOPNOTSUPP, EILSEQ, ENAMETOOLONG,
                                  EMLINK, EFBIG,  EISDIR, ENOTDIR,    EEXIST};
  return !status.ok() && std::ranges::find(kErrors, ToErrno(status)) != kErrors.end();
}

// `d/.` is `d/`.
std::string WithoutDot(std::string path) {
  if (path.ends_with("/.")) path.pop_back();
  return path;
}

class TreeExport {
 public:
  TreeExport(FileSystem* fs, const CopyOptions& options)
      : fs_(*fs),
        options_(options),
        umask_(Umask()),
        is_root_(geteuid() == 0),
        reader_(fs, options),
        buffer_(kBufferSize, '\0') {}

  // To be called for one after the other.
  absl::Status Export(const std::string& inside, const std::string& host) {
    const absl::StatusOr<OpenFile> source = PathFileSystem(&fs_).Open(inside);
    if (!source.ok()) return PassOver(source.status(), inside);
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(source->inode()));
    HostDirectory working;
    const Target target{&working, host, host, host.size(), WithoutDot(inside)};
    return GoOnIfRefused(ExportOne(source->inode(), attributes, target), target.source);
  }

  CopyTotals totals() const {
    CopyTotals totals = totals_;
    totals.unreadable = reader_.passed_over();
    return totals;
  }

 private:
  struct Target {
    HostDirectory* directory;
    std::string name;
    std::string path;
    size_t top_size;     // what the user has named of the path
    std::string source;  // in the file system
  };
  struct Item {
    std::string name;
    FileAttributes attributes;
  };
  struct Content {
    InodeId inode;
    uint64_t size;  // as far as it can be read
    int file;
  };

  absl::Status PassOver(const absl::Status& status, const std::string& source) {
    return Annotate(reader_.PassOver(status, source), source);
  }

  absl::Status GoOnIfRefused(const absl::Status& status, const std::string& source) {
    return IsRefused(status) ? reader_.GoOnWithout(status, source) : status;
  }

  absl::Status ExportOne(InodeId inode, const FileAttributes& attributes, const Target& target) {
    ++totals_.files;
    if (options_.progress) BETR_RETURN_IF_ERROR(options_.progress(totals_, target.path));
    if (attributes.type == FileType::kDirectory) return ExportDirectory(inode, attributes, target);
    const bool linked = options_.all_attributes && attributes.links > 1;
    if (linked) {
      if (const auto first = links_.Find(attributes.inode_number)) {
        BETR_ASSIGN_OR_RETURN(const bool made, MakeLink(*first, attributes.type, target));
        if (made) return absl::OkStatus();
      }
    }
    std::string link;
    if (attributes.type == FileType::kSymlink) {
      absl::StatusOr<std::string> read = fs_.ReadLink(inode);
      if (!read.ok()) return PassOver(read.status(), target.source);
      link = *std::move(read);
    }
    ScopedFd file;
    if (attributes.type == FileType::kRegular) {
      BETR_ASSIGN_OR_RETURN(file, ExportContent(inode, attributes, target));
    } else {
      BETR_RETURN_IF_ERROR(MakeSpecial(link, attributes, target));
    }
    const HostInode made = InodeOf(target, file.get());
    BETR_RETURN_IF_ERROR(FinishAttributes(inode, attributes, made, target.source));
    return linked ? RememberLink(attributes.inode_number, target, made) : absl::OkStatus();
  }

  // All entries, then what is below each: the order in which they lie in the image.
  absl::Status ExportDirectory(InodeId inode, const FileAttributes& attributes, const Target& target) {
    const bool is_new = mkdirat(target.directory->get(), target.name.c_str(), 0700) == 0;
    if (!is_new) {
      if (errno != EEXIST) return HostError(target.path, "mkdir");
      BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kDirectory));
    }
    BETR_ASSIGN_OR_RETURN(HostDirectory opened, HostDirectory::Enter(target.directory, target.name, target.path));
    std::vector<Item> items;
    const absl::Status listed = fs_.ReadDirectory(inode, "", [&](const DirectoryEntry& entry) {
      items.push_back({std::string(entry.name), entry.attributes});
      return true;
    });
    BETR_RETURN_IF_ERROR(PassOver(Annotate(listed, "incomplete list of names"), target.source));
    for (const bool directories : {false, true}) {
      for (const Item& item : items) {
        if ((item.attributes.type == FileType::kDirectory) == directories) {
          BETR_RETURN_IF_ERROR(ExportItem(inode, item, Below(target, &opened, item.name)));
        }
      }
    }
    BETR_RETURN_IF_ERROR(opened.Leave(target.path));
    if (!is_new && !options_.all_attributes) return absl::OkStatus();
    return FinishAttributes(inode, attributes, InodeOf(target, opened.get()), target.source);
  }

  static bool IsDevice(FileType type) { return type == FileType::kCharDevice || type == FileType::kBlockDevice; }

  static HostInode InodeOf(const Target& target, int opened) {
    return {opened, target.directory->get(), target.name, target.path};
  }

  static Target Below(const Target& directory, HostDirectory* opened, const std::string& name) {
    const bool has_slash = directory.source.ends_with('/');
    return {opened, name, directory.path + "/" + name, directory.top_size,
            directory.source + (has_slash ? "" : "/") + name};
  }

  absl::Status ExportItem(InodeId directory, const Item& item, const Target& target) {
    const std::string_view below_top = std::string_view(target.path).substr(target.top_size);
    if (options_.exclusions.Excludes(below_top, item.attributes.type)) {
      ++totals_.excluded;
      return absl::OkStatus();
    }
    const absl::StatusOr<Entry> entry = fs_.Lookup(directory, item.name);
    if (!entry.ok()) return PassOver(entry.status(), target.source);
    const absl::Status status = ExportOne(entry->inode, entry->attributes, target);
    fs_.Forget(entry->inode);
    return GoOnIfRefused(status, target.source);
  }

  // What has the name goes, unless two directories are merged.
  absl::Status MakeRoom(const Target& target, FileType type) {
    const bool for_directory = type == FileType::kDirectory;
    struct stat there {};
    if (fstatat(target.directory->get(), target.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? absl::OkStatus() : HostError(target.path, "stat");
    }
    // Who names `/dev/null` as the target of a file does not want it replaced by that file.
    if (!IsDevice(type) && (S_ISCHR(there.st_mode) || S_ISBLK(there.st_mode))) {
      return ErrnoError(EEXIST, target.path + ": is a device, which only a device replaces");
    }
    if (options_.image == IdOf(there)) return ErrnoError(EINVAL, target.path + ": is the image");
    BETR_RETURN_IF_ERROR(Annotate(CheckReplaces(S_ISDIR(there.st_mode), for_directory), target.path));
    if (there.st_nlink == 1) links_.Forget(IdOf(there));
    if (!for_directory && unlinkat(target.directory->get(), target.name.c_str(), 0) != 0) {
      return HostError(target.path, "unlink");
    }
    return absl::OkStatus();
  }

  absl::Status RememberLink(uint64_t inode_number, const Target& target, const HostInode& made) {
    BETR_ASSIGN_OR_RETURN(const struct stat attributes, made.Stat());
    links_.Remember(inode_number, {target.path, target.top_size}, IdOf(attributes));
    return absl::OkStatus();
  }

  // False if the host will have no more links to it, which is told of.
  absl::StatusOr<bool> MakeLink(const ExportedLinks::First& first, FileType type, const Target& target) {
    struct stat there {};
    const bool is_there = fstatat(target.directory->get(), target.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && IdOf(there) == first.id) return true;
    BETR_RETURN_IF_ERROR(MakeRoom(target, type));
    if (linkat(first.directory.get(), first.name.c_str(), target.directory->get(), target.name.c_str(), 0) == 0) {
      return true;
    }
    const absl::Status refused = Annotate(HostError(target.path, "link"), "becomes a file of its own");
    BETR_RETURN_IF_ERROR(GoOnIfRefused(refused, target.source));
    return false;
  }

  absl::Status MakeSpecial(const std::string& link, const FileAttributes& attributes, const Target& target) {
    BETR_RETURN_IF_ERROR(MakeRoom(target, attributes.type));
    if (attributes.type == FileType::kSymlink) {
      if (symlinkat(link.c_str(), target.directory->get(), target.name.c_str()) != 0) {
        return HostError(target.path, "symlink");
      }
    } else if (mknodat(target.directory->get(), target.name.c_str(), ModeBits(attributes.type) | 0600,
                       static_cast<dev_t>(attributes.device)) != 0) {
      return HostError(target.path, "mknod");
    }
    return absl::OkStatus();
  }

  // The file, open for writing.
  absl::StatusOr<ScopedFd> ExportContent(InodeId inode, const FileAttributes& attributes, const Target& target) {
    BETR_RETURN_IF_ERROR(MakeRoom(target, FileType::kRegular));
    BETR_ASSIGN_OR_RETURN(ScopedFd file,
                          OpenAt(target.directory->get(), target.name, O_WRONLY | O_CREAT | O_EXCL, 0600, target.path));
    Content content{inode, attributes.size, file.get()};
    for (uint64_t at = 0; at < content.size;) {
      // Holes of smaller files are not worth looking for.
      std::optional<DataRange> data = DataRange{0, content.size};
      if (content.size > kBufferSize) {
        BETR_ASSIGN_OR_RETURN(data, reader_.NextData(inode, at, content.size));
      }
      if (!data) break;
      BETR_RETURN_IF_ERROR(CopyPart(&content, *data, target));
      at = data->end;
    }
    if (ftruncate(file.get(), static_cast<off_t>(content.size)) != 0) return HostError(target.path, "truncate");
    return file;
  }

  absl::Status CopyPart(Content* content, const DataRange& part, const Target& target) {
    for (uint64_t at = part.begin; at < part.end;) {
      const size_t want = std::min<uint64_t>(buffer_.size(), part.end - at);
      const absl::StatusOr<size_t> size = reader_.Read(content->inode, at, {buffer_.data(), want});
      if (!size.ok()) {
        const std::string what = absl::StrFormat("incomplete: only the first %u of %u bytes", at, content->size);
        content->size = at;
        return PassOver(Annotate(size.status(), what), target.source);
      }
      if (*size == 0) break;
      BETR_RETURN_IF_ERROR(WriteAt(content->file, {buffer_.data(), *size}, at, target.path));
      totals_.bytes += Bytes{*size};
      at += *size;
      if (options_.progress && at < part.end) BETR_RETURN_IF_ERROR(options_.progress(totals_, target.path));
    }
    return absl::OkStatus();
  }

  static absl::Status WriteAt(int file, std::string_view bytes, uint64_t at, const std::string& path) {
    while (!bytes.empty()) {
      const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0) return HostError(path, "write");
      bytes.remove_prefix(static_cast<size_t>(written));
      at += static_cast<uint64_t>(written);
    }
    return absl::OkStatus();
  }

  // Owner first: it clears the set-id bits. Extended attributes while we may still write. Times last. The host need not
  // take all of them.
  absl::Status FinishAttributes(InodeId inode, const FileAttributes& attributes, const HostInode& made,
                                const std::string& source) {
    const bool all = options_.all_attributes;
    if (all && is_root_) {
      BETR_RETURN_IF_ERROR(GoOnIfRefused(made.SetOwner(attributes.uid, attributes.gid), source));
    }
    if (all) BETR_RETURN_IF_ERROR(RemoveAcls(attributes, made));
    FileAttributes allowed = attributes;
    if (all) BETR_RETURN_IF_ERROR(SetXattrs(inode, made, source, &allowed.permissions));
    if (attributes.type != FileType::kSymlink) BETR_RETURN_IF_ERROR(GoOnIfRefused(SetMode(allowed, made), source));
    return all ? GoOnIfRefused(made.SetTimes(attributes.accessed, attributes.modified), source) : absl::OkStatus();
  }

  absl::Status SetMode(const FileAttributes& attributes, const HostInode& made) const {
    mode_t mode = options_.all_attributes ? attributes.permissions : attributes.permissions & 0777 & ~umask_;
    const bool may_inherit = !options_.all_attributes && attributes.type == FileType::kDirectory;
    if (may_inherit || (mode & (S_ISUID | S_ISGID)) != 0) {
      BETR_ASSIGN_OR_RETURN(const struct stat there, made.Stat());
      // What is not its owner's on the host does not run as somebody else there.
      const bool same = there.st_uid == attributes.uid && there.st_gid == attributes.gid;
      if (!same) mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
      // A directory has it from the one that it is in.
      if (may_inherit) mode |= there.st_mode & S_ISGID;
    }
    return made.SetPermissions(mode);
  }

  // Lists that the directory above gave to it, or that were there before, let others read what the original denies
  // them.
  static absl::Status RemoveAcls(const FileAttributes& attributes, const HostInode& made) {
    const std::string access(kAccessAcl);
    if (attributes.type == FileType::kSymlink) return absl::OkStatus();
    if (attributes.type == FileType::kDirectory) BETR_RETURN_IF_ERROR(made.RemoveXattr(std::string(kDefaultAcl)));
    // To remove it would leave the group what its mask says.
    return made.HasXattr(access) ? made.SetXattr(access, Acl::OfMode(attributes.permissions).Encode())
                                 : absl::OkStatus();
  }

  // Takes from `permissions` what they would allow without a list that the host has not taken.
  absl::Status SetXattrs(InodeId inode, const HostInode& made, const std::string& source, uint32_t* permissions) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(inode));
    for (const std::string& name : names) {
      const absl::StatusOr<std::string> value = fs_.GetXattr(inode, name);
      if (!value.ok()) {
        BETR_RETURN_IF_ERROR(PassOver(Annotate(value.status(), "without attribute"), source));
        continue;
      }
      // Hosts have room for less than an image, each for as much as it likes.
      if (const absl::Status set = made.SetXattr(name, *value); !set.ok()) {
        BETR_RETURN_IF_ERROR(reader_.GoOnWithout(Annotate(set, "without " + name), source));
      }
      if (name != kAccessAcl || made.HasXattr(name)) continue;
      const absl::StatusOr<Acl> list = Acl::Decode(*value);
      if (list.ok()) *permissions = (*permissions & ~0777U) | list->PermissionsAlone();
    }
    return absl::OkStatus();
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  const mode_t umask_;
  const bool is_root_;
  ExportReader reader_;
  CopyTotals totals_;
  std::string buffer_;
  ExportedLinks links_;
};

}  // namespace

absl::StatusOr<CopyTotals> ExportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options) {
  TreeExport all(fs, options);
  for (const CopyPair& tree : trees) BETR_RETURN_IF_ERROR(all.Export(tree.from, tree.to));
  return all.totals();
}

}  // namespace betr::fs
