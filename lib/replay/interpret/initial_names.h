// SPDX-License-Identifier: Apache-2.0
// Names that were there before a trace, although its calls say so too late. They are symlinks that are followed before
// a call shows what they are (readlink, lstat, an open whose path -y prints), and files that an open seemed to make.
// One reading of the trace collects them; the next one begins with them (inference.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace betr::replay {

// What the trace tells of a symlink.
struct InitialLink {
  std::optional<std::string> text{};  // its target as readlink has it
  std::string leads_to{};             // where what was opened through it really is: an absolute path; empty: not told
  std::optional<uint64_t> size{};     // of the text
};

class InitialNames {
 public:
  // `root` is the absolute path of the directory that is replayed.
  explicit InitialNames(std::string_view root) : root_(root) {}

  // Adds to what is known of the symlink that was at `path`. Returns false if nothing of it is new, or if there was
  // none.
  bool NoteLink(const std::string& path, const InitialLink& seen);
  // As NoteLink for a link that leads to `leads_to`. If `path` is where a made-up target leads, it is the link with
  // that target which leads there.
  bool NoteWay(const std::string& path, std::string_view leads_to);
  // Notes that there was no symlink at `path`. Returns false if that was known.
  bool RefuteLink(const std::string& path);
  // Notes that there was a file at `path`. Returns false if that was known.
  bool NoteFile(const std::string& path) { return files_.insert(path).second; }

  bool HasLink(const std::string& path) const { return links_.contains(path); }
  bool HasLinks() const { return !links_.empty(); }

  // Calls visit(path, target) in the order of the paths. A target is what readlink tells. Failing that, it leads where
  // -y tells. Failing that, it leads to a name that nothing else has, at the root if possible. It has the known size,
  // if such a text can.
  template <class Visit>
  void ForEachLink(Visit visit) const {
    for (const auto& [path, known] : links_) visit(path, TargetOf(path, known));
  }
  const std::set<std::string>& files() const { return files_; }

 private:
  struct Known {
    InitialLink link{};
    size_t number = 0;  // from 1
  };

  // Where a link leads if nothing tells: an absolute path.
  std::string MadeUp(const std::string& path, const Known& known) const;
  std::string TargetOf(const std::string& path, const Known& known) const;

  const std::string root_;
  std::map<std::string, Known> links_;
  std::map<std::string, std::string> made_up_;  // from where a link leads if nothing tells to the link
  std::set<std::string> refuted_;
  size_t last_number_ = 0;
  std::set<std::string> files_;
};

}  // namespace betr::replay
