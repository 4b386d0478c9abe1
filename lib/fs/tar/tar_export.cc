// SPDX-License-Identifier: Apache-2.0
// From a file system to an archive. Each directory comes right before what is in it, because those who unpack set its
// times when they leave it. Sockets are left out, and told of: tar has no type for them.
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/path_names.h"
#include "fs/tar/tar_acl.h"
#include "fs/tar/tar_archive.h"
#include "fs/tar/tar_copy.h"
#include "fs/tar/tar_layer.h"
#include "fs/tar/tar_writer.h"
#include "fs/transfer/export_reader.h"

namespace betr::fs {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;
constexpr Bytes kProgressStep = MiB(4);
// Holes of smaller files are not worth a map of them.
constexpr uint64_t kMinSparseSize = 64 << 10;

std::string LastName(std::string_view path) {
  std::string last;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") last = path.substr(0, end);
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return last;
}

class TarExport {
 public:
  TarExport(FileSystem* fs, int descriptor, const CopyOptions& options)
      : fs_(*fs),
        options_(options),
        now_(fs->Now()),
        buffer_(kBufferSize, '\0'),
        zeros_(kBufferSize, '\0'),
        reader_(fs, options),
        writer_(descriptor) {}

  absl::StatusOr<CopyTotals> Run(const std::string& inside) {
    BETR_RETURN_IF_ERROR(writer_.Open());
    BETR_ASSIGN_OR_RETURN(const OpenFile top, PathFileSystem(&fs_).Open(inside));
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(top.inode()));
    if (attributes.type == FileType::kDirectory) {
      BETR_RETURN_IF_ERROR(ExportDirectory(top.inode(), attributes, "./"));
    } else {
      BETR_RETURN_IF_ERROR(ExportFile(top.inode(), attributes, LastName(inside)));
    }
    return Finish();
  }

  absl::StatusOr<CopyTotals> RunLayer(const std::string& base, const std::string& inside) {
    is_layer_ = true;
    BETR_RETURN_IF_ERROR(writer_.Open());
    PathFileSystem paths(&fs_);
    BETR_ASSIGN_OR_RETURN(const OpenFile before, paths.Open(base));
    BETR_ASSIGN_OR_RETURN(const OpenFile after, paths.Open(inside));
    for (const auto& [top, name] : {std::pair(&before, &base), std::pair(&after, &inside)}) {
      if (top->attributes().type != FileType::kDirectory) return ErrnoError(ENOTDIR, *name);
    }
    BETR_RETURN_IF_ERROR(
        fs_.FindDifferences(before.inode(), after.inode(), [&](const EntryDifference& difference) -> absl::Status {
          return Annotate(ExportDifference(after.inode(), difference), difference.path);
        }));
    BETR_RETURN_IF_ERROR(DescribeAll(after.inode(), directories_.Rest()));
    return Finish();
  }

 private:
  struct Item {
    std::string name;
    FileType type;
  };

  absl::Status PassOver(const absl::Status& status, const std::string& name) {
    return Annotate(reader_.PassOver(status, name), name);
  }

  absl::Status Progress(const std::string& name) const {
    return options_.progress ? options_.progress(totals_, name) : absl::OkStatus();
  }

  absl::StatusOr<CopyTotals> Finish() {
    BETR_RETURN_IF_ERROR(writer_.Close());
    totals_.gone_without = reader_.gone_without();
    return totals_;
  }

  absl::Status ExportDifference(InodeId top, const EntryDifference& difference) {
    const std::string& path = difference.path;
    const FileAttributes& attributes = difference.after ? *difference.after : *difference.before;
    if (options_.exclusions.ExcludesWithParents(path, attributes.type)) {
      ++totals_.excluded;
      return absl::OkStatus();
    }
    if (IsLeftOut("./" + path)) return absl::OkStatus();
    if (IsDirectory(difference.before) && IsDirectory(difference.after)) {
      directories_.Differs(path);
      return absl::OkStatus();
    }
    const auto [parent, name] = SplitLast(path);
    BETR_RETURN_IF_ERROR(DescribeAll(top, directories_.Before(parent)));
    BETR_ASSIGN_OR_RETURN(const OpenFile directory, OpenBelow(top, parent));
    if (!difference.after || IsSocketInsteadOf(difference)) {
      BETR_RETURN_IF_ERROR(WriteWhiteout(directory.attributes().modified, NameOfDirectory(parent) + WhiteoutOf(name)));
    }
    if (!difference.after) return absl::OkStatus();
    return ExportItem(directory.inode(), {name, attributes.type}, "./" + path);
  }

