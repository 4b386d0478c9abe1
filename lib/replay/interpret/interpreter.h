// SPDX-License-Identifier: Apache-2.0
// Turns the system calls of a trace into operations. Follows processes (process_table.h) and the name space
// (name_space.h), hands each operation to a sink, and counts what it could not use.
//
// The name space follows the trace: what succeeded there is done, what failed there is not. A call that failed is
// handed on too, if the name space says that it must fail in that way. Trace and name space may disagree: the trace
// does not tell the order of calls of several threads, and an untraced process may have done something. Such a call is
// not handed on but counted as a conflict. So whatever the sink sees must come out at the target as the trace has it.
//
// Calls take effect when they end, with two exceptions. Descriptors are free when the close begins. A child has its
// copy of the descriptors when the fork begins.
//
// One thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/interpret/initial_names.h"
#include "replay/interpret/memory_map.h"
#include "replay/interpret/name_space.h"
#include "replay/interpret/operation.h"
#include "replay/interpret/process_path.h"
#include "replay/interpret/process_table.h"
#include "replay/trace/argument.h"
#include "replay/trace/call_stream.h"

namespace betr::replay {

class OperationSink {
 public:
  virtual ~OperationSink() = default;
  virtual void Perform(const Operation& operation) = 0;
  // Tells what happened to the threads between the operations.
  virtual void Follow(const ProcessEvent&) {}
};

// What became of the calls.
struct InterpreterCounts {
  uint64_t used = 0;                            // led to operations, or changed a process
  uint64_t outside = 0;                         // about something outside what is replayed, or about no file
  uint64_t other = 0;                           // kinds of calls that have nothing to do with files
  uint64_t shared_maps = 0;                     // shared mappings of files that allow stores
  uint64_t unsynced_maps = 0;                   // of these: never msync'ed, so nothing is known of stores into them
  uint64_t map_syncs = 0;                       // ranges that msync made durable, which counts as a write
  std::map<std::string, uint64_t> unsupported;  // by name: calls that matter but that replay does not do, or cannot
  std::map<std::string, uint64_t> skipped;      // by reason: results that a replay cannot repeat
  std::map<std::string, uint64_t> conflicts;    // by kind: the trace says one thing, the name space another
  std::vector<std::string> samples;             // the first conflicts, with their lines
};

// Fills in what a trace shows to have been there before it (inference.h).
class Conjurer {
 public:
  virtual ~Conjurer() = default;
  // Whether `name` may have been in the directory from the beginning. If so, it is there from now on.
  virtual bool Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) = 0;
  // A call has made `place`. It is not sure for an open that also takes what is there, and for a symlink that leads
  // nowhere.
  virtual void SeeMade(const NameSpace& space, const Place& place, bool is_sure) = 0;
  // A file that an open seems to have made holds something that nobody has written since.
  virtual void SeeOlder(const NameSpace& space, NodeNumber node) = 0;
  // A call has shown that a directory that seems to be empty is not.
  virtual void SeeNotEmpty(NodeNumber directory) = 0;
  // A call has shown that what was there is a symlink, although it may have been taken for something else.
  virtual void SeeLink(const NameSpace& space, NodeNumber node, const InitialLink& seen) = 0;
  // The same, and the call has removed it: nothing more of it can be seen.
  virtual void SeeReplacedLink(const NameSpace& space, NodeNumber node) = 0;
  // A call has shown that the name of the node is not that of a symlink.
  virtual void SeeNoLink(const NameSpace& space, NodeNumber node) = 0;
  // A path leads through a symlink whose target no call has shown yet.
  virtual void SeeFollowed(const NameSpace& space, NodeNumber link) = 0;
  // The trace tells that what was opened at `place` is at `told`.
  virtual void SeePath(const NameSpace& space, const Place& place, std::string_view told) = 0;
};

class Interpreter {
 public:
  // `space` must have the initial state. It, the sink and the conjurer (may be null) must outlive this.
  Interpreter(NameSpace* space, OperationSink* sink, Conjurer* conjurer);
  ~Interpreter();

  void Handle(const CallEvent& event);
  // Closes what is open. Call it when the trace has ended.
  void Finish();
  // Sets the working directory of processes that never say it, as chdir(2) would.
  void SetInitialDirectory(const std::string& path);
  // Sets the umask of processes that never set one.
  void SetInitialUmask(uint32_t mask) { initial_umask_ = mask; }

  const InterpreterCounts& counts() const { return counts_; }

 private:
  friend class CallTable;

  // A call that is being interpreted.
  struct Call {
    const CallEvent& event;
    std::vector<std::string_view> arguments;
    Task& task;
    std::optional<NodeNumber> root{};  // openat2: what is "/" for this call alone

