// SPDX-License-Identifier: Apache-2.0
#include "fsck_report.h"

#include <ostream>

namespace betr::tools {

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
  tool_.io().out << "repaired: " << what << '\n';
}

void FsckReport::Lost(std::string_view what) {
  if (tool_.json()) {
    lost_.push_back(std::string(what));
    return;
  }
  progress_.Clear();
  tool_.io().out << "lost: " << what << '\n';
}

void FsckReport::Note(std::string_view what) {
  if (tool_.json()) {
    notes_.push_back(std::string(what));
  } else {
    progress_.Clear();
    tool_.Note(what);
  }
}

void FsckReport::Finish(const std::string& image, std::string_view summary, int exit_code, const Json& figures) {
  progress_.Clear();
  if (!tool_.json()) {
    if (!tool_.quiet()) {
      tool_.io().out << image << ": " << summary << '\n';
    }
    tool_.io().out.flush();
    return;
  }
  Json document = NewDocument("fsck");
  document["image"] = JsonText(image);
  document["exit_code"] = exit_code;
  document["summary"] = summary;
  document["findings"] = std::move(findings_);
  document["repaired"] = std::move(repaired_);
  document["lost"] = std::move(lost_);
  document["notes"] = std::move(notes_);
  document["figures"] = figures;
  PrintJson(tool_.io().out, document);
  tool_.io().out.flush();
}

}  // namespace betr::tools
