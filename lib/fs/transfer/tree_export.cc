// SPDX-License-Identifier: Apache-2.0
// From a file system to the host.
#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/transfer/export_reader.h"
#include "fs/transfer/export_target.h"
#include "fs/transfer/export_update.h"
#include "fs/transfer/exported_attributes.h"
#include "fs/transfer/exported_links.h"
#include "fs/transfer/host_directory.h"
#include "fs/transfer/host_file.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

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
        reader_(fs, options),
        attributes_(fs, options, &reader_),
        targets_(options, &totals_, &links_, &update_),
        buffer_(kBufferSize, '\0') {}

  // To be called for one after the other.
  absl::Status Export(const std::string& inside, const std::string& host) {
    const absl::StatusOr<OpenFile> source = PathFileSystem(&fs_).Open(inside);
    if (!source.ok()) return PassOver(source.status(), inside);
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(source->inode()));
    HostDirectory working;
    const ExportTarget target{&working, host, host, host.size(), WithoutDot(inside)};
    return reader_.GoOnIfRefused(ExportOne(source->inode(), attributes, target), target.source);
  }

  CopyTotals totals() const {
    CopyTotals totals = totals_;
    totals.gone_without = reader_.gone_without();
    return totals;
  }

 private:
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

  absl::Status ExportOne(InodeId inode, const FileAttributes& attributes, const ExportTarget& target) {
    ++totals_.files;
    if (options_.progress) BETR_RETURN_IF_ERROR(options_.progress(totals_, target.path));
    if (attributes.type == FileType::kDirectory) return ExportDirectory(inode, attributes, target);
    const bool linked = options_.all_attributes && attributes.links > 1;
    if (linked) {
      if (const auto first = links_.Find(attributes.inode_number)) {
        BETR_ASSIGN_OR_RETURN(const bool made, MakeLink(*first, attributes.type, target));
        if (made) return absl::OkStatus();
      }
      if (tried_.contains(attributes.inode_number)) return targets_.MakeRoom(target, attributes.type);
    }
    std::string link;
    if (attributes.type == FileType::kSymlink) {
      absl::StatusOr<std::string> read = fs_.ReadLink(inode);
      if (!read.ok()) return PassOver(read.status(), target.source);
      link = *std::move(read);
    }
    BETR_ASSIGN_OR_RETURN(const bool stays, Stays(inode, attributes, link, target));
    if (stays) return absl::OkStatus();
    ScopedFd file;
    if (attributes.type == FileType::kRegular) {
      BETR_ASSIGN_OR_RETURN(file, ExportContent(inode, attributes, target));
    } else {
      BETR_RETURN_IF_ERROR(targets_.MakeSpecial(target, attributes, link));
    }
    if (options_.dry_run) {
      if (linked) tried_.insert(attributes.inode_number);
      return absl::OkStatus();
    }
    const HostInode made = target.Inode(file.get());
    BETR_RETURN_IF_ERROR(attributes_.Set({inode, attributes, target.source}, made));
    return linked ? RememberLink(attributes, target, made) : absl::OkStatus();
  }

  // Whether what has the name is the copy already. If so, makes its attributes the same. If they differ and it may have
  // names that have nothing to do with this copy, returns false instead.
  absl::StatusOr<bool> Stays(InodeId inode, const FileAttributes& attributes, const std::string& link,
                             const ExportTarget& target) {
    const std::optional<struct stat> there =
        options_.update ? targets_.Look(target).value_or(std::nullopt) : std::nullopt;
    if (!there) return false;
    const bool same = ExportUpdate::HasContentOf(attributes, link, target.directory->get(), target.name, *there);
    if (!same || options_.image == IdOf(*there) || !update_.Claim(*there, attributes)) return false;
    const ExportedAttributes::Original original{inode, attributes, target.source};
    const HostInode kept = target.Inode(-1);
    BETR_ASSIGN_OR_RETURN(const bool are_set, attributes_.AreSet(original, kept));
    if (!are_set && there->st_nlink > 1) return false;
    if (!are_set && !options_.dry_run) BETR_RETURN_IF_ERROR(attributes_.Set(original, kept));
    if (attributes.links > 1) BETR_RETURN_IF_ERROR(RememberLink(attributes, target, kept));
    ++totals_.unchanged;
    return true;
  }

  // All entries, then what is below each: the order in which they lie in the image.
  absl::Status ExportDirectory(InodeId inode, const FileAttributes& attributes, const ExportTarget& target) {
    BETR_ASSIGN_OR_RETURN(const bool is_new, targets_.MakeDirectory(target));
    // Until it gets its own permissions. A umask or a default list may have left less to a new one.
    const bool gets_permissions = is_new || options_.all_attributes;
    if (gets_permissions && !options_.dry_run) target.Inode(-1).AllowOwner(S_IRWXU);
    HostDirectory opened = HostDirectory::Absent();
    if (!is_new || !options_.dry_run) {
      BETR_ASSIGN_OR_RETURN(opened, HostDirectory::Enter(target.directory, target.name, target.path));
    }
    std::vector<Item> items;
    const absl::Status listed = fs_.ReadDirectory(inode, "", [&](const DirectoryEntry& entry) {
      items.push_back({std::string(entry.name), entry.attributes});
      return true;
    });
    BETR_RETURN_IF_ERROR(PassOver(Annotate(listed, "incomplete list of names"), target.source));
    const bool in_mount = target.is_in_mount || (!is_new && IsMountedBelow(target));
    if (listed.ok() && !is_new && !in_mount) BETR_RETURN_IF_ERROR(RemoveOthers(items, &opened, target));
    for (const bool directories : {false, true}) {
      for (const Item& item : items) {
        if ((item.attributes.type == FileType::kDirectory) == directories) {
          BETR_RETURN_IF_ERROR(ExportItem(inode, item, target.Below(&opened, item.name, in_mount)));
        }
      }
    }
    BETR_RETURN_IF_ERROR(opened.Leave(target.path));
    if (options_.dry_run || !gets_permissions) return absl::OkStatus();
    const ExportedAttributes::Original original{inode, attributes, target.source};
    const HostInode made = target.Inode(opened.get());
    if (options_.update && !is_new) {
      BETR_ASSIGN_OR_RETURN(const bool are_set, attributes_.AreSet(original, made));
      if (are_set) return absl::OkStatus();
    }
    return attributes_.Set(original, made);
  }

  bool IsMountedBelow(const ExportTarget& target) const {
    return options_.remove_others && !target.IsNamed() && IsMounted(target.directory->get(), target.name);
  }

  // Removes what a directory has on the host and its original does not.
  absl::Status RemoveOthers(const std::vector<Item>& items, HostDirectory* opened, const ExportTarget& target) {
    if (!options_.remove_others) return absl::OkStatus();
    absl::flat_hash_set<std::string_view> copied;
    for (const Item& item : items) copied.insert(item.name);
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListHostDirectory(opened->get(), target.path));
    for (const std::string& name : names) {
      const ExportTarget other = target.Below(opened, name, false);
      if (copied.contains(name) || targets_.IsExcluded(other)) continue;
      const absl::Status removed = targets_.Remove(other);
      BETR_RETURN_IF_ERROR(absl::IsAborted(removed) ? removed : reader_.GoOnWithout(removed, target.source));
    }
    return absl::OkStatus();
  }

  absl::Status ExportItem(InodeId directory, const Item& item, const ExportTarget& target) {
    if (targets_.IsExcluded(target, item.attributes.type)) {
      ++totals_.excluded;
      return absl::OkStatus();
    }
    const absl::StatusOr<Entry> entry = fs_.Lookup(directory, item.name);
    if (!entry.ok()) return PassOver(entry.status(), target.source);
    const absl::Status status = ExportOne(entry->inode, entry->attributes, target);
    fs_.Forget(entry->inode);
    return reader_.GoOnIfRefused(status, target.source);
  }

  absl::Status RememberLink(const FileAttributes& original, const ExportTarget& target, const HostInode& made) {
    BETR_ASSIGN_OR_RETURN(const struct stat copy, made.Stat());
    if (options_.update) update_.Claim(copy, original);
    links_.Remember(original.inode_number, {target.path, target.top_size}, IdOf(copy));
    return absl::OkStatus();
  }

  // False, after telling of it, if the host takes no more links to it.
  absl::StatusOr<bool> MakeLink(const ExportedLinks::First& first, FileType type, const ExportTarget& target) {
    BETR_ASSIGN_OR_RETURN(const std::optional<struct stat> there, targets_.Look(target));
    if (there && IdOf(*there) == first.id) {
      totals_.unchanged += options_.update ? 1 : 0;
      return true;
    }
    BETR_RETURN_IF_ERROR(targets_.MakeRoom(target, type));
    const absl::Status made = targets_.MakeLink(target, first);
    if (made.ok()) return true;
    BETR_RETURN_IF_ERROR(reader_.GoOnIfRefused(Annotate(made, "becomes a file of its own"), target.source));
    return false;
  }

  // The file, open for writing; or none, for a trial.
  absl::StatusOr<ScopedFd> ExportContent(InodeId inode, const FileAttributes& attributes, const ExportTarget& target) {
    BETR_ASSIGN_OR_RETURN(ScopedFd file, targets_.MakeFile(target));
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
    if (!options_.dry_run && ftruncate(file.get(), static_cast<off_t>(content.size)) != 0) {
      return HostError(target.path, "truncate");
    }
    return file;
  }

  absl::Status CopyPart(Content* content, const DataRange& part, const ExportTarget& target) {
    if (options_.dry_run) {
      totals_.bytes += Bytes{part.end - part.begin};
      return absl::OkStatus();
    }
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

  FileSystem& fs_;
  const CopyOptions& options_;
  ExportReader reader_;
  ExportedAttributes attributes_;
  CopyTotals totals_;
  ExportedLinks links_;
  ExportUpdate update_;
  ExportTargets targets_;
  std::string buffer_;
  absl::flat_hash_set<uint64_t> tried_;  // numbers of inodes that would have a copy by now, which no look can find
};

}  // namespace

absl::StatusOr<CopyTotals> ExportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options) {
  TreeExport all(fs, options);
  for (const CopyPair& tree : trees) BETR_RETURN_IF_ERROR(all.Export(tree.from, tree.to));
  return all.totals();
}

}  // namespace betr::fs