    std::string_view Argument(size_t index) const { return index < arguments.size() ? arguments[index] : ""; }
    const CallResult& result() const { return event.result; }
    uint64_t Number(size_t index) const { return static_cast<uint64_t>(ParseNumber(Argument(index)).value_or(0)); }
    uint64_t Flags(size_t index) const { return ParseFlags(Argument(index)).value_or(0); }
    // The bytes that a call has read, written or copied; 0 if it failed.
    uint64_t Moved() const { return static_cast<uint64_t>(std::max<int64_t>(result().value, 0)); }
  };
  using Handler = void (Interpreter::*)(Call&);

  // What a call is about: a node by a path, or an open file.
  struct Subject {
    WalkResult walk{};
    DescriptionPointer file{};
    // The error that the path alone requires.
    int MissingError() const { return walk.error != 0 || walk.place.node != NodeNumber{} ? walk.error : 2; }
  };
  enum class FileKind : uint8_t { kAny, kRegular };

  // --- interpreter_paths.cc: what arguments mean ---------------------------------------------------------------
  std::optional<Subject> Resolve(Call& call, std::string_view directory, std::string_view path, FollowLast follow,
                                 uint64_t flags = 0);
  std::optional<Subject> ResolveText(Call& call, std::string_view directory, const std::string& path,
                                     FollowLast follow);
  std::optional<Subject> ResolveOfProcess(Call& call, const ProcessPath& path, FollowLast follow);
  std::optional<Subject> ResolveDescriptor(Call& call, std::string_view descriptor);
  std::optional<Subject> Outside();
  std::optional<Subject> Lost(std::string_view what);
  bool IsBaseUntold(const Call& call, std::string_view directory) const;
  std::optional<std::string> WithoutAlias(const std::string& path) const;
  void Correct(const std::string& path, Directories* directories);
  std::optional<NodeNumber> BaseOf(Call& call, std::string_view directory);
  DescriptionPointer FileOf(Call& call, std::string_view descriptor);
  DescriptionPointer KnownFileOf(Call& call, std::string_view descriptor);
  DescriptionPointer Heal(Call& call, const DescriptorArgument& descriptor);
  Subject OfFile(const DescriptionPointer& file) const;
  NodeNumber RootOf(const Call& call) const;
  WalkResult WalkConjuring(Call& call, NodeNumber base, const std::string& path, FollowLast follow);
  bool ConjureOnTheWay(const Call& call, const WalkResult& walk);
  static bool IsFound(const CallEvent& event);
  void ConjureMissing(const Call& call, Subject* subject, FileType type);
  NodeNumber FindDirectory(const std::string& path, Conjurer* conjurer);
  bool IsDirectory(NodeNumber node, bool is_shown);
  NodeUse Use(NodeNumber node);
  void Settle(NodeNumber node);

  // --- interpreter.cc: agreement and emission -------------------------------------------------------------------
  void Do(Call& call, Handler handler);
  Operation Start(const Call& call, OperationKind kind, const Subject& subject) const;
  bool Agree(const Call& call, Operation* operation, int predicted);
  void Conflict(const Call& call, std::string_view what);
  void Skip(std::string_view reason) { ++counts_.skipped[std::string(reason)]; }
  void Emit(Operation* operation);
  void HandOn(Operation* operation);
  void ShowNoDirectory(NodeNumber node);
  void ShowNoDirectories(const Operation& operation);
  bool IsRemovedDirectory(NodeNumber node) const;
  bool IsLeftOut(const Operation& operation);
  bool IsOutside(NodeNumber node) const;
  void Bind(NodeNumber node);
  void Bind(const Place& place);

  // --- interpreter_open.cc ----------------------------------------------------------------------------------------
  void Open(Call& call, std::string_view directory, std::string_view path, uint64_t flags, uint64_t mode);
  void OpenOpen(Call& call);
  void OpenAt(Call& call);
  void OpenAt2(Call& call);
  void Creat(Call& call);
  static std::optional<FileType> TypeShownByOpen(const CallResult& result, uint64_t flags);
  int PredictOpen(const Subject& subject, uint64_t flags) const;
  std::optional<Subject> ResolveOpened(Call& call, std::string_view directory, std::string_view path, uint64_t flags);
  void LearnAlias(std::string_view path, std::string_view meant);
  void OpenExisting(Call& call, const Subject& subject, uint64_t flags, uint64_t mode);
  void OpenNew(Call& call, const Subject& subject, uint64_t flags, uint64_t mode);
  void ShowLinksByOpen(const Call& call, const WalkResult& walk, uint64_t flags);
  DescriptionPointer Describe(NodeNumber node, uint64_t flags);
  static void Install(Call& call, int64_t number, DescriptionPointer description, bool is_closed_on_exec);
  static void Remove(Call& call, int64_t number);
  void Close(Call& call);
  void CloseRange(Call& call);
  static void Displace(Call& call, int64_t number);
  static void InstallElsewhere(Call& call, int64_t number);
  void Duplicate(Call& call, std::string_view from, int64_t number, bool is_closed_on_exec);
  void Dup(Call& call);
  void DupOnto(Call& call);
  void Fcntl(Call& call);
  void SetClosedOnExec(Call& call, bool is_closed);

