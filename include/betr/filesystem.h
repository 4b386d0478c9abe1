// SPDX-License-Identifier: Apache-2.0
// FileSystem: a POSIX namespace on two trees of a Store, "meta" and "data", keyed by full path. docs/filesystem.md
// describes keys, inode numbers, hard links, clones and limits.
//
// This interface works on inodes, as the kernel does: it is what a FUSE server needs. betr/path_filesystem.h offers
// the same by path. No symlinks are followed and no permissions checked here; both are the caller's business. Two
// things that Linux file systems do at creation are done: a file made in a set-group-id directory gets its group, a
// directory made there also the bit.
//
// References. Every InodeId that a call returns carries one reference on an inode in memory; Forget gives it back.
// An id stays valid through renames, and after the last unlink, until its last reference has gone; it is not used
// again while the file system is mounted. Calls with an id that nobody refers to give ESTALE once the inode is not in
// memory any more, which may be never: the balance is the caller's to keep.
//
// Durability. What returned ok survives a crash if a Sync returned ok later. Without one a prefix of the operations
// survives; a Write of more than is gathered counts as several, and so does a RemoveTree of names that are links to the
// outside, or of very many open files. Writes of file content are gathered up to MountOptions::write_behind bytes
// before they go to the store; everybody sees them at once. Should they find no space, the next call that writes, or
// Sync, says ENOSPC, and they are tried again later. Those that the store cannot take in, because of what it cannot
// read, are lost: their file is as it was before them, which SyncFile of it says once, with EIO (EUCLEAN if it is
// damage), and so does the next Sync or Unmount. Other calls go on as if they had not been made. Call Sync or Flush
// every few seconds, as a kernel would.
//
// Threads. Any thread may call anything. One lock guards names and attributes; reading of content happens outside of
// it, beside writers, and sees each write as a whole or not at all.
//
// Errors are POSIX ones (see betr/fs_error.h). Those that any call may give are not repeated below: EIO (the
// device), EUCLEAN (damage; the message names the place), EROFS (store opened read-only or became so), ENOSPC (also,
// before anything is done, if the log is so small that no batch takes it: docs/filesystem.md#limits), ESTALE (unknown
// id). ENAMETOOLONG: a name has more than 255 bytes, or a path would have more than 4095, also that of something below
// a directory that is renamed or cloned; a rename may leave it too long if it does not make it longer. EINVAL: a name
// is empty, ".", "..", or contains '/' or NUL; but EEXIST for "." and ".." where a name is to be made, and ENOTEMPTY
// for ".." where one is to be removed.
//
// Cost. "Blind" means: no reading of the store. Names of a directory that was created or listed completely since
// the mount are known: looking up, creating and removing there is blind (within MountOptions::name_cache).
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "betr/file_attributes.h"
#include "betr/fs_error.h"
#include "betr/store.h"
#include "betr/units.h"
#include "betr/upsert.h"

