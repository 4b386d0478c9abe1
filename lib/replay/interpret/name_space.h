// SPDX-License-Identifier: Apache-2.0
// What a file system holds at a moment, as the trace tells: names, types, modes, sizes and links, but neither contents
// nor times. It is changed by calls that succeeded in the trace. So it knows what a path of the trace means (symlinks,
// renamed directories, other roots), and what a call should have answered. It stands for the directory that is
// replayed. What lies outside is not known, except for the directories that lead to it.
//
// 1. The name of a directory is in its parent, and the directory holds its name and the number of its parent. That also
//    goes for a node that may turn out to be a directory: it has one name as long as that is not sure. Any other node
//    holds the parent and the name that it got last.
// 2. `names` of a node is how many entries name it. For a directory it is 1, or 0 when removed.
// 3. A node is there as long as it has names or uses (open descriptions, working directories).
//
// One thread. Cost: a hash lookup for each component of a path.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "betr/file_attributes.h"
#include "betr/units.h"

namespace betr::replay {

// Identifies a file, directory, ... of the replay. Never used twice. 0 is none.
using NodeNumber = Ordinal<struct NodeNumberTag>;

// The longest path that a system call takes, and the longest target of a link.
inline constexpr size_t kLongestPath = 4095;

// What is most likely something whose type is not sure.
enum class TypeGuess : uint8_t {
  kNone,
  kDirectory,    // mkdir has found it
  kNoDirectory,  // a call has done what no directory lets it do
};

struct Node {
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;
  uint64_t size = 0;
  uint64_t device = 0;
  uint32_t names = 0;
  uint32_t uses = 0;
  std::string target{};                                     // of a symlink
  absl::flat_hash_map<std::string, NodeNumber> children{};  // of a directory
  NodeNumber parent{};
  std::string name{};

  bool is_outside = false;    // a directory above the root of the replay
  bool is_bound = false;      // the target of the replay knows its number
  bool is_initial = false;    // was there before the trace
  bool is_mode_known = true;  // false after a change of mode whose value the trace does not tell
  // The mode that a call asked for when it made this, until the mode is set or seen.
  std::optional<uint32_t> asked{};
  // Of a directory: files made in it get these permissions instead of those that the umask leaves. In the form of
  // `system.posix_acl_default`. Empty: there is one, but the trace does not tell its value.
  std::shared_ptr<const std::string> default_acl{};
  bool is_acl_own = false;         // set by a call, not inherited
  std::set<std::string> xattrs{};  // that the trace has set
  // What is inferred (inference.h).
  bool is_size_sure = true;
  bool is_type_sure = true;
  TypeGuess type_guess = TypeGuess::kNone;
  bool is_modified = false;  // its content
  bool is_written = false;   // since its mode was set
  uint64_t initial_size = 0;
  uint64_t written_end = 0;  // where the last byte ends that was written
  uint64_t appended = 0;     // bytes, besides
  bool is_mode_changed = false;
  std::optional<uint32_t> initial_permissions{};

  // Notes a write. `end` is behind its last byte, or 0 if that is the file's end or no longer than it.
  void NoteWrite(uint64_t end) {
    is_modified = is_written = true;
    written_end = std::max(written_end, end);
  }
};

// Where a path leads.
struct Place {
  NodeNumber node{};    // 0: there is nothing of that name
  NodeNumber parent{};  // 0: the path ends in no name (the root, "."), and `node` is a directory
  std::string name{};
  std::string rest{};  // what of the path could not be walked: it begins behind a node that is no directory
};

// Whether a symlink at the end is followed. kNever: not even with a slash behind it, as calls take a name that they
// make or remove.
enum class FollowLast : uint8_t { kNo, kYes, kNever };

struct WalkResult {
  Place place{};
  int error = 0;            // ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG; ENOENT only if a directory on the way is missing
  bool is_outside = false;  // the path leads to something that is neither replayed nor a directory above that
  bool wants_directory = false;  // it ends with a slash
  NodeNumber untold{};           // a symlink on the way whose target is not known; 0: none
};

class NameSpace {
 public:
  // `root` is the absolute path of the directory that is replayed; "/" is everything.
  explicit NameSpace(std::string_view root);

  NodeNumber top() const { return top_; }    // "/"
  NodeNumber root() const { return root_; }  // what is replayed
  // Requires: the node is there.
  Node& Get(NodeNumber node) { return nodes_.at(node); }
  const Node& Get(NodeNumber node) const { return nodes_.at(node); }
  bool Has(NodeNumber node) const { return nodes_.contains(node); }
  size_t size() const { return nodes_.size(); }

  // Follows `path`: from `base` if it is relative; from `process_root` if it is absolute, or on reaching a symlink to
  // an absolute path.
  WalkResult Walk(NodeNumber base, NodeNumber process_root, std::string_view path, FollowLast follow) const;

  // Returns the number that the next new node gets.
  NodeNumber next() const { return NodeNumber{next_}; }
  // Makes a new node without a name.
  NodeNumber Make(FileType type, uint32_t permissions);
  // Turns what was taken for a file into a directory. Requires: its type is not sure.
  void BecomeDirectory(NodeNumber node);
  // Gives a name. Requires: the name is free.
  void AddName(NodeNumber parent, const std::string& name, NodeNumber node);
  // Takes a name away and returns what it named.
  NodeNumber RemoveName(NodeNumber parent, const std::string& name);
  void AddUse(NodeNumber node) { ++Get(node).uses; }
  // Gives a use back. The node stays until Reap.
  void DropUse(NodeNumber node);
  // Forgets a node that has neither names nor uses; true if so.
  bool Reap(NodeNumber node);

  // Does what a successful rename(2) does. Returns the node that lost its name, if there is one. Requires: CheckRename
  // returns 0, and both places are unchanged since.
  NodeNumber ApplyRename(const Place& from, const Place& to, bool is_exchange);
  // Returns 0 if rename(2) would succeed, else its errno. Requires: both walks succeeded, and `from` has a node.
  int CheckRename(const Place& from, const Place& to, bool is_exchange) const;
  // Whether `node` is `above` or lies below it.
  bool IsBelow(NodeNumber node, NodeNumber above) const;
  // Returns the absolute path of a directory, or of the name of something in it.
  std::string PathOf(NodeNumber directory) const;
  std::string PathOf(const Place& place) const;
  // Returns the path of some name of the node, or of the last one it had; empty if it never had one. May look at all
  // names.
  std::string AnyPathOf(NodeNumber node) const;

 private:
  struct Walker;

  // Returns a name that the node has, or the last one it had.
  Place FindName(NodeNumber node) const;

  std::unordered_map<NodeNumber, Node> nodes_;  // references stay valid when nodes come and go
  uint64_t next_ = 1;
  NodeNumber top_;
  NodeNumber root_;
};

}  // namespace betr::replay
