// SPDX-License-Identifier: Apache-2.0
#include "betrcp_list.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/status.h"
#include "file_text.h"
#include "json_output.h"
#include "open_inside.h"
#include "session.h"
#include "shown_text.h"

namespace betr::tools {
namespace {

std::string TimeText(const FileTime& time) { return FormatTime(std::chrono::seconds(time.seconds)); }

std::string Shown(const ToolIo& io, std::string_view name) { return ShownName(name, io.is_out_terminal); }

// Prints entries as they come, for people or as one JSON document.
class Listing {
 public:
  Listing(const Tool& tool, const BetrcpOptions& options, PathFileSystem& paths)
      : tool_(tool), is_long_(options.long_listing), is_recursive_(options.recursive_listing), paths_(paths) {}

  // Lists what is no directory, by the name that it was asked for.
  absl::Status ListFile(const std::string& path, const FileAttributes& attributes) {
    has_output_ = true;
    return Add(path, path, attributes);
  }

  // Lists a directory. It has a header if there are other operands, as in ls(1).
  absl::Status ListDirectory(const std::string& path, bool has_header) {
    if (has_header && !tool_.json()) tool_.io().out << (has_output_ ? "\n" : "") << Shown(tool_.io(), path) << ":\n";
    has_output_ = true;
    directory_ = path;
    return is_recursive_ ? ListBelow(path) : ListEntries(path);
  }

  void Finish() {
    if (!tool_.json()) return;
    if (!array_) array_.emplace(tool_.io().out, NewDocument("list"), "entries");
    array_->Finish();
  }

 private:
  absl::Status ListBelow(const std::string& path) {
    return paths_.Walk(path, [&](const std::string& relative, const FileAttributes& found) {
      return relative.empty() ? absl::OkStatus() : Add(relative, JoinPath(path, relative), found);
    });
  }

  absl::Status ListEntries(const std::string& path) {
    BETR_ASSIGN_OR_RETURN(const OpenFile file, paths_.Open(path));
    absl::Status status;
    const auto visit = [&](const DirectoryEntry& entry) {
      status = Add(entry.name, JoinPath(path, entry.name), entry.attributes);
      return status.ok();
    };
    BETR_RETURN_IF_ERROR(paths_.fs().ReadDirectory(file.inode(), "", visit));
    return status;
  }

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
    const std::string size = IsDevice(attributes.type)
                                 ? fmt::format("{}, {}", major(attributes.device), minor(attributes.device))
                                 : fmt::format("{}", attributes.size);
    return fmt::format("{} {:3} {:5} {:5} {:>12} {} ", ModeText(attributes), attributes.links, attributes.uid,
                       attributes.gid, size, TimeText(attributes.modified));
  }

  void AddJson(std::string_view shown, const FileAttributes& attributes, const std::string& target) {
    Json entry = Json::object();
    if (directory_) entry["directory"] = JsonText(*directory_);
    entry["path"] = JsonText(shown);
    entry["type"] = TypeName(attributes.type);
    entry["mode"] = fmt::format("{:04o}", attributes.permissions);
    entry["inode"] = attributes.inode_number;
    entry["links"] = attributes.links;
    entry["uid"] = attributes.uid;
    entry["gid"] = attributes.gid;
    entry["size"] = attributes.size;
    entry["modified"] = {{"seconds", attributes.modified.seconds}, {"nanoseconds", attributes.modified.nanoseconds}};
    if (IsDevice(attributes.type)) {
      entry["device"] = attributes.device;
      entry["major"] = major(attributes.device);
      entry["minor"] = minor(attributes.device);
    }
    if (!target.empty()) entry["target"] = JsonText(target);
    if (!array_) array_.emplace(tool_.io().out, NewDocument("list"), "entries");
    array_->Add(entry);
  }

  const Tool& tool_;
  const bool is_long_;
  const bool is_recursive_;
  PathFileSystem& paths_;
  std::optional<std::string> directory_;  // the one that is being listed
  bool has_output_ = false;
  std::optional<JsonArrayPrinter> array_;  // once it is begun
};

// Lists files before directories, as ls(1) does. Goes on after what cannot be listed.
int ListAll(Session& session, PathFileSystem& paths, const std::vector<Location>& places, Listing& listing) {
  int exit = kExitOk;
  const auto tell = [&](const absl::Status& status) { exit = std::max(exit, session.Tell({"list", status})); };
  std::vector<std::string> directories;
  for (const Location& place : places) {
    const absl::StatusOr<OpenFile> file = OpenInside(paths, place.path);
    if (!file.ok()) {
      tell(file.status());
    } else if (file->attributes().type == FileType::kDirectory) {
      directories.push_back(place.path);
    } else {
      tell(listing.ListFile(place.path, file->attributes()));
    }
  }
  for (const std::string& directory : directories) tell(listing.ListDirectory(directory, places.size() > 1));
  listing.Finish();
  return exit;
}

}  // namespace

int ListInside(Tool& tool, const BetrcpOptions& options) {
  std::vector<Location> places = ParseAllInside(options.operands);
  if (places.empty()) places.push_back(ParseInside("/"));
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  Session session(&tool, {.access = ReadAccess(options), .cache_size = options.cache_size, .experiments = {}});
  return session.RunTelling(*image, [&](PathFileSystem& paths) {
    Listing listing(tool, options, paths);
    return ListAll(session, paths, places, listing);
  });
}

}  // namespace betr::tools