namespace betr {

class Clock;
class DifferenceStream;  // betr/difference_stream.h

// Names an inode in memory, while it is referred to. Not st_ino.
using InodeId = Ordinal<struct InodeIdTag>;
inline constexpr InodeId kRootInode{1};  // always valid, needs no Forget

inline constexpr Bytes kFileBlock = KiB(4);
inline constexpr Bytes kMaxFileSize = TiB(16);
inline constexpr size_t kMaxNameSize = 255;
inline constexpr size_t kMaxPathSize = 4095;     // all names and the slashes between them
inline constexpr uint32_t kMaxLinks = 65000;     // of a file that is not a directory
inline constexpr Bytes kMaxXattrSize = KiB(64);  // of one value; also of all names of an inode together
inline constexpr std::string_view kMetaTree = "meta";
inline constexpr std::string_view kDataTree = "data";

// The root directory of a new file system.
struct RootOptions {
  uint32_t permissions = 0755;
  uint32_t uid = 0;
  uint32_t gid = 0;
  FileTime time;
};

struct MountOptions {
  Clock* clock = nullptr;            // null: the machine's; others for the tests only (lib/base/clock.h)
  Bytes write_behind = MiB(1);       // gathered before it is written, with its keys: at most a quarter of a batch
                                     // (Store::MaxBatch), and an eighth of the reserve
  Bytes name_cache = MiB(64);        // for the names of completely known directories
  size_t inode_cache = 16384;        // inodes kept although nobody refers to them
  bool update_access_times = false;  // as `relatime` does; false: reading changes nothing
};

// An inode that the caller now refers to, and what stat says of it.
struct Entry {
  InodeId inode;
  FileAttributes attributes;
};

enum class RenameMode : uint8_t {
  kReplace,    // what is at the destination goes, if POSIX allows it
  kNoReplace,  // EEXIST if there is something
  kExchange,   // both exist and change places
};

// Whether reading changes the time of access, where these are kept.
enum class ReadMode : uint8_t { kNoticed, kUnnoticed };

enum class XattrMode : uint8_t { kAny, kCreate, kReplace };

// fallocate(2). None of them promises space: a write may still meet ENOSPC.
enum class AllocateMode : uint8_t {
  kExtend,        // mode 0: the file is at least so long afterwards
  kKeepSize,      // FALLOC_FL_KEEP_SIZE alone: changes the times only
  kPunchHole,     // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
  kZero,          // FALLOC_FL_ZERO_RANGE
  kZeroKeepSize,  // FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE
};

// The mode that fallocate(2)'s flags name; none for those that are not supported.
std::optional<AllocateMode> AllocateModeOf(int flags);

// One name in a directory, as ReadDirectory shows it. Valid during the call of the visitor.
struct DirectoryEntry {
  std::string_view name;
  const FileAttributes& attributes;
};

// One name in a directory, with a reference on what it names.
struct NamedEntry {
  std::string name;
  Entry entry;  // inode 0, without a reference, if the name leads nowhere (the image is damaged)
};

// A name of something that is referred to.
struct KnownName {
  InodeId directory;
  std::string name;
  InodeId inode;
  bool is_directory = false;
};

// What the caller of RemoveTree has looked at: what has the name, and how often directories had been moved before.
struct SeenTree {
  InodeId top;
  uint64_t directory_moves = 0;
};

// What the caller of Clone has seen: that all there is one owner's, when so much had come to his directories.
struct SeenOwner {
  uint32_t owner = 0;
  uint64_t arrivals = 0;
};

// What RemoveTree took from those who refer to it: a FUSE server's kernel has to hear of that.
struct RemovedTree {
  // Those of files, then those of directories, each after all that are in it: the last is the name that was removed.
  std::vector<KnownName> names;
  // Files that have lost names, and may have others, by which alone they may be known.
  std::vector<InodeId> changed;
};

// A name in one of two trees that differs from that in the other. Attributes are without the inode number.
struct EntryDifference {
  std::string path;  // below the two; "" for themselves
  // Nothing: it is not there. Of a directory that only one tree has, nothing that is in it is told.
  std::optional<FileAttributes> before;
  std::optional<FileAttributes> after;
  // Where both are there, and of one type: bytes of a file, target of a symlink; extended attributes.
  bool content = false;
  bool xattrs = false;
};

// For statfs. `total` and `free` are those of SpaceStats.
struct FileSystemSpace {
  Bytes total{0};
  Bytes free{0};
  // A promise: new files whose sizes, each rounded up to 4 KiB, come to no more can be written and synced, whatever
  // they hold, in any order and number, if their paths have at most 128 bytes. More fits of what compresses, or has
  // short paths; docs/durability.md says what is not promised.
  Bytes available{0};
};

class FileSystem {
 public:
  // The upserts that the file system writes, numbers 16 and 17: to be in StoreOptions::functions of every store that
  // holds one.
  static absl::Status RegisterUpserts(UpsertRegistry* registry);

