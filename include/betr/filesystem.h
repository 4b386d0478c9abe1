// SPDX-License-Identifier: Apache-2.0
// FileSystem: a POSIX namespace on two trees of a Store, "meta" and "data", keyed by full path. docs/filesystem.md
// describes keys, inode numbers, hard links, clones and limits.
//
// This interface works on inodes, as the kernel does: it is what a FUSE server needs. betr/path_filesystem.h offers
// the same by path. Following symlinks and checking permissions are the caller's business. Two things that Linux file
// systems do at creation are done here: a file made in a set-group-id directory gets the group of the directory, and a
// directory made there also gets the bit.
//
// References. Every InodeId that a call returns carries one reference on an inode in memory; Forget gives it back. An
// id stays valid through renames and after the last unlink, until its last reference is gone. It is not reused while
// the file system is mounted. Keeping the balance is up to the caller: calls with an id to which nobody refers return
// ESTALE once the inode is no longer in memory, which may be never.
//
// Durability. An operation that returned ok survives a crash if a Sync returned ok later. Of the operations after the
// last Sync a prefix survives. Some operations count as several here: a Write of more than is gathered, and a
// RemoveTree of names that are links to the outside, or of very many open files.
//
// Writes of file content are gathered, up to MountOptions::write_behind bytes, before they go to the store. All callers
// see them at once. Call Sync or Flush every few seconds, as a kernel would. If gathered writes find no space, the next
// call that writes, or Sync, returns ENOSPC; they are tried again later. If the store cannot take them in because of
// something that it cannot read, they are lost: their file is as it was before them. The next SyncFile of that file,
// and the next Sync or Unmount, report this once, with EIO, or EUCLEAN for damage.
//
// Threads. Any thread may call anything. Content is read beside writers; a read sees each write whole or not at all.
//
// Errors are POSIX errors (betr/fs_error.h). Those that any call may return are listed only here:
//   EIO, EUCLEAN  The device failed, or something is damaged; the message names the place.
//   EROFS         The store was opened read-only or became read-only.
//   ENOSPC        No space, or a log so small that no batch fits (before anything is done; docs/filesystem.md#limits).
//   ESTALE        The id is unknown. Also from what opens, changes or copies a file that lost its last name while it
//                 was not open. Its attributes stay readable; its content is empty.
//   ENAMETOOLONG  A name has more than 255 bytes, or a path would have more than 4095, also one below a directory that
//                 is renamed or cloned. A rename may leave a path too long if it does not make it longer.
//   EINVAL        A name is empty, ".", "..", or contains '/' or NUL. But for "." and ".." creating is EEXIST, Unlink
//                 EISDIR, Rename of or to them EBUSY, and removing the directory ".." ENOTEMPTY.
//
// Cost. "Blind" means that nothing is read from the store. The names of a directory are known if it was created or
// listed completely since the mount, within MountOptions::name_cache. Looking up, creating and removing names is blind
// there.
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

// Identifies an inode in memory while it is referred to. Not st_ino.
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
  Clock* clock = nullptr;  // null: the machine's. Others are for the tests only (lib/base/clock.h)
  // Content that is gathered before it is written, with its keys. At most a quarter of a batch (Store::MaxBatch), and
  // at most an eighth of the reserve.
  Bytes write_behind = MiB(1);
  Bytes name_cache = MiB(64);        // for the names of completely known directories
  size_t inode_cache = 16384;        // inodes kept although nobody refers to them
  bool update_access_times = false;  // as `relatime` does; false: reading changes nothing
};

// An inode that the caller now refers to, and its attributes.
struct Entry {
  InodeId inode;
  FileAttributes attributes;
};

enum class RenameMode : uint8_t {
  kReplace,    // replaces what is at the destination, if POSIX allows it
  kNoReplace,  // EEXIST if there is something at the destination
  kExchange,   // both exist and change places
};

// Whether a read changes the time of access, if these are kept (MountOptions::update_access_times).
enum class ReadMode : uint8_t { kNoticed, kUnnoticed };

enum class XattrMode : uint8_t { kAny, kCreate, kReplace };

