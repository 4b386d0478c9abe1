// SPDX-License-Identifier: Apache-2.0
#include "betrcp_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/escape.h"
#include "base/status.h"
#include "json_output.h"
#include "session.h"

namespace betr::tools {
namespace {

std::string_view TypeName(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return "file";
    case FileType::kDirectory:
      return "directory";
    case FileType::kSymlink:
      return "symlink";
    case FileType::kFifo:
      return "fifo";
    case FileType::kSocket:
      return "socket";
    case FileType::kCharDevice:
      return "character device";
    case FileType::kBlockDevice:
      return "block device";
  }
  return "unknown";
}

char TypeLetter(FileType type) {
  constexpr std::string_view kLetters = "?-dlpscb";
  const auto index = static_cast<size_t>(type);
  return index < kLetters.size() ? kLetters[index] : '?';
}

// "drwxr-sr-x"
std::string ModeText(const FileAttributes& attributes) {
  std::string text(1, TypeLetter(attributes.type));
  constexpr std::string_view kLetters = "rwxrwxrwx";
  for (size_t i = 0; i < kLetters.size(); ++i) {
    text += (attributes.permissions >> (8 - i) & 1) != 0 ? kLetters[i] : '-';
  }
  const auto special = [&](uint32_t bit, size_t position, char letter) {
    if ((attributes.permissions & bit) == 0) return;
    text[position] = text[position] == 'x' ? letter : static_cast<char>(letter - 'a' + 'A');
  };
  special(04000, 3, 's');
  special(02000, 6, 's');
  special(01000, 9, 't');
  return text;
}

bool IsDevice(FileType type) { return type == FileType::kCharDevice || type == FileType::kBlockDevice; }

std::string TimeText(const FileTime& time) { return FormatTime(std::chrono::seconds(time.seconds)); }

// Names may hold bytes that a terminal takes for commands.
std::string Shown(const ToolIo& io, std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (!io.is_out_terminal || std::none_of(name.begin(), name.end(), is_control)) return std::string(name);
  return Escape(name);
}

// Prints entries as they come, or gathers them for one JSON document.
class Listing {
 public:
  Listing(const Tool& tool, const BetrcpOptions& options, PathFileSystem& paths)
      : tool_(tool), is_long_(options.long_listing), is_recursive_(options.recursive_listing), paths_(paths) {}

  absl::Status List(const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, paths_.Stat(path));
    if (attributes.type != FileType::kDirectory) return Add(CopyName(path), path, attributes);
    return paths_.Walk(path, [&](const std::string& relative, const FileAttributes& found) {
      return relative.empty() ? absl::OkStatus() : Add(relative, JoinPath(path, relative), found);
    });
  }

  absl::Status ListOne(const std::string& path) {
    if (is_recursive_) return List(path);
    BETR_ASSIGN_OR_RETURN(const OpenFile file, paths_.Open(path));
    if (file.attributes().type != FileType::kDirectory) return Add(CopyName(path), path, file.attributes());
    absl::Status status;
    const auto visit = [&](const DirectoryEntry& entry) {
      status = Add(entry.name, JoinPath(path, entry.name), entry.attributes);
      return status.ok();
    };
    BETR_RETURN_IF_ERROR(paths_.fs().ReadDirectory(file.inode(), "", visit));
    return status;
  }

  void Finish() {
    if (!tool_.json()) return;
    Json json = NewDocument("list");
    json["entries"] = std::move(entries_);
    PrintJson(tool_.io().out, json);
  }

 private:
  absl::Status Add(std::string_view shown, const std::string& path, const FileAttributes& attributes) {
    std::string target;
    if (attributes.type == FileType::kSymlink && (is_long_ || tool_.json())) {
      BETR_ASSIGN_OR_RETURN(target, paths_.ReadLink(path));
    }
    if (tool_.json()) {
      AddJson(shown, attributes, target);
      return absl::OkStatus();
    }
    std::ostream& out = tool_.io().out;
    if (is_long_) out << Details(attributes);
    out << Shown(tool_.io(), shown);
    if (!target.empty()) out << " -> " << Shown(tool_.io(), target);
    out << '\n';
    return absl::OkStatus();
  }

  static std::string Details(const FileAttributes& attributes) {
    const std::string size =
        IsDevice(attributes.type) ? fmt::format("dev {:#x}", attributes.device) : fmt::format("{}", attributes.size);
    return fmt::format("{} {:3} {:5} {:5} {:>12} {} ", ModeText(attributes), attributes.links, attributes.uid,
                       attributes.gid, size, TimeText(attributes.modified));
  }

  void AddJson(std::string_view shown, const FileAttributes& attributes, const std::string& target) {
    Json entry = Json::object();
    entry["path"] = JsonText(shown);
    entry["type"] = TypeName(attributes.type);
    entry["mode"] = fmt::format("{:04o}", attributes.permissions);
    entry["inode"] = attributes.inode_number;
    entry["links"] = attributes.links;
    entry["uid"] = attributes.uid;
    entry["gid"] = attributes.gid;
    entry["size"] = attributes.size;
    entry["modified"] = {{"seconds", attributes.modified.seconds}, {"nanoseconds", attributes.modified.nanoseconds}};
    if (IsDevice(attributes.type)) entry["device"] = attributes.device;
    if (!target.empty()) entry["target"] = JsonText(target);
    entries_.push_back(std::move(entry));
  }

  const Tool& tool_;
  const bool is_long_;
  const bool is_recursive_;
  PathFileSystem& paths_;
  Json entries_ = Json::array();
};

}  // namespace

int ListInside(Tool& tool, const BetrcpOptions& options) {
  std::vector<Location> places = ParseAllInside(options.operands);
  if (places.empty()) places.push_back({true, "", "/"});
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  Session session(&tool, {.access = ReadAccess(options), .cache_size = options.cache_size, .experiments = {}});
  return session.Run(*image, [&](PathFileSystem& paths) -> WorkError {
    Listing listing(tool, options, paths);
    for (const Location& place : places) {
      if (const absl::Status status = listing.ListOne(place.path); !status.ok()) return {"list", status};
    }
    listing.Finish();
    return {};
  });
}

}  // namespace betr::tools