  // A new image with an empty file system in it: as Store::CreateImage and Store::FormatImage, whose errors they have.
  // A root without a time is made now. Who is killed in FormatImage may leave an image without a file system.
  static absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options,
                                  const RootOptions& root);
  static absl::Status FormatImage(const std::string& path, const FormatOptions& options, const RootOptions& root,
                                  Store::Existing existing = Store::Existing::kKeep);
  // Store::OpenImage, with the upserts, and Mount; the errors of both. kInvalidArgument if it holds no file system.
  static absl::StatusOr<std::unique_ptr<FileSystem>> OpenImage(const std::string& path, StoreOptions store_options,
                                                               const MountOptions& options = {});

  // Makes the two trees and the root directory in an empty store. EEXIST if they are there, EINVAL
  // without RegisterUpserts.
  static absl::Status Format(Store* store, const RootOptions& root);

  // Takes over a store. Reclaims what was unlinked but open when the store was last used.
  // Errors: kNotFound if the store holds no file system, kUnimplemented if a newer version made it; EINVAL without
  // RegisterUpserts, unless the store is read-only.
  static absl::StatusOr<std::unique_ptr<FileSystem>> Mount(std::unique_ptr<Store> store, const MountOptions& options);

  // As a crash of the program would: what was not flushed is lost. Call Unmount for a clean end.
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  // Flushes, reclaims unlinked files that are open, closes the store. EIO, after all that, if writes were lost and no
  // Sync has told. What writes fails afterwards as Store::Close says, at the latest when it is flushed.
  absl::Status Unmount();

  Store& store() const;
  // What the clock says: for the times of a SetAttributes that mean "now".
  FileTime Now() const;

  // --- references --------------------------------------------------------------------------------------------
  // One more reference, so many fewer. Refer: ESTALE if the inode is not in memory. Giving back more is ignored.
  absl::Status Refer(InodeId inode);
  void Forget(InodeId inode, uint64_t references = 1);
  // While a file is open its content outlives its last name (and is reclaimed at the last Close, or at the next
  // mount). Without that the last Unlink erases it, whatever refers to the inode. Also takes (gives) a reference.
  absl::Status Open(InodeId inode);
  void Close(InodeId inode);
  // The same until nobody refers to the file: for who has found it and is to open it later, whatever happens to the
  // name meanwhile. ESTALE if it is too late. Without an effect on directories. Requires: a reference.
  absl::Status Keep(InodeId inode);

  // --- names -------------------------------------------------------------------------------------------------
  // Errors of all: ENOTDIR (`parent` is none), ENOENT (no such name; or `parent` itself has been removed).
  //
  // "." and ".." are allowed here. At most one read (two for a name with several links).
  absl::StatusOr<Entry> Lookup(InodeId parent, std::string_view name);

  // mknod, mkdir, symlink, create: EEXIST if the name is taken. Blind in a known directory.
  absl::StatusOr<Entry> Create(InodeId parent, std::string_view name, const NewFile& file);
  // O_TMPFILE: a file without a name, open once; Link may give it one. `directory` only lends its group.
  absl::StatusOr<Entry> CreateUnnamed(InodeId directory, const NewFile& file);

  // EPERM for a directory, EEXIST, EMLINK. Any other type may be linked. Cost of the second link of a file:
  // O(height) nodes, whatever its size; links across the border of a clone may cost once the links of that clone.
  // EXDEV as Rename.
  absl::StatusOr<Entry> Link(InodeId inode, InodeId parent, std::string_view name);

  // EISDIR for a directory. Blind if the file was looked up before.
  absl::Status Unlink(InodeId parent, std::string_view name);
  // ENOTDIR, ENOTEMPTY.
  absl::Status RemoveDirectory(InodeId parent, std::string_view name);
  // Removes a name and, if it is a directory, everything below it at once: O(height) nodes and a step for each
  // name with several links below. Open files live on; those that are too many for one batch (a few ten thousand; fewer
  // with long paths or a small log) lose their names before the rest goes. `removed`, unless null, is empty and
  // gets what was referred to, also after an error: a step for each inode in memory.
  // EAGAIN, before anything is done, if the name or the directories below may be others than were `seen`.
  absl::Status RemoveTree(InodeId parent, std::string_view name, RemovedTree* removed = nullptr,
                          const SeenTree* seen = nullptr);
  // How often a directory was renamed, cloned, given to another owner, or made in one that is not its owner's.
  uint64_t DirectoryMoves() const;

