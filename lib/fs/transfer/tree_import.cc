// SPDX-License-Identifier: Apache-2.0
// From the host into a file system.
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/acl.h"
#include "fs/held.h"
#include "fs/path_names.h"
#include "fs/replace.h"
#include "fs/transfer/content_import.h"
#include "fs/transfer/host_directory.h"
#include "fs/transfer/host_file.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/import_source.h"
#include "fs/transfer/imported_attributes.h"
#include "fs/transfer/tree_copy.h"
#include "fs/transfer/tree_update.h"

namespace betr::fs {
namespace {

class TreeImport {
 public:
  TreeImport(FileSystem* fs, const CopyOptions& options)
      : fs_(*fs),
        options_(options),
        attributes_(options),
        content_(fs, options, &totals_, [this](const absl::Status& status) { return PassOver(status); }),
        update_(fs) {}

  // To be called for one after the other.
  absl::Status Import(const std::string& host, const std::string& inside) {
    struct stat host_stat {};
    if (fstatat(AT_FDCWD, host.c_str(), &host_stat, AT_SYMLINK_NOFOLLOW) != 0) return PassOver(HostError(host, "stat"));
    PathFileSystem paths(&fs_);
    host_top_size_ = host.size();
    const size_t end = inside.find_last_not_of('/');
    inside_top_ = inside.substr(0, end + 1);
    if (end == std::string::npos) return ImportIntoRoot(host, host_stat);
    const auto [directory, name] = SplitLast(inside_top_);
    BETR_ASSIGN_OR_RETURN(const OpenFile parent, paths.Open(directory));
    device_ = host_stat.st_dev;
    HostDirectory working;
    return GoOnIfNoPlace(ImportNamed({&working, host, host}, parent.inode(), name, host_stat));
  }

  const CopyTotals& totals() const { return totals_; }

 private:
  using Source = ImportSource;
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
    device_ = host_stat.st_dev;
    HostDirectory working;
    return ImportContent({&working, host, host}, kRootInode, host_stat);
  }

  absl::Status Begin(const std::string& path) {
    ++totals_.files;
    return options_.progress ? options_.progress(totals_, path) : absl::OkStatus();
  }

  // What cannot be read on the host is told of and left out, if anybody wants to be told.
  absl::Status PassOver(const absl::Status& status) {
    if (!options_.gone_without) return status;
    ++totals_.gone_without;
    options_.gone_without(status);
    return absl::OkStatus();
  }

  // So is what has no place: something that has the name does not give way (fs/replace.h), or the path is too long.
  absl::Status GoOnIfNoPlace(const absl::Status& status) {
    const int error = ToErrno(status);
    return error == EISDIR || error == ENOTDIR || error == ENAMETOOLONG ? PassOver(status) : status;
  }

  // What the user has named: a file of any type, with everything below it.
  absl::Status ImportNamed(const Source& source, InodeId parent, const std::string& name,
                           const struct stat& host_stat) {
    BETR_RETURN_IF_ERROR(Begin(source.path));
    if (options_.image == IdOf(host_stat)) return IsTheImage(source);
    if (!S_ISDIR(host_stat.st_mode)) return ImportFile(source, parent, name, host_stat);
    BETR_RETURN_IF_ERROR(TellOf(source, parent, name, true));
    BETR_ASSIGN_OR_RETURN(const Held made, Make(source, parent, name, host_stat, {-1, ""}));
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
    if (!options_.one_file_system || opened->attributes().st_dev == device_) {
      BETR_RETURN_IF_ERROR(ImportEntries(&*opened, source.path, directory));
    }
    BETR_RETURN_IF_ERROR(opened->Leave(source.path));
    return FinishAttributes(directory, source, opened->get(), opened->attributes());
  }

  absl::Status ImportEntries(HostDirectory* opened, const std::string& path, InodeId directory) {
    const absl::StatusOr<std::vector<std::string>> names = ListHostDirectory(opened->get(), path);
    if (!names.ok()) return PassOver(names.status());
    BETR_RETURN_IF_ERROR(RemoveOthers(directory, *names, path));
    std::vector<Subdirectory> below;
    for (const std::string& name : *names) {
      BETR_RETURN_IF_ERROR(
          GoOnIfNoPlace(ImportEntry({opened, name, absl::StrCat(path, "/", name)}, directory, &below)));
    }
    for (const Subdirectory& sub : below) {
      const Source entry{opened, sub.name, path + "/" + sub.name};
      BETR_RETURN_IF_ERROR(ImportContent(entry, sub.inode.inode(), sub.host_stat));
    }
    return absl::OkStatus();
  }

