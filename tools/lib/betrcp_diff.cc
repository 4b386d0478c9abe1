// SPDX-License-Identifier: Apache-2.0
#include "betrcp_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/mount_ioctl.h"
#include "betrcp_mounted.h"
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

// The letters that git uses: added, deleted, another type, modified.
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

// Returns what differs between two files of one type.
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
    // Leaves out a difference in time alone. A directory has another time if anything in it has come or gone, which is
    // told by itself.
    if (!is_long_ && what == std::vector<std::string_view>{"time"}) return;
    if (array_) return AddJson(difference, letter, what);
    std::ostream& out = tool_.io().out;
    out << letter << ' ';
    if (is_long_) out << fmt::format("{:<25} ", fmt::to_string(fmt::join(what, ",")));
    out << ShownName(difference.path.empty() ? "." : difference.path, tool_.io().is_out_terminal);
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

// Begins a comparison. Returns the descriptor that is to be asked for its differences.
absl::StatusOr<ScopedFd> CompareOnMount(const std::string& before, const std::string& after) {
  BETR_ASSIGN_OR_RETURN(ScopedFd from, OpenOnMount(before, "compared"));
  BETR_ASSIGN_OR_RETURN(const ScopedFd to, OpenOnMount(after, "compared"));
  betr_compare compare{};
  __u64 unused = 0;
  if (ioctl(from.get(), BETR_IOC_SOURCE, &unused) != 0) return MountError(before);
  if (ioctl(to.get(), BETR_IOC_SOURCE, &compare.after) != 0) return MountError(after);
  if (ioctl(from.get(), BETR_IOC_COMPARE, &compare) == 0) return from;
  // The number that names a file on its mount means nothing to another mount.
  if (errno == EBADF) return ErrnoError(EXDEV, after + ": on another mount than " + before);
  return MountError(before);
}

std::optional<FileAttributes> AttributesOf(const betr_difference_side& side) {
  const std::optional<FileType> type = TypeOfMode(side.mode);
  if (!type) return std::nullopt;
  FileAttributes attributes;
  attributes.type = *type;
  attributes.permissions = side.mode & 07777U;
  attributes.uid = side.uid;
  attributes.gid = side.gid;
  attributes.device = side.device;
  attributes.size = side.size;
  attributes.modified = {side.modified_seconds, side.modified_nanoseconds};
  return attributes;
}

// Takes the first difference off some records. Returns nothing if they are malformed, since any program may answer as a
// mount.
std::optional<EntryDifference> TakeDifference(std::string_view& records) {
  betr_difference record{};
  if (records.size() <= sizeof record) return std::nullopt;
  std::memcpy(&record, records.data(), sizeof record);
  if (record.size <= sizeof record || record.size > records.size()) return std::nullopt;
  const std::string_view path = records.substr(sizeof record, record.size - sizeof record);
  const size_t end = path.find('\0');
  EntryDifference difference{.path = std::string(path.substr(0, end)),
                             .before = AttributesOf(record.before),
                             .after = AttributesOf(record.after),
                             .content = (record.differs & BETR_DIFFERS_CONTENT) != 0,
                             .xattrs = (record.differs & BETR_DIFFERS_XATTRS) != 0};
  if (end == std::string_view::npos || (!difference.before && !difference.after)) return std::nullopt;
  records.remove_prefix(record.size);
  return difference;
}

// Returns why asking for differences has failed (from errno).
absl::Status AskingError(const std::string& path) {
  if (errno == ETIMEDOUT) return ErrnoError(errno, path + ": given up to make room, as nobody read what it said");
  return MountError(path);
}

// Calls `visit` with all that a comparison has found.
absl::Status TellAll(int compared, const std::string& path, absl::FunctionRef<void(const EntryDifference&)> visit) {
  const auto answer = std::make_unique<betr_differences>();
  do {
    if (ioctl(compared, BETR_IOC_DIFFERENCES, answer.get()) != 0) return AskingError(path);
    std::string_view records(answer->records, std::min<size_t>(answer->size, sizeof answer->records));
    while (!records.empty()) {
      const std::optional<EntryDifference> difference = TakeDifference(records);
      if (!difference) return absl::DataLossError(path + ": what the mount says is no list of differences");
      visit(*difference);
    }
  } while (answer->is_last == 0);
  return absl::OkStatus();
}

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

int DiffOnMount(Tool& tool, const BetrcpOptions& options) {
  const std::string& before = options.operands[0];
  const std::string& after = options.operands[1];
  const absl::StatusOr<ScopedFd> compared = CompareOnMount(before, after);
  if (!compared.ok()) return tool.Fail("diff", compared.status());
  Differences differences(tool, options);
  differences.Begin(before, after);
  const absl::Status status =
      TellAll(compared->get(), before, [&](const EntryDifference& difference) { differences.Add(difference); });
  differences.Finish();
  return status.ok() ? static_cast<int>(kExitOk) : tool.Fail("diff", status);
}

}  // namespace betr::tools