  // EEXIST (kNoReplace), EINVAL (into the own descendant), EISDIR, ENOTDIR, ENOTEMPTY. Two names of one inode: nothing
  // happens. EXDEV, before anything is done, if names of files with several leave or enter a clone, and there is a file
  // in it with so many names that they are more than a batch (docs/filesystem.md#hard-links); never otherwise. Cost as
  // of RemoveTree, without the reading of links if the depth of no clone changes. All records below a directory are
  // read first if a path there might become too long (docs/filesystem.md#limits).
  absl::Status Rename(InodeId from_parent, std::string_view from_name, InodeId to_parent, std::string_view to_name,
                      RenameMode mode = RenameMode::kReplace);

  // Makes `name` a copy of the file or directory `source` with everything below it, as of now: content, attributes and
  // xattrs are shared until one side changes; inode numbers are new; names that are links of one file inside the
  // source become links of one new file. Into the own source is allowed: it is a clone of the state before. The
  // root can be cloned too. EEXIST; ENOTSUP if there are zones below the source (docs/ablations.md). O(height) nodes,
  // and a step for each name with several links below, unless the source is itself a clone (or the root). As for Rename
  // if a path might become too long.
  // EAGAIN, before anything is done, if there may be another one's below the source by now.
  absl::StatusOr<Entry> Clone(InodeId source, InodeId parent, std::string_view name, const SeenOwner* seen = nullptr);
  // How often something that may be another one's, or is a device, has come to a directory of this owner, or something
  // of his was given away. May count what happened to others.
  uint64_t Arrivals(uint32_t owner) const;

  // --- attributes --------------------------------------------------------------------------------------------
  // No reading: an inode in memory knows its attributes.
  absl::StatusOr<FileAttributes> GetAttributes(InodeId inode);
  // Whether its attributes were told, by GetAttributes, Lookup or LookupAfter, since this was last asked: for a server
  // that has changed them, as what it told before may still be on its way to who will keep it. The second one says of
  // what has a name whether that is so, without reading.
  bool TakeTold(InodeId inode);
  std::optional<InodeId> TakeTold(InodeId parent, std::string_view name);
  // EISDIR, EINVAL (size of something else), EFBIG. Blind.
  absl::StatusOr<FileAttributes> SetAttributes(InodeId inode, const AttributeChange& change);
  // EINVAL if it is no symlink.
  absl::StatusOr<std::string> ReadLink(InodeId inode);

  // ENODATA, ERANGE (name of more than 255 bytes), E2BIG (value), ENOSPC (all names together), EEXIST (kCreate).
  // Names are those of the system call, namespace included; which may be used by whom is the caller's business. Those
  // of a directory that was removed are kept until it is forgotten: all values together ENOSPC above kMaxXattrSize, and
  // ENODATA for one from before that had more than 256 bytes. Another file that is gone has none, and ESTALE to set
  // one.
  absl::StatusOr<std::string> GetXattr(InodeId inode, std::string_view name);
  absl::Status SetXattr(InodeId inode, std::string_view name, std::string_view value, XattrMode mode = XattrMode::kAny);
  absl::Status RemoveXattr(InodeId inode, std::string_view name);
  // In order.
  absl::StatusOr<std::vector<std::string>> ListXattrs(InodeId inode);