  // A name below what the user has named.
  bool IsExcluded(std::string_view path, FileType type) const {
    return options_.exclusions.Excludes(path.substr(host_top_size_), type);
  }

  // Removes what is in a directory but not on the host.
  absl::Status RemoveOthers(InodeId directory, const std::vector<std::string>& names, const std::string& path) {
    if (!options_.remove_others) return absl::OkStatus();
    std::vector<std::string> others;
    const absl::Status listed = fs_.ReadDirectory(directory, "", [&](const DirectoryEntry& entry) {
      const bool is_other = !std::ranges::binary_search(names, entry.name);
      if (is_other && !IsExcluded(path + "/" + std::string(entry.name), entry.attributes.type)) {
        others.emplace_back(entry.name);
      }
      return true;
    });
    BETR_RETURN_IF_ERROR(Annotate(listed, path));
    for (const std::string& name : others) BETR_RETURN_IF_ERROR(Remove(directory, name, absl::StrCat(path, "/", name)));
    return absl::OkStatus();
  }

  // What becomes of something on the host.
  std::string Inside(const std::string& path) const { return inside_top_ + path.substr(host_top_size_); }

  absl::Status Remove(InodeId directory, const std::string& name, const std::string& path) {
    ++totals_.removed;
    const std::string inside = Inside(path);
    if (options_.removed) options_.removed(inside);
    return Annotate(fs_.RemoveTree(directory, name), inside);
  }

  // Removes what has the name if it cannot be merged with, or replaced by, what is copied. The name that the user has
  // given, and what is excluded, stay.
  absl::Status MakeWay(const Source& source, InodeId directory, const std::string& name, bool for_directory) {
    if (!options_.remove_others || source.path.size() == host_top_size_) return absl::OkStatus();
    BETR_ASSIGN_OR_RETURN(const auto found, update_.Find(directory, name));
    if (!found || (found->attributes.type == FileType::kDirectory) == for_directory) return absl::OkStatus();
    if (IsExcluded(source.path, found->attributes.type)) return absl::OkStatus();
    return Remove(directory, name, source.path);
  }

  // Of what takes the name now, if something does: directories are merged.
  absl::Status TellOf(const Source& source, InodeId directory, const std::string& name, bool is_directory) {
    if (!options_.written) return absl::OkStatus();
    BETR_ASSIGN_OR_RETURN(const auto found, update_.Find(directory, name));
    const bool takes = !found || (!is_directory && found->attributes.type != FileType::kDirectory);
    if (takes) options_.written(Inside(source.path), !found);
    return absl::OkStatus();
  }

  // A directory is only made: `below` gets it.
  absl::Status ImportEntry(const Source& entry, InodeId directory, std::vector<Subdirectory>* below) {
    struct stat host_stat {};
    if (fstatat(entry.directory->get(), entry.name.c_str(), &host_stat, AT_SYMLINK_NOFOLLOW) != 0) {
      return PassOver(HostError(entry.path, "stat"));
    }
    if (IsExcluded(entry.path, TypeOfMode(host_stat.st_mode).value_or(FileType::kRegular))) {
      ++totals_.excluded;
      return absl::OkStatus();
    }
    BETR_RETURN_IF_ERROR(Begin(entry.path));
    if (!S_ISDIR(host_stat.st_mode)) return ImportFile(entry, directory, entry.name, host_stat);
    BETR_RETURN_IF_ERROR(MakeWay(entry, directory, entry.name, true));
    BETR_RETURN_IF_ERROR(TellOf(entry, directory, entry.name, true));
    BETR_ASSIGN_OR_RETURN(Held made, Make(entry, directory, entry.name, host_stat, {-1, ""}));
    below->push_back({std::move(made), entry.name, host_stat});
    return absl::OkStatus();
  }