  // --- interpreter_descriptors.cc ---------------------------------------------------------------------------------
  bool IsUntold(const Call& call, std::string_view descriptor) const;
  std::optional<Subject> NoFile(const Call& call, std::string_view descriptor);
  void NewDescriptor(Call& call);
  void NewPair(Call& call);
  void OpenProcess(Call& call);
  void TakeDescriptor(Call& call);
  void Receive(Call& call);

  // --- interpreter_process.cc -------------------------------------------------------------------------------------
  void Fork(Call& call);
  void Exec(Call& call);
  void ExitGroup(Call& call);
  void End(const CallEvent& event);
  void ChangeDirectory(Call& call);
  void ChangeDirectoryTo(Call& call);
  void ChangeRoot(Call& call);
  void Umask(Call& call);
  void Wait(Call& call);
  void Nothing(Call&) {}

  // --- interpreter_content.cc -------------------------------------------------------------------------------------
  void Read(Call& call);
  void ReadAt(Call& call);
  void Write(Call& call);
  void WriteAt(Call& call);
  static uint64_t AskedBy(const Call& call);
  static uint64_t WriteFlagsOf(const Call& call);
  void ReadOn(Call& call, const DescriptionPointer& file);
  void ReadFrom(Call& call, const DescriptionPointer& file, uint64_t offset, uint64_t asked, uint64_t count);
  void WriteTo(Call& call, const DescriptionPointer& file, uint64_t offset, uint64_t count, uint64_t write_flags = 0);
  void SyncWritten(const Call& call, const DescriptionPointer& file, uint64_t write_flags);
  void Seek(Call& call);
  void SeekLong(Call& call);
  void SeekTo(Call& call, const DescriptionPointer& file, uint64_t position, uint64_t whence);
  void PlaceAtEnd(OpenDescription* file);
  void Truncate(Call& call);
  void TruncateFile(Call& call);
  void TruncateSubject(Call& call, Subject subject, uint64_t size);
  void Allocate(Call& call);
  void CopyRange(Call& call);
  void SendFile(Call& call);
  void Splice(Call& call);
  void Transfer(Call& call, const DescriptionPointer& from, std::optional<uint64_t> from_offset,
                const DescriptionPointer& to, std::optional<uint64_t> to_offset);
  void Control(Call& call);
  void CloneFile(Call& call, uint64_t request);
  void LearnSize(NodeNumber number, uint64_t end, bool is_all);
  void Submit(Call& call);
  void SubmitOne(Call& call, std::string_view request);
  void SyncAll(Call& call);
  void SyncFile(Call& call);
  std::optional<uint64_t> OffsetAt(std::string_view argument) const;

  // --- interpreter_memory.cc --------------------------------------------------------------------------------------
  void MapMemory(Call& call);
  void UnmapMemory(Call& call);
  void RemapMemory(Call& call);
  void ProtectMemory(Call& call);
  void SyncMemory(Call& call);
  void WriteMapped(Call& call, const MemoryMap::Piece& piece);
  MappedFilePointer Keep(const DescriptionPointer& file);
  void AllowStores(MappedFile* mapped);

