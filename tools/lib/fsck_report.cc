// SPDX-License-Identifier: Apache-2.0
#include "fsck_report.h"

#include <ostream>

#include "shown_text.h"

namespace betr::tools {
namespace {

Json ToJson(const fs::Loss& loss) {
  using Kind = fs::Loss::Kind;
  Json entry = Json::object();
  entry["kind"] = KindName(loss.kind);
  if (loss.kind == Kind::kBytes || loss.kind == Kind::kAttribute || loss.kind == Kind::kName) {
    entry["names"] = Json::array();
    for (const std::string& name : loss.names) entry["names"].push_back(JsonText(name));
  }
  if (loss.kind == Kind::kBytes) {
    entry["first"] = loss.first;
    entry["last"] = loss.last;
  }
  if (loss.kind == Kind::kAttribute) entry["attribute"] = JsonText(loss.attribute);
  if (loss.kind == Kind::kKeys) entry["tree"] = JsonText(loss.tree);
  if (loss.kind == Kind::kKeys || loss.kind == Kind::kNames) {
    entry["from"] = loss.from.empty() ? Json() : JsonText(loss.from);
    entry["to"] = loss.to.empty() ? Json() : JsonText(loss.to);
  }
  entry["changes_only"] = loss.changes_only;
  entry["but_written"] = loss.but_written;
  entry["partial"] = loss.is_partial;
  entry["why"] = loss.why;
  return entry;
}

}  // namespace

void FsckReport::Found(const FsckFinding& finding) {
  errors_ += finding.is_harmless ? 0 : 1;
  if (tool_.json()) {
    Json entry = Json::object();
    entry["level"] = finding.level;
    entry["kind"] = finding.kind;
    entry["what"] = finding.what;
    entry["harmless"] = finding.is_harmless;
    findings_.push_back(std::move(entry));
    return;
  }
  progress_.Clear();
  tool_.io().out << (finding.is_harmless ? "harmless: " : "") << finding.what << '\n';
}

void FsckReport::Repaired(std::string_view what) {
  ++repairs_;
  if (tool_.json()) {
    repaired_.push_back(std::string(what));
    return;
  }
  progress_.Clear();
  tool_.io().out << (is_dry_run_ ? "would repair: " : "repaired: ") << what << '\n';
}

void FsckReport::GivingUp(const fs::Loss& loss) {
  progress_.Clear();
  std::ostream& out = tool_.json() ? tool_.io().err : tool_.io().out;
  out << (is_dry_run_ ? "would give up: " : "giving up: ") << ToText(loss) << '\n';
}

void FsckReport::Flush() {
  tool_.io().out.flush();
  tool_.io().err.flush();
}

void FsckReport::Lost(const fs::Loss& loss) {
  if (tool_.json()) {
    lost_.push_back(ToJson(loss));
    return;
  }
  progress_.Clear();
  tool_.io().out << (is_dry_run_ ? "would be lost: " : "lost: ") << ToText(loss) << '\n';
}

void FsckReport::Note(std::string_view what) {
  if (tool_.json()) {
    notes_.push_back(std::string(what));
  } else {
    progress_.Clear();
    tool_.Note(what);
  }
}

void FsckReport::Finish(const std::string& image, const End& end, const Json& figures) {
  progress_.Clear();
  if (!tool_.json()) {
    if (!tool_.quiet()) tool_.io().out << LegibleName(image) << ": " << end.summary << '\n';
    tool_.io().out.flush();
    return;
  }
  Json document = NewDocument("fsck");
  document["image"] = JsonText(image);
  document["exit_code"] = end.exit_code;
  document["dry_run"] = is_dry_run_;
  document["summary"] = end.summary;
  document["error"] = end.error.empty() ? Json() : Json(end.error);
  document["findings"] = std::move(findings_);
  document["repaired"] = std::move(repaired_);
  document["lost"] = std::move(lost_);
  document["all_lost_listed"] = end.all_lost_listed;
  document["notes"] = std::move(notes_);
  document["figures"] = figures;
  PrintJson(tool_.io().out, document);
  tool_.io().out.flush();
}

}  // namespace betr::tools