  static bool IsDirectory(const std::optional<FileAttributes>& attributes) {
    return attributes && attributes->type == FileType::kDirectory;
  }

  // What the archive cannot hold replaces something else.
  static bool IsSocketInsteadOf(const EntryDifference& difference) {
    return difference.before && difference.before->type != FileType::kSocket &&
           difference.after->type == FileType::kSocket;
  }

  static std::string NameOfDirectory(const std::string& path) { return path.empty() ? "./" : "./" + path + "/"; }

  // Without the present time, so that the same difference gives the same archive.
  absl::Status WriteWhiteout(FileTime time, const std::string& name) {
    ++totals_.files;
    FileAttributes none;
    none.links = 1;
    none.accessed = none.modified = none.changed = none.born = time;
    BETR_ASSIGN_OR_RETURN(const EntryHandle entry, Describe(std::nullopt, none, name));
    return WriteEntry(entry.get());
  }

  // The directories themselves, without what is in them.
  absl::Status DescribeAll(InodeId top, const std::vector<std::string>& directories) {
    for (const std::string& path : directories) {
      BETR_ASSIGN_OR_RETURN(const OpenFile directory, OpenBelow(top, path));
      BETR_RETURN_IF_ERROR(DescribeDirectory(directory.inode(), directory.attributes(), NameOfDirectory(path)));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<OpenFile> OpenBelow(InodeId top, std::string_view path) {
    OpenFile opened;
    do {
      const size_t end = std::min(path.find('/'), path.size());
      const std::string_view name = path.empty() ? "." : path.substr(0, end);
      BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.Lookup(top, name));
      BETR_ASSIGN_OR_RETURN(opened, OpenFile::Take(&fs_, entry));
      top = opened.inode();
      path.remove_prefix(std::min(path.size(), end + 1));
    } while (!path.empty());
    return opened;
  }

  bool IsLeftOut(const std::string& path) const {
    if (!is_layer_ || !HasWhiteout(path)) return false;
    if (options_.left_out) options_.left_out(path + ": has a name that says in a layer that something is gone");
    return true;
  }

  // `name` ends with a slash.
  absl::Status DescribeDirectory(InodeId inode, const FileAttributes& attributes, const std::string& name) {
    ++totals_.files;
    BETR_RETURN_IF_ERROR(Progress(name));
    BETR_ASSIGN_OR_RETURN(const EntryHandle entry, Describe(inode, attributes, name));
    return Annotate(WriteEntry(entry.get()), name);
  }

  absl::Status ExportDirectory(InodeId inode, const FileAttributes& attributes, const std::string& name) {
    BETR_RETURN_IF_ERROR(DescribeDirectory(inode, attributes, name));
    std::vector<Item> items;
    const absl::Status listed = fs_.ReadDirectory(inode, "", [&](const DirectoryEntry& found) {
      items.push_back({std::string(found.name), found.attributes.type});
      return true;
    });
    BETR_RETURN_IF_ERROR(PassOver(Annotate(listed, "incomplete list of names"), name));
    for (const bool directories : {false, true}) {
      for (const Item& item : items) {
        if ((item.type == FileType::kDirectory) == directories) {
          BETR_RETURN_IF_ERROR(ExportItem(inode, item, name + item.name));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status ExportItem(InodeId directory, const Item& item, const std::string& path) {
    if (options_.exclusions.Excludes(path.substr(2), item.type)) {
      ++totals_.excluded;
      return absl::OkStatus();
    }
    if (IsLeftOut(path)) return absl::OkStatus();
    const absl::StatusOr<Entry> entry = fs_.Lookup(directory, item.name);
    if (!entry.ok()) return PassOver(entry.status(), path);
    BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenFile::Take(&fs_, *entry));
    if (entry->attributes.type == FileType::kDirectory) {
      return ExportDirectory(file.inode(), entry->attributes, path + "/");
    }
    return ExportFile(file.inode(), entry->attributes, path);
  }

  absl::Status ExportFile(InodeId inode, const FileAttributes& attributes, const std::string& name) {
    if (attributes.type == FileType::kSocket) {
      if (options_.left_out) options_.left_out(name + ": is a socket, for which archives have no type");
      return absl::OkStatus();
    }
    ++totals_.files;
    BETR_RETURN_IF_ERROR(Progress(name));
    BETR_ASSIGN_OR_RETURN(const EntryHandle entry, Describe(inode, attributes, name));
    const bool linked = options_.all_attributes && attributes.links > 1;
    if (linked) {
      const auto [first, is_new] = links_.try_emplace(attributes.inode_number, name);
      if (!is_new) {
        archive_entry_set_hardlink(entry.get(), first->second.c_str());
        archive_entry_set_size(entry.get(), 0);
        return Annotate(WriteEntry(entry.get()), name);
      }
    }
    if (attributes.type == FileType::kSymlink) {
      const absl::StatusOr<std::string> target = fs_.ReadLink(inode);
      if (!target.ok()) return PassOver(target.status(), name);
      archive_entry_set_symlink(entry.get(), target->c_str());
    }
    if (attributes.type != FileType::kRegular) return Annotate(WriteEntry(entry.get()), name);
    return Annotate(WriteRegular(entry.get(), inode, attributes.size, name), name);
  }

  // `inode` has the extended attributes.
  absl::StatusOr<EntryHandle> Describe(std::optional<InodeId> inode, const FileAttributes& attributes,
                                       const std::string& name) {
    EntryHandle handle(archive_entry_new());
    archive_entry* const entry = handle.get();
    if (entry == nullptr) return ErrnoError(ENOMEM, name);
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, ModeBits(attributes.type));
    archive_entry_set_nlink(entry, attributes.links);
    archive_entry_set_size(entry, attributes.type == FileType::kRegular ? static_cast<la_int64_t>(attributes.size) : 0);
    archive_entry_set_rdev(entry, attributes.device);
    if (!options_.all_attributes) {
      archive_entry_set_perm(entry, attributes.permissions & 0777);
      archive_entry_set_uid(entry, options_.uid);
      archive_entry_set_gid(entry, options_.gid);
      archive_entry_set_mtime(entry, now_.seconds, now_.nanoseconds);
      return handle;
    }
    archive_entry_set_perm(entry, attributes.permissions);
    archive_entry_set_uid(entry, attributes.uid);
    archive_entry_set_gid(entry, attributes.gid);
    SetTimes(attributes, entry);
    if (inode) BETR_RETURN_IF_ERROR(AddXattrs(*inode, entry, name));
    return handle;
  }

  static void SetTimes(const FileAttributes& attributes, archive_entry* entry) {
    const EntryTime accessed = ToPax(attributes.accessed);
    const EntryTime modified = ToPax(attributes.modified);
    const EntryTime changed = ToPax(attributes.changed);
    const EntryTime born = ToPax(attributes.born);
    archive_entry_set_atime(entry, accessed.seconds, accessed.nanoseconds);
    archive_entry_set_mtime(entry, modified.seconds, modified.nanoseconds);
    archive_entry_set_ctime(entry, changed.seconds, changed.nanoseconds);
    archive_entry_set_birthtime(entry, born.seconds, born.nanoseconds);
  }

  absl::Status AddXattrs(InodeId inode, archive_entry* entry, const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(inode));
    for (const std::string& name : names) {
      const absl::StatusOr<std::string> value = fs_.GetXattr(inode, name);
      const absl::Status added = value.ok() ? Annotate(AddXattr(entry, name, *value), path)
                                            : PassOver(Annotate(value.status(), "without attribute"), path);
      BETR_RETURN_IF_ERROR(added);
    }
    return absl::OkStatus();
  }

  absl::Status WriteHeader(archive_entry* entry) {
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> left_out, writer_.Header(entry));
    const absl::Status why = ErrnoError(E2BIG, "extended attributes beyond 1 MiB");
    for (const std::string& name : left_out) {
      BETR_RETURN_IF_ERROR(reader_.GoOnWithout(Annotate(why, "without " + name), archive_entry_pathname(entry)));
    }
    return absl::OkStatus();
  }

  absl::Status WriteEntry(archive_entry* entry) {
    BETR_RETURN_IF_ERROR(WriteHeader(entry));
    return writer_.FinishEntry();
  }

  absl::Status WriteRegular(archive_entry* entry, InodeId inode, uint64_t size, const std::string& name) {
    BETR_ASSIGN_OR_RETURN(const std::vector<DataRange> ranges, RangesOf(inode, size));
    const bool sparse = ranges.size() != 1 || ranges[0].begin != 0 || ranges[0].end != size;
    for (const DataRange& range : ranges) {
      if (!sparse) break;
      archive_entry_sparse_add_entry(entry, static_cast<la_int64_t>(range.begin),
                                     static_cast<la_int64_t>(range.end - range.begin));
    }
    // How a file is said to be one hole.
    if (sparse && ranges.empty() && size > 0) archive_entry_sparse_add_entry(entry, 0, 0);
    BETR_RETURN_IF_ERROR(WriteHeader(entry));
    // The writer puts out the map of a sparse file with the first bytes that it gets, even if those are in a hole.
    if (ranges.empty() && size > 0) BETR_RETURN_IF_ERROR(WriteHole(1));
    uint64_t at = 0;
    for (const DataRange& range : ranges) {
      BETR_RETURN_IF_ERROR(WriteHole(range.begin - at));
      BETR_RETURN_IF_ERROR(WriteRange(inode, range, name));
      at = range.end;
    }
    return writer_.FinishEntry();
  }

  // The writer wants holes too, and leaves them out.
  absl::Status WriteHole(uint64_t size) {
    while (size > 0) {
      const size_t part = std::min<uint64_t>(size, zeros_.size());
      BETR_RETURN_IF_ERROR(writer_.Content({zeros_.data(), part}));
      size -= part;
    }
    return absl::OkStatus();
  }

  // What is no hole.
  absl::StatusOr<std::vector<DataRange>> RangesOf(InodeId inode, uint64_t size) {
    std::vector<DataRange> ranges;
    if (size > 0 && size < kMinSparseSize) ranges.push_back({0, size});
    for (uint64_t at = size < kMinSparseSize ? size : 0; at < size; at = ranges.back().end) {
      BETR_ASSIGN_OR_RETURN(const std::optional<DataRange> data, reader_.NextData(inode, at, size));
      if (!data) break;
      ranges.push_back(*data);
    }
    return ranges;
  }

  // What follows something that cannot be read becomes zeros, as with tar(1).
  absl::Status WriteRange(InodeId inode, const DataRange& range, const std::string& name) {
    for (uint64_t at = range.begin; at < range.end;) {
      const size_t want = std::min<uint64_t>(buffer_.size(), range.end - at);
      const absl::StatusOr<size_t> size = reader_.Read(inode, at, {buffer_.data(), want});
      if (!size.ok()) {
        const std::string what = absl::StrFormat("incomplete: zeros for bytes %u to %u", at, range.end - 1);
        BETR_RETURN_IF_ERROR(reader_.PassOver(Annotate(size.status(), what), name));
        return WriteHole(range.end - at);
      }
      if (*size == 0) return absl::AbortedError("became shorter while it was read");
      BETR_RETURN_IF_ERROR(writer_.Content({buffer_.data(), *size}));
      at += *size;
      const uint64_t steps = totals_.bytes.value / kProgressStep.value;
      totals_.bytes += Bytes{*size};
      if (steps != totals_.bytes.value / kProgressStep.value) BETR_RETURN_IF_ERROR(Progress(name));
    }
    return absl::OkStatus();
  }

  FileSystem& fs_;
  const CopyOptions& options_;
  const FileTime now_;
  std::string buffer_;
  const std::string zeros_;
  ExportReader reader_;
  TarWriter writer_;
  CopyTotals totals_;
  bool is_layer_ = false;
  LayerDirectories directories_;
  absl::flat_hash_map<uint64_t, std::string> links_;  // inode number -> the first name in the archive
};

}  // namespace

absl::StatusOr<CopyTotals> ExportTar(FileSystem* fs, const std::string& inside, int descriptor,
                                     const CopyOptions& options) {
  return TarExport(fs, descriptor, options).Run(inside);
}

absl::StatusOr<CopyTotals> ExportLayer(FileSystem* fs, const std::string& base, const std::string& inside,
                                       int descriptor, const CopyOptions& options) {
  return TarExport(fs, descriptor, options).RunLayer(base, inside);
}

}  // namespace betr::fs