  absl::Status ImportFile(const Source& source, InodeId parent, const std::string& name, struct stat host_stat) {
    BETR_ASSIGN_OR_RETURN(const bool stays, Stays(source, parent, name, host_stat));
    if (stays) return absl::OkStatus();
    // Before anything makes room for it.
    ScopedFd content;
    std::string link;
    const absl::Status opened = source.Open(&host_stat, &content, &link);
    if (!opened.ok()) return PassOver(opened);
    if (options_.image == IdOf(host_stat)) {
      if (!options_.left_out) return IsTheImage(source);
      options_.left_out(source.path + ": is the image itself");
      return absl::OkStatus();
    }
    BETR_RETURN_IF_ERROR(MakeWay(source, parent, name, false));
    BETR_RETURN_IF_ERROR(TellOf(source, parent, name, false));
    const bool linked = HasLinks(host_stat);
    if (const auto first = linked ? links_.find(IdOf(host_stat)) : links_.end(); first != links_.end()) {
      BETR_ASSIGN_OR_RETURN(const FileAttributes copy, fs_.GetAttributes(first->second.inode()));
      if (copy.links > 0) return Annotate(LinkOrReplace(&fs_, first->second.inode(), parent, name), source.path);
      links_.erase(first);  // something else has taken all its names
    }
    BETR_ASSIGN_OR_RETURN(Held copy, CopyFile(source, parent, name, host_stat, {content.get(), link}));
    BETR_RETURN_IF_ERROR(FinishAttributes(copy.inode(), source, content.get(), host_stat));
    return linked ? RememberLink(host_stat, std::move(copy)) : absl::OkStatus();
  }

  absl::Status RememberLink(const struct stat& host_stat, Held copy) {
    if (options_.update) {
      BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(copy.inode()));
      update_.Claim(attributes, host_stat);
    }
    links_.emplace(IdOf(host_stat), std::move(copy));
    return absl::OkStatus();
  }

  bool HasLinks(const struct stat& host_stat) const { return options_.all_attributes && host_stat.st_nlink > 1; }

  // What is in a file that is no directory.
  struct Opened {
    int content;  // of a regular file, or -1
    const std::string& link;
  };

  // A new file, or one that is there and is made the same; without its attributes.
  absl::StatusOr<Held> CopyFile(const Source& source, InodeId parent, const std::string& name,
                                const struct stat& host_stat, const Opened& opened) {
    if (options_.update && opened.content >= 0) {
      BETR_ASSIGN_OR_RETURN(auto found, update_.Find(parent, name));
      if (found && TreeUpdate::MayChange(found->attributes, host_stat) && update_.Claim(found->attributes, host_stat)) {
        BETR_RETURN_IF_ERROR(content_.Update(opened.content, source.path, found->inode.inode()));
        return std::move(found->inode);
      }
    }
    BETR_ASSIGN_OR_RETURN(Held made, Make(source, parent, name, host_stat, opened));
    if (opened.content >= 0) BETR_RETURN_IF_ERROR(content_.Fill(opened.content, source.path, made.inode()));
    return made;
  }

  // Whether what has the name is the copy already. If so, makes its attributes the same.
  absl::StatusOr<bool> Stays(const Source& source, InodeId parent, const std::string& name,
                             const struct stat& host_stat) {
    if (!options_.update || options_.image == IdOf(host_stat)) return false;
    BETR_ASSIGN_OR_RETURN(auto found, update_.Find(parent, name));
    if (!found) return false;
    std::string link;
    if (S_ISLNK(host_stat.st_mode)) {
      absl::StatusOr<std::string> target = source.Target(host_stat);
      if (!target.ok()) return false;  // which is told of when it is copied
      link = *std::move(target);
    }
    BETR_ASSIGN_OR_RETURN(const bool same, update_.HasContentOf(*found, host_stat, link));
    if (!same || !update_.Claim(found->attributes, host_stat)) return false;
    if (HasLinks(host_stat)) {
      if (const auto first = links_.find(IdOf(host_stat)); first != links_.end()) {
        BETR_ASSIGN_OR_RETURN(const FileAttributes copy, fs_.GetAttributes(first->second.inode()));
        const bool is_linked = copy.inode_number == found->attributes.inode_number;
        totals_.unchanged += is_linked ? 1 : 0;
        return is_linked;
      }
    }
    BETR_ASSIGN_OR_RETURN(const bool adjusted, Adjust(*found, source, host_stat));
    if (!adjusted) return false;
    ++totals_.unchanged;
    if (HasLinks(host_stat)) links_.emplace(IdOf(host_stat), std::move(found->inode));
    return true;
  }