// The modes of fallocate(2). None of them promises space: a write may still return ENOSPC.
enum class AllocateMode : uint8_t {
  kExtend,        // mode 0: makes the file at least that long
  kKeepSize,      // FALLOC_FL_KEEP_SIZE alone: changes the times only
  kPunchHole,     // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
  kZero,          // FALLOC_FL_ZERO_RANGE
  kZeroKeepSize,  // FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE
};

// Returns the mode for flags of fallocate(2), or none if they are not supported.
std::optional<AllocateMode> AllocateModeOf(int flags);

// One name in a directory, as ReadDirectory shows it. Valid only during the call of the visitor.
struct DirectoryEntry {
  std::string_view name;
  const FileAttributes& attributes;
};

// One name in a directory, with a reference on what it names.
struct NamedEntry {
  std::string name;
  Entry entry;  // inode 0, without a reference, if the name leads nowhere (the image is damaged)
};

// A name of an inode that somebody refers to.
struct KnownName {
  InodeId directory;
  std::string name;
  InodeId inode;
  bool is_directory = false;
};

// What a caller of RemoveTree has examined: the inode behind the name, and DirectoryMoves before the examination.
struct SeenTree {
  InodeId top;
  uint64_t directory_moves = 0;
};

// What a caller of Clone has examined: everything below the source belonged to one owner, when Arrivals had this value.
struct SeenOwner {
  uint32_t owner = 0;
  uint64_t arrivals = 0;
};

// What RemoveTree removed of what is referred to. A FUSE server has to tell the kernel.
struct RemovedTree {
  // The names of files, then those of directories, each directory after everything in it. The last one is the name that
  // was removed.
  std::vector<KnownName> names;
  // Files that have lost names. They may have other names, and may be known by those alone.
  std::vector<InodeId> changed;
};

// A name that differs between two trees. The attributes are without the inode number.
struct EntryDifference {
  std::string path;  // relative to the two trees; "" for the trees themselves
  // Nothing if the name is not in that tree. If only one tree has a directory, nothing inside it is reported.
  std::optional<FileAttributes> before;
  std::optional<FileAttributes> after;
  // Set only if both are there and have the same type.
  bool content = false;  // the bytes of a file or the target of a symlink differ
  bool xattrs = false;   // the extended attributes differ
};

// The figures for statfs. `total` and `free` are those of SpaceStats.
struct FileSystemSpace {
  Bytes total{0};
  Bytes free{0};
  // A promise: new files whose sizes, each rounded up to 4 KiB, add up to no more than this can be written and synced.
  // It holds for any content, order and number of files, if their paths have at most 128 bytes. More fits if it
  // compresses or has short paths. docs/durability.md says what is not promised.
  Bytes available{0};
};

class FileSystem {
 public:
  // Registers the upserts that the file system writes, numbers 16 and 17, unless they are there. They must be in
  // StoreOptions::functions of every store that holds a file system. kAlreadyExists if others have their numbers.
  static absl::Status RegisterUpserts(UpsertRegistry* registry);