  // --- interpreter_names.cc -----------------------------------------------------------------------------------------
  void MakeDirectory(Call& call);
  void MakeDirectoryAt(Call& call);
  void MakeNode(Call& call);
  void MakeNodeAt(Call& call);
  void BindSocket(Call& call);
  void SymlinkPlain(Call& call);
  void SymlinkAt(Call& call);
  void LinkPlain(Call& call);
  void LinkAt(Call& call);
  void UnlinkPlain(Call& call);
  void RemoveDirectoryPlain(Call& call);
  void UnlinkAt(Call& call);
  void RenamePlain(Call& call);
  void RenameAt(Call& call);
  uint32_t ModeOfMade(const Call& call, NodeNumber parent, uint32_t asked) const;
  void NoteMade(NodeNumber parent, NodeNumber made, uint32_t asked);
  void Make(Call& call, std::string_view directory, std::string_view path, Operation made);
  void Put(Operation* made);
  void ShowTaken(const Call& call, Subject* subject, bool is_for_directory);
  void MakeDirectoryIn(Call& call, std::string_view directory, size_t path);
  void MakeNodeIn(Call& call, std::string_view directory, size_t path);
  void SymlinkIn(Call& call, std::string_view directory, size_t path);
  void Link(Call& call, std::string_view from_directory, std::string_view from, std::string_view to_directory,
            std::string_view to, uint64_t flags);
  void Unlink(Call& call, std::string_view directory, std::string_view path, bool is_directory);
  bool AreBothInside(const Call& call, const std::optional<Subject>& from, const std::optional<Subject>& to,
                     uint64_t outside_before);
  void Rename(Call& call, std::string_view from_directory, std::string_view from, std::string_view to_directory,
              std::string_view to, uint64_t flags);
  bool AreRenameFlagsUsable(const Call& call, uint64_t flags);
  void RenameOut(Call& call, const Subject& source);
  void RenameWithin(Call& call, const Subject& source, const Subject& made, uint64_t flags);
  bool IsReplacedLink(const Operation& rename);
  int PredictRename(const Subject& source, const Subject& made, Operation* rename) const;
  void Whiteout(const Call& call, const Place& place);
  void RemoveTree(const Call& call, const Place& top);

  // --- interpreter_attributes.cc ------------------------------------------------------------------------------------
  void StatPlain(Call& call);
  void StatLink(Call& call);
  void StatFile(Call& call);
  void StatAt(Call& call);
  void StatX(Call& call);
  void Access(Call& call);
  void AccessAt(Call& call);
  void Stat(Call& call, std::optional<Subject> subject, std::string_view structure, FollowLast follow);
  void Learn(const FileAttributes& seen, NodeNumber number);
  void LearnByStat(const Call& call, const FileAttributes& seen, Operation* stat);
  void CatchUpMode(const Operation& stat, uint32_t permissions);
  void ShowLink(NodeNumber number, const InitialLink& seen);
  void ShowReplacedLink(NodeNumber number);
  void ShowOlder(NodeNumber number);
  void ShowNotEmpty(NodeNumber number);
  void LearnTarget(const Call& call, std::string_view buffer, NodeNumber number);
  void ReadLink(Call& call);
  void ReadLinkAt(Call& call);
  void ReadLinkOf(Call& call, std::optional<Subject> subject, std::string_view buffer, uint64_t size);
  void StatFs(Call& call);
  void StatFsFile(Call& call);
  void List(Call& call);

  // --- interpreter_changes.cc ---------------------------------------------------------------------------------------
  void ChangeMode(Call& call);
  void ChangeModeFile(Call& call);
  void ChangeModeAt(Call& call);
  void ChangeModeOf(Call& call, std::optional<Subject> subject, uint64_t mode);
  void ChangeOwner(Call& call);
  void ChangeOwnerLink(Call& call);
  void ChangeOwnerFile(Call& call);
  void ChangeOwnerAt(Call& call);
  void ChangeOwnerOf(Call& call, std::optional<Subject> subject, size_t first);
  void ChangeTimes(Call& call);
  void ChangeTimesAt(Call& call);
  void ChangeTimesOf(Call& call, std::optional<Subject> subject, std::string_view times);

  // --- interpreter_xattrs.cc ----------------------------------------------------------------------------------------
  std::optional<Subject> XattrSubject(Call& call);
  void GetXattr(Call& call);
  void ListXattrs(Call& call);
  void SetXattr(Call& call);
  void RemoveXattr(Call& call);
  void SetAcl(Call& call, const Subject& subject);
  void SetDefaultAcl(NodeNumber directory, std::string_view value);

  NameSpace& space_;
  OperationSink& sink_;
  Conjurer* const conjurer_;
  InterpreterCounts counts_;
  uint64_t next_file_ = 1;
  bool is_finishing_ = false;
  // Of the event that is being handled.
  ThreadNumber thread_ = 0;
  uint64_t line_ = 0;
  std::string_view lost_{};  // what keeps it from being followed; empty: nothing
  std::string initial_directory_;
  uint32_t initial_umask_ = 022;
  // Paths of directories outside that are names of directories inside, by symlinks that opens have shown.
  std::vector<std::pair<std::string, std::string>> aliases_;
  // Inference: from whole clones to what they were made of. Both have the same size, which is not known yet.
  absl::flat_hash_map<NodeNumber, NodeNumber> clones_;
  // Removed directories that were opened: no target knows these files.
  absl::flat_hash_set<FileNumber> unopened_;
  // Declared after what its entries point into, since their deleters use it.
  ProcessTable processes_;
};

}  // namespace betr::replay
