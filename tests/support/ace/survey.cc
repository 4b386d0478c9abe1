// SPDX-License-Identifier: Apache-2.0
#include "support/ace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/status.h"

namespace betr::ace {
namespace {

constexpr uint64_t kBlock = kFileBlock.value;

absl::Status Surprise(const std::string& path, std::string_view what) {
  return absl::InternalError(fmt::format("/{}: {}", path, what));
}

class Surveyor {
 public:
  explicit Surveyor(FileSystem& fs) : fs_(fs) {}

  absl::Status Visit(const std::string& path, InodeId inode, const FileAttributes& attributes) {
    Seen seen;
    seen.attributes = attributes;
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(inode));
    for (const std::string& name : names) {
      BETR_ASSIGN_OR_RETURN(seen.xattrs[name], fs_.GetXattr(inode, name));
    }
    if (attributes.type == FileType::kRegular) {
      BETR_RETURN_IF_ERROR(Read(path, inode, &seen));
      BETR_RETURN_IF_ERROR(FindData(path, inode, &seen));
    } else if (attributes.type == FileType::kSymlink) {
      BETR_ASSIGN_OR_RETURN(seen.content, fs_.ReadLink(inode));
    }
    if (!survey_.emplace(path, std::move(seen)).second) return Surprise(path, "listed twice");
    return attributes.type == FileType::kDirectory ? VisitBelow(path, inode) : absl::OkStatus();
  }

  Survey Take() { return std::move(survey_); }

 private:
  absl::Status VisitBelow(const std::string& path, InodeId directory) {
    BETR_ASSIGN_OR_RETURN(const std::vector<NamedEntry> entries,
                          fs_.LookupAfter(directory, "", std::numeric_limits<size_t>::max()));
    absl::Status status = absl::OkStatus();
    for (const NamedEntry& found : entries) {
      const std::string below = path.empty() ? found.name : path + "/" + found.name;
      if (found.entry.inode == InodeId{0}) {
        status.Update(Surprise(below, "a name that leads nowhere"));
        continue;
      }
      status.Update(status.ok() ? Visit(below, found.entry.inode, found.entry.attributes) : absl::OkStatus());
      fs_.Forget(found.entry.inode);
    }
    return status;
  }

  absl::Status Read(const std::string& path, InodeId inode, Seen* seen) {
    constexpr uint64_t kLimit = 16 << 20;  // far more than any workload writes
    if (seen->attributes.size > kLimit) return Surprise(path, fmt::format("has {} bytes", seen->attributes.size));
    seen->content.resize(seen->attributes.size);
    BETR_ASSIGN_OR_RETURN(const size_t read, fs_.Read(inode, 0, seen->content));
    return read == seen->content.size() ? absl::OkStatus() : Surprise(path, fmt::format("{} bytes were read", read));
  }

  absl::Status FindData(const std::string& path, InodeId inode, Seen* seen) {
    const uint64_t size = seen->content.size();
    seen->data.resize((size + kBlock - 1) / kBlock);
    for (uint64_t at = 0; at < size;) {
      const absl::StatusOr<uint64_t> data = fs_.SeekData(inode, at);
      if (!data.ok() && ToErrno(data.status()) == ENXIO) break;
      BETR_RETURN_IF_ERROR(data.status());
      BETR_ASSIGN_OR_RETURN(const uint64_t hole, fs_.SeekHole(inode, *data));
      if (*data < at || hole <= *data || hole > size) {
        return Surprise(path, fmt::format("data from {} to {} behind {}", *data, hole, at));
      }
      for (uint64_t block = *data / kBlock; block < (hole + kBlock - 1) / kBlock; ++block) seen->data[block] = true;
      at = hole;
    }
    return absl::OkStatus();
  }

  FileSystem& fs_;
  Survey survey_;
};

// Lists what of two sides is not the same.
class Comparison {
 public:
  explicit Comparison(const std::string& path) : path_(path) {}

  template <class T>
  void Same(std::string_view what, const T& found, const T& expected) {
    if (found != expected && text_.empty()) {
      text_ = fmt::format("/{}: {} is {}, expected {}", path_, what, found, expected);
    }
  }
  void Same(std::string_view what, FileTime found, FileTime expected) {
    if (found != expected) {
      Same(what, fmt::format("{}.{:09}", found.seconds, found.nanoseconds),
           fmt::format("{}.{:09}", expected.seconds, expected.nanoseconds));
    }
  }
  void Say(std::string what) {
    if (text_.empty()) text_ = fmt::format("/{}: {}", path_, what);
  }