  // Make a new image that holds an empty file system, as Store::CreateImage and Store::FormatImage do, with their
  // errors. A root without a time gets the present time. If the process is killed in FormatImage, it may leave an image
  // without a file system.
  static absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options,
                                  const RootOptions& root);
  static absl::Status FormatImage(const std::string& path, const FormatOptions& options, const RootOptions& root,
                                  Store::Existing existing = Store::Existing::kKeep);
  // Opens an image with Store::OpenImage, adding the upserts, and mounts it. Has the errors of OpenImage, Mount and
  // RegisterUpserts; kInvalidArgument if the image holds no file system.
  static absl::StatusOr<std::unique_ptr<FileSystem>> OpenImage(const std::string& path, StoreOptions store_options,
                                                               const MountOptions& options = {});

  // Makes the two trees and the root directory in an empty store. EEXIST if they are there. EINVAL without
  // RegisterUpserts.
  static absl::Status Format(Store* store, const RootOptions& root);

  // Takes over a store. Reclaims files that were unlinked but open when the store was last used. Errors: kNotFound if
  // the store holds no file system; kUnimplemented if a newer version made it; EINVAL without RegisterUpserts, unless
  // the store is read-only.
  static absl::StatusOr<std::unique_ptr<FileSystem>> Mount(std::unique_ptr<Store> store, const MountOptions& options);

  // Ends as a crash of the program would: what was not flushed is lost. Call Unmount for a clean end.
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  // Flushes, reclaims unlinked files that are still open, and closes the store. If writes were lost and no Sync has
  // reported it, returns EIO after doing all that. From then on writes fail as Store::Close says, at the latest when
  // they are flushed.
  absl::Status Unmount();

  Store& store() const;
  // Returns the time of the clock, for a SetAttributes whose times mean "now".
  FileTime Now() const;

  // --- references --------------------------------------------------------------------------------------------
  // Adds one reference. ESTALE if the inode is not in memory.
  absl::Status Refer(InodeId inode);
  // Gives back references. Giving back more than there are is ignored.
  void Forget(InodeId inode, uint64_t references = 1);
  // Opens a file, and takes a reference. The content of an open file outlives its last name: it is reclaimed at the
  // last Close or at the next mount. If a file is not open, its last Unlink erases the content, whoever refers to the
  // inode.
  absl::Status Open(InodeId inode);
  // Closes a file, and gives a reference back.
  void Close(InodeId inode);
  // Keeps the content of a file, as Open does, until nobody refers to the inode. For callers that have found a file and
  // will open it later, whatever happens to the name meanwhile. Requires a reference. ESTALE if it is too late. Has no
  // effect on directories.
  absl::Status Keep(InodeId inode);

  // --- names -------------------------------------------------------------------------------------------------
  // Errors of all: ENOTDIR (`parent` is not a directory), ENOENT (no such name, or `parent` itself has been removed).
  //
  // Looks up a name, which may be "." or "..". Cost: at most one read; two for a file with several names.
  absl::StatusOr<Entry> Lookup(InodeId parent, std::string_view name);

  // Creates a file of any type. EEXIST if the name is taken. For the target of a symlink: ENOENT if it is empty,
  // ENAMETOOLONG above 4095 bytes, EINVAL with NUL. Blind in a known directory.
  absl::StatusOr<Entry> Create(InodeId parent, std::string_view name, const NewFile& file);
  // Creates a file without a name (O_TMPFILE), opened once. Link may name it. `directory` only determines the group.
  absl::StatusOr<Entry> CreateUnnamed(InodeId directory, const NewFile& file);

  // Gives an inode of any type but a directory a further name. EPERM for a directory; EEXIST; EMLINK; EXDEV as for
  // Rename. Cost: for the second name of a file, O(height) nodes, whatever its size. A link across the border of a
  // clone may cost, once, as much as there are links in that clone.
  absl::StatusOr<Entry> Link(InodeId inode, InodeId parent, std::string_view name);

  // Removes the name of a file. EISDIR for a directory. Blind if the file was looked up before.
  absl::Status Unlink(InodeId parent, std::string_view name);
  // Removes an empty directory. ENOTDIR, ENOTEMPTY.
  absl::Status RemoveDirectory(InodeId parent, std::string_view name);
  // Removes a name at once, with everything below it if it is a directory. Open files live on. If they are too many for
  // one batch (a few ten thousand; fewer with long paths or a small log), they lose their names before the rest goes.
  // `removed`, unless null, is empty and receives what was referred to, even after an error. EAGAIN, before anything is
  // done, if the name or the directories below it may have changed since `seen`. Cost: O(height) nodes, and a step for
  // each name below of a file with several names; for `removed`, a step for each inode in memory.
  absl::Status RemoveTree(InodeId parent, std::string_view name, RemovedTree* removed = nullptr,
                          const SeenTree* seen = nullptr);
  // Returns how often a directory was renamed, cloned, given to another owner, or made in a directory of another owner.
  uint64_t DirectoryMoves() const;

  // Renames or exchanges what has a name. Does nothing if both names are of one inode. `left` is a new file that has
  // the old name afterwards, as an overlay's whiteout: one without target and extended attributes.
  // Errors: EEXIST (kNoReplace), EINVAL (into its own descendant; `left` with kExchange), EISDIR, ENOTDIR, ENOTEMPTY.
  // EXDEV, before anything is done, if names of files with several names leave or enter a clone, and a file in it has
  // more names than fit into a batch; never otherwise (docs/filesystem.md#hard-links). Cost: as for RemoveTree, but
  // links are read only if the depth of a clone changes, and all records below if a path might become too long.
  absl::Status Rename(InodeId from_parent, std::string_view from_name, InodeId to_parent, std::string_view to_name,
                      RenameMode mode = RenameMode::kReplace, const NewFile* left = nullptr);

  // Makes `name` a copy of the file or directory `source` and everything below it, as of now. Content, attributes and
  // xattrs are shared until one side changes them; a quarter of a node or less is copied. Inode numbers are new. Names
  // inside the source that are links of one file become links of one new file. The root can be cloned. A clone into its
  // own source holds the state before. Errors: EEXIST. ENOTSUP if there are zones below the source (docs/ablations.md).
  // EAGAIN, before anything is done, if by now something below the source may belong to another owner than in `seen`.
  // Cost: O(height) nodes, and a step for each name below of a file with several names, unless the source is itself a
  // clone, or the root. If a path might become too long, the cost of that is as for Rename.
  absl::StatusOr<Entry> Clone(InodeId source, InodeId parent, std::string_view name, const SeenOwner* seen = nullptr);
  // Returns how often something that is a device, or may belong to another owner, came into a directory of this owner,
  // or something of this owner was given away. May also count what happened to other owners.
  uint64_t Arrivals(uint32_t owner) const;

  // --- attributes --------------------------------------------------------------------------------------------
  // Returns the attributes. Blind: an inode in memory knows them.
  absl::StatusOr<FileAttributes> GetAttributes(InodeId inode);
  // Returns whether GetAttributes, Lookup or LookupAfter has given out the attributes of the inode since this was last
  // asked. For a server that has changed them: what it gave out before may still be on its way to a cache.
  bool TakeTold(InodeId inode);
  // The same for what has this name, as far as that is known without reading. Returns its id if so.
  std::optional<InodeId> TakeTold(InodeId parent, std::string_view name);
  // Changes attributes. EISDIR for the size of a directory; EINVAL for that of any other non-regular file; EFBIG.
  // Blind.
  absl::StatusOr<FileAttributes> SetAttributes(InodeId inode, const AttributeChange& change);
  // Returns the target of a symlink. EINVAL for anything else.
  absl::StatusOr<std::string> ReadLink(InodeId inode);

  // Read and change extended attributes. Names are those of the system calls, with the namespace. Who may use which is
  // the caller's business.
  // Errors: ENODATA; ERANGE (a name of more than 255 bytes); E2BIG (the value); ENOSPC (all names together); EEXIST
  // (kCreate). The attributes of a removed directory are kept until it is forgotten. ENOSPC there also if all its
  // values together are above kMaxXattrSize, and ENODATA for a value of more than 256 bytes from before the removal.
  // Any other file that was removed has no attributes; setting one is ESTALE.
  absl::StatusOr<std::string> GetXattr(InodeId inode, std::string_view name);
  absl::Status SetXattr(InodeId inode, std::string_view name, std::string_view value, XattrMode mode = XattrMode::kAny);
  absl::Status RemoveXattr(InodeId inode, std::string_view name);
  // Lists the names in order.
  absl::StatusOr<std::vector<std::string>> ListXattrs(InodeId inode);

  // --- content -----------------------------------------------------------------------------------------------
  // EISDIR for directories. EINVAL for anything else that is not a regular file.
  //
  // Reads, and returns the number of bytes: fewer than asked for only at the end of the file. kUnnoticed reads as with
  // O_NOATIME.
  absl::StatusOr<size_t> Read(InodeId inode, uint64_t offset, std::span<char> buffer,
                              ReadMode mode = ReadMode::kNoticed);
  // Writes, and returns the number of bytes. Writes fewer, or returns an error, only if the store fails or at
  // kMaxFileSize. There it writes what fits; EFBIG if nothing does. Blind: whole blocks are puts, parts of blocks are
  // upserts.
  absl::StatusOr<size_t> Write(InodeId inode, uint64_t offset, std::string_view bytes);
  // Writes at the end of the file, whatever others do, and returns the offset. After an error (EFBIG, ENOSPC) nothing
  // was written, unless the store failed.
  absl::StatusOr<uint64_t> Append(InodeId inode, std::string_view bytes);
  // Does what fallocate(2) does in this mode.
  absl::Status Allocate(InodeId inode, AllocateMode mode, uint64_t offset, uint64_t length);
  // Return the next offset >= `offset` at which there is data, or a hole. The end of the file counts as a hole. ENXIO
  // if there is none, or if `offset` is not before the end. The granularity is a block of 4 KiB.
  absl::StatusOr<uint64_t> SeekData(InodeId inode, uint64_t offset);
  absl::StatusOr<uint64_t> SeekHole(InodeId inode, uint64_t offset);
  // Copies as copy_file_range(2) does, and returns the number of bytes, which may be less than asked for. A whole file
  // into an empty one, and whole mebibytes at the same offset in both, are cloned; the rest is copied. EINVAL if the
  // ranges overlap in one file. At kMaxFileSize as for Write.
  absl::StatusOr<uint64_t> CopyRange(InodeId from, uint64_t from_offset, InodeId to, uint64_t to_offset,
                                     uint64_t length);

  // --- directories -------------------------------------------------------------------------------------------
  // Visits the entries whose names come after `after`, until `visit` returns false or the directory ends. Names are in
  // memcmp order; "" is before all. "." and ".." are left out. Positions are names, so they survive any change of the
  // directory. An entry that exists during the whole call is seen once. The lock is not held while `visit` runs, so it
  // may call the file system. Cost: one range scan, attributes included, and one more read for each name of a file with
  // several names.
  absl::Status ReadDirectory(InodeId directory, std::string_view after,
                             absl::FunctionRef<bool(const DirectoryEntry&)> visit);
  // Returns the first `max` of these entries, each with a reference as from Lookup: what a FUSE server needs. Returns
  // fewer if the directory ends. Cost: that of ReadDirectory, but under the lock.
  absl::StatusOr<std::vector<NamedEntry>> LookupAfter(InodeId directory, std::string_view after, size_t max);
  // Visits the differences of the file or directory `after` from `before`, with everything below. A name differs if
  // only one of the two has it, or if its type, content, permissions, owner, time of modification or xattrs differ.
  // The order is, as a rule, that of keys: the entries of a directory, then what is below each. Both are compared as
  // they were when the call began, which keeps space from deletes until it ends. The lock is not held, so `visit` may
  // call the file system. An error of `visit` ends the call. ENOTSUP where there are zones (docs/ablations.md). Cost:
  // what a clone shares with its source is not looked at, so the cost is that of what changed since on either side, and
  // two reads for each name of a file with several names.
  absl::Status FindDifferences(InodeId before, InodeId after,
                               absl::FunctionRef<absl::Status(const EntryDifference&)> visit);
  // Returns the same differences as a stream. ESTALE, ENOENT (a directory that was removed), ENOTSUP. Reads nothing.
  absl::StatusOr<std::unique_ptr<DifferenceStream>> NewDifferences(InodeId before, InodeId after);
  // Returns the space that files and directories take together, with everything below. What is not stored yet has no
  // size, so a checkpoint comes first, unless the store is read-only. Below a directory, files that also have names
  // elsewhere are left out: their content does not come back with the directory. Cost: the checkpoint, a read for each
  // file there with several names, and Store::FootprintOf. Memory: those names.
  absl::StatusOr<Footprint> FootprintOf(const std::vector<InodeId>& inodes);
  // Returns the names from the root, joined by '/'; "" for the root. ENOENT for an inode without a name, and for a file
  // with several.
  absl::StatusOr<std::string> PathOf(InodeId inode);

  // --- the whole ---------------------------------------------------------------------------------------------
  FileSystemSpace Space() const;
  // Hands gathered writes to the store. They become durable with its next sync or checkpoint.
  absl::Status Flush();
  // Makes everything that returned before this call durable. EIO if that holds except for writes that were lost since
  // the last Sync; the message names the first file.
  absl::Status Sync();
  // fsync. There is only one log, so this is a Sync of everything. But it reports only the losses of this file, and
  // only while the file is referred to.
  absl::Status SyncFile(InodeId inode);

  // Internals, for the bulk writer, the checker and the tests. Not a stable interface.
  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit FileSystem(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace betr
