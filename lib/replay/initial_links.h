// SPDX-License-Identifier: Apache-2.0
// Symlinks that were there before a trace, but that its calls first follow: what is behind the name is then taken for a
// directory or a file of that name, until a call tells better (readlink, lstat, an open whose path -y prints). One
// reading of the trace collects what is told of such links, the next one begins with them (inference.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace betr::replay {

// What the trace tells of a symlink.
struct InitialLink {
  std::optional<std::string> text{};  // its target as readlink has it
  std::string leads_to{};             // where what was opened through it really is: an absolute path; empty: not told
  std::optional<uint64_t> size{};     // of the text
};

class InitialLinks {
 public:
  // `root`: absolute path of the directory that is replayed.
  explicit InitialLinks(std::string_view root) : root_(root) {}

  // Adds to what is known of the symlink that was at `path`; false if nothing of it is new.
  bool Note(const std::string& path, const InitialLink& seen);
  // As Note for a link that leads to `leads_to`. If `path` is where a made-up target leads, it is the link with that
  // target which leads there.
  bool NoteWay(const std::string& path, std::string_view leads_to);

  bool Has(const std::string& path) const { return links_.contains(path); }
  bool empty() const { return links_.empty(); }

  // Calls visit(path, target) in the order of the paths. A target is what readlink tells, else leads where -y tells,
  // else to a name that nothing else has, at the root if it can; it has the size that is known, if such a text can.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [path, known] : links_) visit(path, TargetOf(path, known));
  }

 private:
  struct Known {
    InitialLink link{};
    size_t number = 0;  // from 1
  };

  // Where it leads if nothing tells: an absolute path.
  std::string MadeUp(const std::string& path, const Known& known) const;
  std::string TargetOf(const std::string& path, const Known& known) const;

  const std::string root_;
  std::map<std::string, Known> links_;
};

}  // namespace betr::replay