  std::string Take() { return std::move(text_); }

 private:
  const std::string& path_;
  std::string text_;
};

void CompareTimes(const FileAttributes& found, const Node& node, Comparison* comparison) {
  comparison->Same("atime", found.accessed, node.accessed);
  comparison->Same("mtime", found.modified, node.modified);
  comparison->Same("ctime", found.changed, node.changed);
  comparison->Same("btime", found.born, node.born);
}

void CompareHoles(const Seen& seen, const Node& node, Comparison* comparison) {
  for (uint64_t block = 0; block < seen.data.size(); ++block) {
    const std::string_view bytes = std::string_view(*node.content).substr(block * kBlock, kBlock);
    const bool is_zero = bytes.find_first_not_of('\0') == std::string_view::npos;
    if (seen.data[block] && !node.touched.contains(block)) {
      comparison->Say(fmt::format("block {} is data, but was never written", block));
    } else if (!seen.data[block] && !is_zero) {
      comparison->Say(fmt::format("block {} is a hole, but not zero", block));
    }
  }
}

void CompareContent(const Seen& seen, const Node& node, Comparison* comparison) {
  if (seen.content == *node.content) return CompareHoles(seen, node, comparison);
  comparison->Same("size", seen.content.size(), node.content->size());
  size_t at = 0;
  while (seen.content.compare(at, kBlock, *node.content, at, kBlock) == 0) at += kBlock;
  comparison->Say(fmt::format("content differs in the block at {}", at));
}

std::string CompareOne(const std::string& path, const Seen& seen, const Node& node) {
  const FileAttributes& found = seen.attributes;
  Comparison comparison(path);
  comparison.Same("type", static_cast<int>(found.type), static_cast<int>(node.type));
  comparison.Same("mode", found.permissions, node.permissions);
  comparison.Same("links", found.links, node.links);
  comparison.Same("uid", found.uid, node.uid);
  comparison.Same("gid", found.gid, node.gid);
  if (node.number != 0) comparison.Same("inode number", found.inode_number, node.number);
  CompareTimes(found, node, &comparison);
  if (node.type == FileType::kDirectory) {
    comparison.Same("size", found.size, kBlock);
  } else {
    comparison.Same("size", found.size, node.Size());
    CompareContent(seen, node, &comparison);
  }
  if (seen.xattrs != node.xattrs) comparison.Say("other extended attributes");
  return comparison.Take();
}

}  // namespace

absl::StatusOr<Survey> TakeSurvey(FileSystem& fs) {
  Surveyor surveyor(fs);
  BETR_ASSIGN_OR_RETURN(const FileAttributes root, fs.GetAttributes(kRootInode));
  BETR_RETURN_IF_ERROR(surveyor.Visit("", kRootInode, root));
  return surveyor.Take();
}

std::string DifferenceOf(const Survey& survey, const Model& model) {
  std::string difference;
  std::map<uint64_t, uint64_t> ids;  // by inode number: links, and nothing else, have the same
  std::map<uint64_t, uint64_t> numbers;
  size_t count = 0;
  model.ForEach([&](const std::string& path, uint64_t id, const Node& node) {
    ++count;
    const auto found = survey.find(path);
    if (!difference.empty()) return;
    if (found == survey.end()) {
      difference = fmt::format("/{}: missing", path);
      return;
    }
    difference = CompareOne(path, found->second, node);
    const uint64_t number = found->second.attributes.inode_number;
    const bool is_same =
        ids.emplace(number, id).first->second == id && numbers.emplace(id, number).first->second == number;
    if (difference.empty() && !is_same) {
      difference =
          fmt::format("/{}: inode number {} is that of another file, or another than its links have", path, number);
    }
  });
  for (const auto& [path, seen] : survey) {
    if (difference.empty() && count != survey.size() && model.Find(path) == nullptr) {
      difference = fmt::format("/{}: should not be there", path);
    }
  }
  return difference;
}

}  // namespace betr::ace
