// SPDX-License-Identifier: Apache-2.0
#include "betrcp_du.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/scoped_fd.h"
#include "base/size_text.h"
#include "base/status.h"
#include "betr/mount_ioctl.h"
#include "betrcp_mounted.h"
#include "json_output.h"
#include "open_inside.h"
#include "session.h"
#include "shown_text.h"

namespace betr::tools {
namespace {

// Gathers what is to be told, for people or as a JSON document.
class Report {
 public:
  explicit Report(const Tool& tool) : tool_(tool) {}

  void Add(const std::string& path, const Footprint& footprint) {
    if (tool_.json()) {
      Json entry = Json::object();
      entry["path"] = JsonText(path);
      entry.update(JsonOf(footprint));
      entries_.push_back(std::move(entry));
    } else {
      Print(path, footprint);
    }
  }

  void AddTogether(const Footprint& footprint) {
    if (tool_.json()) {
      together_ = JsonOf(footprint);
    } else {
      Print("(together)", footprint);
    }
  }

  void Finish() {
    if (!tool_.json()) return;
    Json document = NewDocument("du");
    document["entries"] = std::move(entries_);
    if (!together_.empty()) document["together"] = std::move(together_);
    PrintJson(tool_.io().out, document);
  }

 private:
  static Json JsonOf(const Footprint& footprint) {
    return {{"stored", footprint.stored.value}, {"exclusive", footprint.exclusive.value}};
  }

  void Print(const std::string& path, const Footprint& footprint) {
    std::ostream& out = tool_.io().out;
    if (!has_header_) out << fmt::format("{:>11} {:>11}\n", "stored", "exclusive");
    has_header_ = true;
    out << fmt::format("{:>11} {:>11}  {}\n", FormatSize(footprint.stored), FormatSize(footprint.exclusive),
                       ShownName(path, tool_.io().is_out_terminal));
  }

  const Tool& tool_;
  bool has_header_ = false;
  Json entries_ = Json::array();
  Json together_ = Json::object();
};

// One image, or one mount.
class Source {
 public:
  virtual ~Source() = default;
  // Returns the entries of a directory by name, each with `path` in front. Returns none for what is no directory.
  virtual absl::StatusOr<std::vector<std::string>> EntriesOf(const std::string& path) = 0;
  virtual absl::StatusOr<Footprint> FootprintOf(const std::vector<std::string>& paths) = 0;
};

int TellAll(Source& source, const BetrcpOptions& options, const std::vector<std::string>& paths, Report& report,
            absl::FunctionRef<int(const absl::Status&)> fail) {
  int exit = kExitOk;
  std::vector<std::string> told;
  const auto tell = [&](const std::string& path) {
    const absl::StatusOr<Footprint> footprint = source.FootprintOf({path});
    if (footprint.ok()) {
      report.Add(path, *footprint);
    } else {
      exit = std::max(exit, fail(footprint.status()));
    }
    return footprint.ok();
  };
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> entries =
        options.long_listing ? source.EntriesOf(path) : std::vector<std::string>();
    if (!entries.ok()) exit = std::max(exit, fail(entries.status()));
    for (const std::string& entry : entries.value_or(std::vector<std::string>())) tell(entry);
    if (entries.ok() && tell(path)) told.push_back(path);
  }
  if (told.size() > 1) {
    const absl::StatusOr<Footprint> footprint = source.FootprintOf(told);
    if (footprint.ok()) {
      report.AddTogether(*footprint);
    } else {
      exit = std::max(exit, fail(footprint.status()));
    }
  }
  report.Finish();
  return exit;
}

class Image final : public Source {
 public:
  explicit Image(PathFileSystem& paths) : paths_(paths) {}

  absl::StatusOr<std::vector<std::string>> EntriesOf(const std::string& path) override {
    std::vector<std::string> entries;
    BETR_ASSIGN_OR_RETURN(const OpenFile top, OpenInside(paths_, path));
    if (top.attributes().type != FileType::kDirectory) return entries;
    BETR_ASSIGN_OR_RETURN(entries, paths_.List(path));
    for (std::string& entry : entries) entry = JoinPath(path, entry);
    return entries;
  }

  absl::StatusOr<Footprint> FootprintOf(const std::vector<std::string>& paths) override {
    std::vector<OpenFile> files;
    std::vector<InodeId> inodes;
    for (const std::string& path : paths) {
      BETR_ASSIGN_OR_RETURN(OpenFile file, OpenInside(paths_, path));
      inodes.push_back(file.inode());
      files.push_back(std::move(file));
    }
    absl::StatusOr<Footprint> footprint = paths_.fs().FootprintOf(inodes);
    return footprint.ok() ? footprint : Annotate(footprint.status(), paths.front());
  }

 private:
  PathFileSystem& paths_;
};

class Mount final : public Source {
 public:
  absl::StatusOr<std::vector<std::string>> EntriesOf(const std::string& path) override {
    std::vector<std::string> entries;
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) return entries;
    for (auto entry = std::filesystem::directory_iterator(path, error); !error && entry != end(entry);
         entry.increment(error)) {
      // Anything else takes next to nothing, and may do anything when it is opened.
      std::error_code gone;
      const std::filesystem::file_type type = entry->symlink_status(gone).type();
      const bool opens = type == std::filesystem::file_type::regular || type == std::filesystem::file_type::directory;
      if (opens) entries.push_back(entry->path());
    }
    if (error) return ErrnoError(error.value(), path);
    std::ranges::sort(entries);
    return entries;
  }

  absl::StatusOr<Footprint> FootprintOf(const std::vector<std::string>& paths) override {
    betr_footprint footprint{};
    if (paths.size() > BETR_FOOTPRINT_SOURCES) {
      return absl::InvalidArgumentError(fmt::format("more than {} paths together", BETR_FOOTPRINT_SOURCES));
    }
    std::vector<ScopedFd> files;
    for (const std::string& path : paths) {
      BETR_ASSIGN_OR_RETURN(ScopedFd file, OpenOnMount(path, "measured"));
      files.push_back(std::move(file));
      if (ioctl(files.back().get(), BETR_IOC_SOURCE, &footprint.sources[footprint.count++]) != 0) {
        return MountError(path);
      }
    }
    if (ioctl(files.front().get(), BETR_IOC_FOOTPRINT, &footprint) != 0) return MountError(paths.front());
    return Footprint{{footprint.stored}, {footprint.exclusive}};
  }
};

}  // namespace

int DuInside(Tool& tool, const BetrcpOptions& options) {
  const std::vector<Location> places = ParseAllInside(options.operands);
  const absl::StatusOr<std::string> image = ImageOf(tool, places);
  if (!image.ok()) return tool.UsageError(MessageOf(image.status()));
  std::vector<std::string> operands;
  for (const Location& place : places) operands.push_back(place.path);
  Session session(&tool, {.access = ReadAccess(options), .cache_size = options.cache_size, .experiments = {}});
  return session.RunTelling(*image, [&](PathFileSystem& paths) {
    Image source(paths);
    Report report(tool);
    return TellAll(source, options, operands, report, [&](const absl::Status& status) {
      return session.Tell({"du", status});
    });
  });
}

int DuOnMount(Tool& tool, const BetrcpOptions& options) {
  Mount source;
  Report report(tool);
  return TellAll(source, options, options.operands, report,
                 [&](const absl::Status& status) { return tool.Fail("du", status); });
}

}  // namespace betr::tools
