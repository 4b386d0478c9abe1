// SPDX-License-Identifier: Apache-2.0
#include "betrcp_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/status.h"
#include "file_text.h"
#include "json_output.h"
#include "open_inside.h"
#include "session.h"
#include "shown_text.h"

namespace betr::tools {
namespace {

bool IsDirectory(const std::optional<FileAttributes>& attributes) {
  return attributes && attributes->type == FileType::kDirectory;
}

// As git has them: added, deleted, another type, modified.
char LetterOf(const EntryDifference& difference) {
  if (!difference.before) return 'A';
  if (!difference.after) return 'D';
  return difference.before->type != difference.after->type ? 'T' : 'M';
}

std::string_view WordOf(char letter) {
  switch (letter) {
    case 'A':
      return "added";
    case 'D':
      return "deleted";
    case 'T':
      return "type";
    default:
      return "modified";
  }
}

// Of two of one type.
std::vector<std::string_view> WhatDiffers(const EntryDifference& difference) {
  const FileAttributes& before = *difference.before;
  const FileAttributes& after = *difference.after;
  std::vector<std::string_view> what;
  if (difference.content) what.emplace_back("content");
  if (before.device != after.device) what.emplace_back("device");
  if (before.permissions != after.permissions) what.emplace_back("mode");
  if (before.uid != after.uid || before.gid != after.gid) what.emplace_back("owner");
  if (before.modified != after.modified) what.emplace_back("time");
  if (difference.xattrs) what.emplace_back("xattrs");
  return what;
}

Json JsonOf(const FileAttributes& attributes) {
  return {{"type", TypeName(attributes.type)},
          {"mode", fmt::format("{:04o}", attributes.permissions)},
          {"uid", attributes.uid},
          {"gid", attributes.gid},
          {"size", attributes.size},
          {"modified", {{"seconds", attributes.modified.seconds}, {"nanoseconds", attributes.modified.nanoseconds}}}};
}

// Prints differences as they come, for people or as one JSON document.
class Differences {
 public:
  Differences(const Tool& tool, const BetrcpOptions& options) : tool_(tool), is_long_(options.long_listing) {}

  void Begin(const std::string& before, const std::string& after) {
    if (!tool_.json()) return;
    Json head = NewDocument("diff");
    head["before"] = JsonText(before);
    head["after"] = JsonText(after);
    array_.emplace(tool_.io().out, head, "differences");
  }

  void Add(const EntryDifference& difference) {
    const char letter = LetterOf(difference);
    const std::vector<std::string_view> what =
        letter == 'M' ? WhatDiffers(difference) : std::vector<std::string_view>();
    if (array_) return AddJson(difference, letter, what);
    // A directory has another time if anything in it has come or gone, which is told by itself.
    if (!is_long_ && what == std::vector<std::string_view>{"time"}) return;
    std::ostream& out = tool_.io().out;
    out << letter << ' ';
    if (is_long_) out << fmt::format("{:<25} ", fmt::to_string(fmt::join(what, ",")));
    out << ShownText(difference.path.empty() ? "." : difference.path, tool_.io().is_out_terminal);
    out << (IsDirectory(letter == 'D' ? difference.before : difference.after) ? "/\n" : "\n");
  }

  void Finish() {
    if (array_) array_->Finish();
  }

 private:
  void AddJson(const EntryDifference& difference, char letter, const std::vector<std::string_view>& what) {
    Json entry = Json::object();
    entry["path"] = JsonText(difference.path);
    entry["change"] = WordOf(letter);
    if (letter == 'M') entry["differs"] = what;
    if (difference.before) entry["before"] = JsonOf(*difference.before);
    if (difference.after) entry["after"] = JsonOf(*difference.after);
    array_->Add(entry);
  }

  const Tool& tool_;
  const bool is_long_;
  std::optional<JsonArrayPrinter> array_;
};

}  // namespace

int DiffInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  Session session(&tool, {.access = ReadAccess(options), .cache_size = options.cache_size, .experiments = {}});
  return session.Run(*image, [&](PathFileSystem& paths) -> WorkError {
    const absl::StatusOr<OpenFile> before = OpenInside(paths, places[0].path);
    if (!before.ok()) return {"diff", before.status()};
    const absl::StatusOr<OpenFile> after = OpenInside(paths, places[1].path);
    if (!after.ok()) return {"diff", after.status()};
    Differences differences(tool, options);
    differences.Begin(places[0].path, places[1].path);
    const auto add = [&](const EntryDifference& difference) {
      differences.Add(difference);
      return absl::OkStatus();
    };
    const absl::Status status = paths.fs().FindDifferences(before->inode(), after->inode(), add);
    differences.Finish();
    return {"diff", status};
  });
}

}  // namespace betr::tools
