// SPDX-License-Identifier: Apache-2.0
// Maps the kernel's requests to a FileSystem. One Server is one mount.
//
// A node of the kernel is an InodeId. Each lookup that the kernel counts is a reference to it. Answers never expire.
// The kernel sees every change except those that clones make, and is told of these (fuse/cloner.h).
//
// Threads. Requests come from any number of threads. A request's own thread never waits for the kernel to take an
// invalidation, since that may wait for a request.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "betr/filesystem.h"
#include "fuse_api.h"
#include "log.h"
#include "open_files.h"
#include "retries.h"

namespace betr::fuse {

class Cloner;

struct ServerSettings {
  bool writeback = false;  // the kernel gathers writes; partial ones of uncached pages read first
  bool xattrs = true;
  bool acl = true;
  bool read_only = false;
  bool mounter_and_root_only = false;  // libfuse enforces it for the requests that it gets
  std::string image;                   // its path, for whoever asks
  // What the mount was made with, for whoever asks (lasting_options.h).
  std::map<std::string, std::string> options{};
};

class Server {
 public:
  // `fs` and `log` must outlive this.
  Server(FileSystem* fs, Log* log, const ServerSettings& settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  FileSystem& fs() { return fs_; }
  Log& log() { return log_; }
  const ServerSettings& settings() const { return settings_; }
  OpenFiles& files() { return files_; }
  Retries& retries() { return retries_; }
  Cloner& cloner() { return *cloner_; }
  // Requires: Attach.
  fuse_session* session() { return session_; }

  // Says which session requests come from and which directory it is mounted on. Must be called before the first
  // request.
  void Attach(fuse_session* session, const std::string& directory);
  // Ends background work. Call it after the last request.
  void Detach();

  // Whether the file system was made read-only since it was mounted. The kernel enforces that by itself, except for
  // ioctls. False if this process no longer sees the mount. Reads the table of mounts.
  bool IsMadeReadOnly() const;

  // Whether this process sees something mounted on, or below, a path from the root. Reads the table of mounts.
  bool IsMountedWithin(std::string_view path) const;

  // Makes the kernel drop the attributes of an inode, if any answer has told them since the last time.
  //
  // Must be called when a request changed attributes that its answer does not tell; if possible, before that answer.
  // Such attributes are those of a directory in which a name came or went, and of what was renamed or got another
  // xattr, another hole or pages of a mapping. The kernel then asks for them anew by itself. But an older answer may
  // still be on its way to another thread, and would be kept for ever. Of other writes the kernel knows by itself that
  // they overtake such answers.
  void OutdateAnswers(InodeId inode);
  void OutdateAnswers(InodeId directory, std::string_view name);

  // Returns what the kernel is told about an entry. It never expires.
  fuse_entry_param ToParam(const Entry& entry) const;

 private:
  FileSystem& fs_;
  Log& log_;
  ServerSettings settings_;
  uint64_t generation_;  // tells inodes of this mount from those of others under the same number
  OpenFiles files_;
  Retries retries_;
  fuse_session* session_ = nullptr;
  std::string device_;  // of the file system, as in MountInfo
  std::unique_ptr<Cloner> cloner_;
};

// As long as a kernel can count, in seconds.
inline constexpr double kForever = 1e9;

inline InodeId ToInode(fuse_ino_t node) { return InodeId{node}; }
inline Handle* HandleOf(const fuse_file_info* info) { return reinterpret_cast<Handle*>(info->fh); }
struct stat ToStat(const FileAttributes& attributes);

// Returns libfuse's whole table of operations, put together from fuse/ops_*.cc.
const fuse_lowlevel_ops& Operations();

}  // namespace betr::fuse
