// SPDX-License-Identifier: Apache-2.0
// A file that is made where nobody sees it and appears at its path when it is whole. Until then there is nothing at
// that path, and what others put there stays.
//
// The file has no name meanwhile, so nothing is left of it if the process is killed. Some hosts have no such files, or
// cannot name them later. There it has a name beside its path (`.betr-` and a UUID), and if the process is killed, that
// file is left. Some hosts can neither rename it without replacing what is there nor link it. There an empty file is at
// its path for an instant, and what others put in the place of that one is replaced.
//
// Threads: one at a time.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <memory>
#include <string>

namespace betr {

class UnseenFile {
 public:
  // Makes an empty file with these rights, less what the process's mask takes away. Errors: kAlreadyExists if there is
  // anything at `path`; otherwise as of DeviceError and CheckPath.
  static absl::StatusOr<std::unique_ptr<UnseenFile>> Make(const std::string& path, mode_t mode = 0666);

  // Removes a file that has not appeared. Locks on it end, unless another descriptor was made of this one.
  ~UnseenFile();
  UnseenFile(const UnseenFile&) = delete;
  UnseenFile& operator=(const UnseenFile&) = delete;

  // Gives the file its name, with all that was written so far. Both are durable on return. Errors: kAlreadyExists if
  // somebody was faster. After an error there is nothing of it at its path. Requires: it was not called before.
  absl::Status Appear();

  // Open for reading and writing, as long as this object lives.
  int fd() const { return fd_; }
  // Where it appears.
  const std::string& path() const { return path_; }
  // Where it is until then; empty if it has no name. For who removes it if the process is killed.
  const std::string& hidden_path() const { return hidden_path_; }

 private:
  UnseenFile(std::string path, std::string hidden_path, int fd);

  int GiveName() const;
  void TakeNameBack() const;

  const std::string path_;
  const std::string hidden_path_;
  const int fd_;
};

}  // namespace betr