  // False if the attributes differ and the file has names that may have nothing to do with this copy.
  absl::StatusOr<bool> Adjust(const TreeUpdate::Found& found, const Source& source, const struct stat& host_stat) {
    BETR_ASSIGN_OR_RETURN(const auto xattrs, XattrsOf(source, -1));
    BETR_ASSIGN_OR_RETURN(const InodeDifference difference,
                          Compare(fs_, found.inode.inode(), xattrs, attributes_.ToSet(host_stat)));
    if (difference.Empty()) return true;
    if (found.attributes.links > 1) return false;
    BETR_RETURN_IF_ERROR(Annotate(Apply(fs_, found.inode.inode(), difference), source.path));
    return true;
  }

  absl::StatusOr<Held> Make(const Source& source, InodeId parent, const std::string& name, const struct stat& host_stat,
                            const Opened& opened) {
    NewFile file = attributes_.ToMake(host_stat, opened.link);
    if (!options_.all_attributes) file.permissions = source.PermissionsAlone(opened.content, file.permissions);
    const absl::StatusOr<Entry> entry = CreateOrReplace(&fs_, parent, name, file);
    if (!entry.ok()) return Annotate(entry.status(), source.path);
    return Held(&fs_, entry->inode);
  }

  // Extended attributes, and then what making and filling has changed. `opened` is the source, or -1.
  absl::Status FinishAttributes(InodeId inode, const Source& source, int opened, const struct stat& host_stat) {
    if (!options_.all_attributes && !options_.latest_time) return absl::OkStatus();
    const AttributeChange change = attributes_.ToSet(host_stat);
    if (!options_.all_attributes) return Annotate(fs_.SetAttributes(inode, change).status(), source.path);
    BETR_ASSIGN_OR_RETURN(const auto xattrs, XattrsOf(source, opened));
    if (options_.update) {
      BETR_ASSIGN_OR_RETURN(const InodeDifference difference, Compare(fs_, inode, xattrs, change));
      return Annotate(Apply(fs_, inode, difference), source.path);
    }
    // One that was there before may have lists.
    if (S_ISDIR(host_stat.st_mode)) BETR_RETURN_IF_ERROR(Annotate(RemoveAcls(fs_, inode), source.path));
    const InodeDifference all{
        .to_set = xattrs.value_or(HostXattrs()).values, .to_remove = {}, .change = change, .has_change = true};
    return Annotate(Apply(fs_, inode, all), source.path);
  }

  // Nothing if they cannot be listed. That is told of, and so are values that permissions deny.
  absl::StatusOr<std::optional<HostXattrs>> XattrsOf(const Source& source, int opened) {
    absl::StatusOr<HostXattrs> xattrs = source.Inode(opened).Xattrs();
    if (!xattrs.ok()) {
      BETR_RETURN_IF_ERROR(PassOver(xattrs.status()));
      return std::nullopt;
    }
    for (const auto& [name, why] : xattrs->withheld) {
      const bool is_denied = absl::IsPermissionDenied(why) && IsXattrOfAnybody(name);
      if (is_denied) BETR_RETURN_IF_ERROR(PassOver(why));
    }
    return std::optional(*std::move(xattrs));
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  const ImportedAttributes attributes_;
  std::string inside_top_;    // what the tree becomes that is being copied
  size_t host_top_size_ = 0;  // of its path on the host
  dev_t device_ = 0;          // that it is on
  CopyTotals totals_;
  ContentImport content_;
  TreeUpdate update_;
  std::map<HostFileId, Held> links_;  // the first copy of inodes with several links
};

}  // namespace

absl::StatusOr<CopyTotals> ImportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options) {
  TreeImport import(fs, options);
  for (const CopyPair& tree : trees) BETR_RETURN_IF_ERROR(import.Import(tree.from, tree.to));
  return import.totals();
}

}  // namespace betr::fs
