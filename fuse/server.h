// SPDX-License-Identifier: Apache-2.0
// The mapping between the kernel's requests and a FileSystem. One Server is one mount.
//
// A node of the kernel is an InodeId, and each lookup that the kernel counts is a reference on it. Nothing that is
// answered ever expires: the kernel sees every change but those that clones make, and is told of these (fuse/cloner.h).
//
// Threads. Requests come from any number of threads. A request's own thread never waits for the kernel to take an
// invalidation, as that may wait for a request.
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
  bool mounter_and_root_only = false;  // libfuse looks after it, for the requests that it gets
  std::string image;                   // its path, for whoever asks
  // What the mount was made with, for whoever asks: lasting_options.h.
  std::map<std::string, std::string> options{};
};

class Server {
 public:
  // `fs` and `log` outlive this.
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

  // To be called before the first request: the session that requests come from, and the directory that it is mounted
  // on.
  void Attach(fuse_session* session, const std::string& directory);
  // Ends what works in the background. After the last request.
  void Detach();

  // Whether the file system was made read-only since it was mounted. The kernel looks after that by itself, but for
  // ioctls. Reads the table of mounts. False if it is not mounted any more where this process sees it.
  bool IsMadeReadOnly() const;

  // Whether something is mounted on what is at a path from the root, or below, where this process sees it. Reads the
  // table of mounts.
  bool IsMountedWithin(std::string_view path) const;

  // To be called when a request has changed attributes that its answer does not tell - those of a directory in which a
  // name came or went, of what was renamed, or has another xattr, another hole or pages of a mapping - and before that
  // answer if possible. The kernel then asks for them anew; but what it was told before may still be on its way to
  // another thread, and would be kept for ever. Of other writes it knows by itself that they overtake such answers.
  void OutdateAnswers(InodeId inode);
  void OutdateAnswers(InodeId directory, std::string_view name);

  // What the kernel is told about an entry, with answers that never expire.
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

// As long as a kernel can count.
inline constexpr double kForever = 1e9;

inline InodeId ToInode(fuse_ino_t node) { return InodeId{node}; }
inline Handle* HandleOf(const fuse_file_info* info) { return reinterpret_cast<Handle*>(info->fh); }
struct stat ToStat(const FileAttributes& attributes);

// All of libfuse's table of operations, made of the files fuse/ops_*.cc.
const fuse_lowlevel_ops& Operations();

}  // namespace betr::fuse