  // --- content -----------------------------------------------------------------------------------------------
  // EISDIR for directories, EINVAL for everything else that is no regular file.
  //
  // The number of bytes read: less than asked for only at the end of the file. kUnnoticed: as O_NOATIME.
  absl::StatusOr<size_t> Read(InodeId inode, uint64_t offset, std::span<char> buffer,
                              ReadMode mode = ReadMode::kNoticed);
  // The number of bytes written; less than given, or an error, only if the store fails, or at kMaxFileSize, where what
  // fits is written, and EFBIG if that is nothing. Blind: whole blocks are puts, parts of blocks upserts.
  absl::StatusOr<size_t> Write(InodeId inode, uint64_t offset, std::string_view bytes);
  // Write at the end, whatever others do; where the bytes went. All of them, or after an error none, unless the store
  // fails: EFBIG, ENOSPC.
  absl::StatusOr<uint64_t> Append(InodeId inode, std::string_view bytes);
  absl::Status Allocate(InodeId inode, AllocateMode mode, uint64_t offset, uint64_t length);
  // The next offset >= `offset` that has data, or is a hole (the end of the file counts as one); ENXIO if there is none
  // or `offset` lies behind the end. In blocks of 4 KiB.
  absl::StatusOr<uint64_t> SeekData(InodeId inode, uint64_t offset);
  absl::StatusOr<uint64_t> SeekHole(InodeId inode, uint64_t offset);
  // copy_file_range(2): the number of bytes copied, which may be less than asked for. A whole file into an empty one,
  // and whole mebibytes at the same offset in both, are cloned; the rest is copied. At kMaxFileSize as Write. EINVAL if
  // the ranges overlap in one file.
  absl::StatusOr<uint64_t> CopyRange(InodeId from, uint64_t from_offset, InodeId to, uint64_t to_offset,
                                     uint64_t length);

  // --- directories -------------------------------------------------------------------------------------------
  // Visits the entries whose names come after `after` (in memcmp order; "" is before all) until `visit` returns false
  // or the directory ends; without "." and "..". Positions are names: they survive any change of the directory. What is
  // there during the whole call is seen once. One range scan, attributes included; one more read for each name with
  // several links. The lock is not held while `visit` runs: it may call the file system.
  absl::Status ReadDirectory(InodeId directory, std::string_view after,
                             absl::FunctionRef<bool(const DirectoryEntry&)> visit);
  // The first `max` of these entries, fewer if the directory ends, each with a reference as Lookup gives it: what a
  // FUSE server needs. One range scan, under the lock; one more read for each name with several links.
  absl::StatusOr<std::vector<NamedEntry>> LookupAfter(InodeId directory, std::string_view after, size_t max);
  // Tells how the file or directory `after`, with everything below, differs from `before`: what is there in one of them
  // only, and what has another type, content, permissions, owner, time of modification, or other xattrs. As a rule in
  // the order of keys: the entries of a directory, then what is below each. What a clone shares with its source is not
  // looked at: the cost is that of what was changed since, on either side, and two reads for each name of a file with
  // several. Both are as they were when it began, which keeps space from deletes until it ends; the lock is not held,
  // so `visit` may call the file system. An error of `visit` ends it. ENOTSUP where there are zones
  // (docs/ablations.md).
  absl::Status FindDifferences(InodeId before, InodeId after,
                               absl::FunctionRef<absl::Status(const EntryDifference&)> visit);
  // The same one by one, for whoever asks. Errors of this call: ESTALE, ENOENT (a directory that was removed), ENOTSUP;
  // it reads nothing.
  absl::StatusOr<std::unique_ptr<DifferenceStream>> NewDifferences(InodeId before, InodeId after);
  // The space that files and directories, these with everything below, take together. What is not stored yet has no
  // size: a checkpoint comes first, unless the store is read-only. Below directories files that also have names
  // elsewhere are left out: their content does not come back with them. Cost: that, a read for each file there with
  // several names, and Store::FootprintOf. Memory: those names.
  absl::StatusOr<Footprint> FootprintOf(const std::vector<InodeId>& inodes);
  // Names from the root, joined by '/', "" for the root. ENOENT for what has no name, and for files with several.
  absl::StatusOr<std::string> PathOf(InodeId inode);

  // --- the whole ---------------------------------------------------------------------------------------------
  FileSystemSpace Space() const;
  // Hands gathered writes to the store: durable with its next sync or checkpoint.
  absl::Status Flush();
  // Everything that returned before this call is durable. EIO if that holds but for writes that were lost since the
  // last Sync; the message names the first file.
  absl::Status Sync();
  // fsync. There is one log, so this is a Sync of everything, but that only losses of this file are told, while
  // it is referred to.
  absl::Status SyncFile(InodeId inode);

  // The innards, for the bulk writer, the checker and the tests; not a stable interface.
  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit FileSystem(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace betr
