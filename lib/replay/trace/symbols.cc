// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/symbols.h"

#include <absl/container/flat_hash_map.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace betr::replay {
namespace {

template <class T>
constexpr uint64_t Number(T value) {
  return static_cast<uint64_t>(value);
}

using SymbolMap = absl::flat_hash_map<std::string_view, uint64_t>;
using ErrnoMap = absl::flat_hash_map<std::string_view, int>;

constexpr std::pair<std::string_view, uint64_t> kSymbols[] = {
    {"O_RDONLY", Number(O_RDONLY)},
    {"O_WRONLY", Number(O_WRONLY)},
    {"O_RDWR", Number(O_RDWR)},
    {"O_CREAT", Number(O_CREAT)},
    {"O_EXCL", Number(O_EXCL)},
    {"O_NOCTTY", Number(O_NOCTTY)},
    {"O_TRUNC", Number(O_TRUNC)},
    {"O_APPEND", Number(O_APPEND)},
    {"O_NONBLOCK", Number(O_NONBLOCK)},
    {"O_DSYNC", Number(O_DSYNC)},
    {"O_DIRECT", Number(O_DIRECT)},
    {"O_DIRECTORY", Number(O_DIRECTORY)},
    {"O_NOFOLLOW", Number(O_NOFOLLOW)},
    {"O_NOATIME", Number(O_NOATIME)},
    {"O_CLOEXEC", Number(O_CLOEXEC)},
    {"O_SYNC", Number(O_SYNC)},
    {"O_PATH", Number(O_PATH)},
    {"O_TMPFILE", Number(O_TMPFILE)},
    {"AT_FDCWD", Number(AT_FDCWD)},
    {"AT_SYMLINK_NOFOLLOW", Number(AT_SYMLINK_NOFOLLOW)},
    {"AT_REMOVEDIR", Number(AT_REMOVEDIR)},
    {"AT_SYMLINK_FOLLOW", Number(AT_SYMLINK_FOLLOW)},
    {"AT_EMPTY_PATH", Number(AT_EMPTY_PATH)},
    {"S_IFREG", Number(S_IFREG)},
    {"S_IFDIR", Number(S_IFDIR)},
    {"S_IFLNK", Number(S_IFLNK)},
    {"S_IFIFO", Number(S_IFIFO)},
    {"S_IFSOCK", Number(S_IFSOCK)},
    {"S_IFCHR", Number(S_IFCHR)},
    {"S_IFBLK", Number(S_IFBLK)},
    {"S_ISUID", Number(S_ISUID)},
    {"S_ISGID", Number(S_ISGID)},
    {"S_ISVTX", Number(S_ISVTX)},
    {"RENAME_NOREPLACE", Number(RENAME_NOREPLACE)},
    {"RENAME_EXCHANGE", Number(RENAME_EXCHANGE)},
    {"RENAME_WHITEOUT", Number(RENAME_WHITEOUT)},
    {"RWF_APPEND", Number(RWF_APPEND)},
    {"RWF_DSYNC", Number(RWF_DSYNC)},
    {"RWF_SYNC", Number(RWF_SYNC)},
    {"RWF_NOAPPEND", Number(0x20)},
    {"RESOLVE_NO_XDEV", Number(RESOLVE_NO_XDEV)},
    {"RESOLVE_NO_MAGICLINKS", Number(RESOLVE_NO_MAGICLINKS)},
    {"RESOLVE_NO_SYMLINKS", Number(RESOLVE_NO_SYMLINKS)},
    {"RESOLVE_BENEATH", Number(RESOLVE_BENEATH)},
    {"RESOLVE_IN_ROOT", Number(RESOLVE_IN_ROOT)},
    {"RESOLVE_CACHED", Number(RESOLVE_CACHED)},
    {"SEEK_SET", Number(SEEK_SET)},
    {"SEEK_CUR", Number(SEEK_CUR)},
    {"SEEK_END", Number(SEEK_END)},
    {"SEEK_DATA", Number(SEEK_DATA)},
    {"SEEK_HOLE", Number(SEEK_HOLE)},
    {"F_DUPFD", Number(F_DUPFD)},
    {"F_DUPFD_CLOEXEC", Number(F_DUPFD_CLOEXEC)},
    {"F_GETFD", Number(F_GETFD)},
    {"F_SETFD", Number(F_SETFD)},
    {"F_GETFL", Number(F_GETFL)},
    {"F_SETFL", Number(F_SETFL)},
    {"FD_CLOEXEC", Number(FD_CLOEXEC)},
    {"FALLOC_FL_KEEP_SIZE", Number(FALLOC_FL_KEEP_SIZE)},
    {"FALLOC_FL_PUNCH_HOLE", Number(FALLOC_FL_PUNCH_HOLE)},
    {"FALLOC_FL_ZERO_RANGE", Number(FALLOC_FL_ZERO_RANGE)},
    {"FALLOC_FL_COLLAPSE_RANGE", Number(FALLOC_FL_COLLAPSE_RANGE)},
    {"FALLOC_FL_INSERT_RANGE", Number(FALLOC_FL_INSERT_RANGE)},
    {"CLONE_VM", Number(CLONE_VM)},
    {"CLONE_FS", Number(CLONE_FS)},
    {"CLONE_FILES", Number(CLONE_FILES)},
    {"CLONE_THREAD", Number(CLONE_THREAD)},
    {"CLONE_VFORK", Number(CLONE_VFORK)},
    {"CLOSE_RANGE_UNSHARE", Number(CLOSE_RANGE_UNSHARE)},
    {"CLOSE_RANGE_CLOEXEC", Number(CLOSE_RANGE_CLOEXEC)},
    {"MS_ASYNC", Number(MS_ASYNC)},
    {"MS_INVALIDATE", Number(MS_INVALIDATE)},
    {"MS_SYNC", Number(MS_SYNC)},
    {"PROT_READ", Number(PROT_READ)},
    {"PROT_WRITE", Number(PROT_WRITE)},
    {"MAP_SHARED", Number(MAP_SHARED)},
    {"MAP_PRIVATE", Number(MAP_PRIVATE)},
    {"MAP_SHARED_VALIDATE", Number(MAP_SHARED_VALIDATE)},
    {"UTIME_NOW", Number(UTIME_NOW)},
    {"UTIME_OMIT", Number(UTIME_OMIT)},
    {"XATTR_CREATE", Number(XATTR_CREATE)},
    {"XATTR_REPLACE", Number(XATTR_REPLACE)},
    {"FICLONE", Number(FICLONE)},
    {"FIOCLEX", Number(FIOCLEX)},
    {"FIONCLEX", Number(FIONCLEX)},
    {"O_LARGEFILE", Number(0100000)},
    {"O_ASYNC", Number(O_ASYNC)},
    {"BTRFS_IOC_CLONE", Number(FICLONE)},
    {"FALLOC_FL_UNSHARE_RANGE", Number(0x40)},
    {"AT_EACCESS", Number(0x200)},
    {"AT_NO_AUTOMOUNT", Number(0x800)},
    {"FICLONERANGE", Number(FICLONERANGE)},
    {"BTRFS_IOC_CLONE_RANGE", Number(FICLONERANGE)},
};

constexpr std::pair<std::string_view, int> kErrors[] = {
    {"EPERM", EPERM},
    {"ENOENT", ENOENT},
    {"EINTR", EINTR},
    {"EIO", EIO},
    {"ENXIO", ENXIO},
    {"E2BIG", E2BIG},
    {"EBADF", EBADF},
    {"ECHILD", ECHILD},
    {"EAGAIN", EAGAIN},
    {"ENOMEM", ENOMEM},
    {"EACCES", EACCES},
    {"EFAULT", EFAULT},
    {"ENOTBLK", ENOTBLK},
    {"EBUSY", EBUSY},
    {"EEXIST", EEXIST},
    {"EXDEV", EXDEV},
    {"ENODEV", ENODEV},
    {"ENOTDIR", ENOTDIR},
    {"EISDIR", EISDIR},
    {"EINVAL", EINVAL},
    {"ENFILE", ENFILE},
    {"EMFILE", EMFILE},
    {"ENOTTY", ENOTTY},
    {"ETXTBSY", ETXTBSY},
    {"EFBIG", EFBIG},
    {"ENOSPC", ENOSPC},
    {"ESPIPE", ESPIPE},
    {"EROFS", EROFS},
    {"EMLINK", EMLINK},
    {"EPIPE", EPIPE},
    {"EDOM", EDOM},
    {"ERANGE", ERANGE},
    {"EDEADLK", EDEADLK},
    {"ENAMETOOLONG", ENAMETOOLONG},
    {"ENOLCK", ENOLCK},
    {"ENOSYS", ENOSYS},
    {"ENOTEMPTY", ENOTEMPTY},
    {"ELOOP", ELOOP},
    {"ENODATA", ENODATA},
    {"EOVERFLOW", EOVERFLOW},
    {"EILSEQ", EILSEQ},
    {"EUSERS", EUSERS},
    {"ENOTSUP", ENOTSUP},
    {"EOPNOTSUPP", EOPNOTSUPP},
    {"ETIMEDOUT", ETIMEDOUT},
    {"ESTALE", ESTALE},
    {"EUCLEAN", EUCLEAN},
    {"EDQUOT", EDQUOT},
    {"ECANCELED", ECANCELED},
    {"EPROTO", EPROTO},
    {"ENOTCONN", ENOTCONN},
    {"ECONNREFUSED", ECONNREFUSED},
    {"ECONNRESET", ECONNRESET},
    {"EINPROGRESS", EINPROGRESS},
    {"EALREADY", EALREADY},
    {"EDESTADDRREQ", EDESTADDRREQ},
    {"EAFNOSUPPORT", EAFNOSUPPORT},
    {"EADDRINUSE", EADDRINUSE},
    {"ENOTSOCK", ENOTSOCK},
    {"ESRCH", ESRCH},
    {"ENOBUFS", ENOBUFS},
    {"EMSGSIZE", EMSGSIZE},
    {"EPROTONOSUPPORT", EPROTONOSUPPORT},
    {"ENOPROTOOPT", ENOPROTOOPT},
};

const SymbolMap& Symbols() {
  static const auto* const symbols = new SymbolMap(std::begin(kSymbols), std::end(kSymbols));
  return *symbols;
}

const ErrnoMap& Errors() {
  static const auto* const errors = new ErrnoMap(std::begin(kErrors), std::end(kErrors));
  return *errors;
}

}  // namespace

std::optional<uint64_t> SymbolValue(std::string_view name) {
  const auto found = Symbols().find(name);
  return found == Symbols().end() ? std::nullopt : std::optional<uint64_t>(found->second);
}

std::optional<int> ErrnoValue(std::string_view name) {
  const auto found = Errors().find(name);
  return found == Errors().end() ? std::nullopt : std::optional<int>(found->second);
}

std::string ErrnoName(int error) {
  if (error == ENOTSUP) return "EOPNOTSUPP";
  const char* name = error == 0 ? nullptr : strerrorname_np(error);
  return name == nullptr ? fmt::format("{}", error) : std::string(name);
}

}  // namespace betr::replay
