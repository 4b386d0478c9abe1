// SPDX-License-Identifier: Apache-2.0
// The oracle: inodes and names in memory, and what each call does to them by POSIX (for clones, by docs/filesystem.md).
// Shares no code with lib/fs. It is a value. Copies share what did not change, so one can be kept for every step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "support/ace/call.h"

namespace betr::ace {

struct Node {
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t links = 1;
  uint64_t number = 0;  // st_ino; 0: not known, as below clones
  FileTime accessed;
  FileTime modified;
  FileTime changed;
  FileTime born;
  std::shared_ptr<const std::string> content = std::make_shared<const std::string>();  // or target
  std::set<uint64_t> touched;  // blocks that may be data; all others are holes
  bool was_linked = false;     // it has, or had, several names
  std::map<std::string, std::string> xattrs;
  std::map<std::string, uint64_t> entries;  // of a directory

  uint64_t Size() const { return content->size(); }
};

class Model {
 public:
  // Begins with a root directory.
  explicit Model(FileTime now);

  // Returns the node at a path; null if there is none.
  const Node* Find(const std::string& path) const;

  // Does what a call does. `number` is that of the inode that the call made. Requires: the call is possible.
  void Apply(const Call& call, FileTime now, uint64_t number);

  // Visits all paths in order, each directory ("" is the root) before what it holds. Equal ids are links.
  using Visitor = std::function<void(const std::string& path, uint64_t id, const Node& node)>;
  void ForEach(const Visitor& visit) const;

 private:
  uint64_t IdOf(const std::string& path) const;
  const Node& At(uint64_t id) const { return *nodes_.at(id); }
  Node& Change(uint64_t id);
  Node& Change(const std::string& path) { return Change(IdOf(path)); }
  // Returns the directory that `path` lies in, with new times.
  Node& Touch(const std::string& path, FileTime now);
  void Visit(const std::string& path, uint64_t id, const Visitor& visit) const;

  void Make(const std::string& path, Node node, FileTime now, uint64_t number);
  void Enter(const std::string& path, uint64_t id, FileTime now);
  // Removes a name, and its inode if that was the last name.
  void Leave(const std::string& path, FileTime now);
  void DropTree(uint64_t id);
  void DropLinks(uint64_t directory, FileTime now);
  void Rename(const Call& call, FileTime now);
  void Exchange(const Call& call, FileTime now);
  void Clone(const Call& call, FileTime now, uint64_t number);
  uint64_t CloneBelow(uint64_t id, std::map<uint64_t, uint64_t>* copies);

  void ApplyToNames(const Call& call, FileTime now, uint64_t number);
  void ApplyToInode(const Call& call, FileTime now);
  void Write(const std::string& path, uint64_t offset, const std::string& bytes, FileTime now);
  void Allocate(const Call& call, FileTime now);
  void Truncate(const Call& call, FileTime now);

  std::map<uint64_t, std::shared_ptr<const Node>> nodes_;
  uint64_t next_ = 1;
};

}  // namespace betr::ace
