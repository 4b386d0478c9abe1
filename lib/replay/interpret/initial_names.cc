// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/initial_names.h"

#include <fmt/format.h>

#include <filesystem>

#include "replay/interpret/name_space.h"

namespace betr::replay {
namespace {

using Path = std::filesystem::path;

// What leads from a directory to a place.
std::string Relative(const Path& to, const Path& directory) { return to.lexically_relative(directory).string(); }

// The same place by a text of `size` bytes: slashes more where there is one. Nothing if the text is too long for that.
std::optional<std::string> Stretched(std::string text, uint64_t size) {
  if (text.size() > size || size > kLongestPath) return std::nullopt;
  const uint64_t missing = size - text.size();
  const size_t slash = text.find('/');
  if (slash != std::string::npos) return text.insert(slash, missing, '/');
  if (missing == 1) return std::nullopt;
  return missing == 0 ? text : "." + std::string(missing - 1, '/') + text;
}

template <class Value>
bool Learn(const Value& seen, const Value& nothing, Value* known) {
  if (*known != nothing || seen == nothing) return false;
  *known = seen;
  return true;
}

}  // namespace

bool InitialNames::NoteLink(const std::string& path, const InitialLink& seen) {
  if (refuted_.contains(path)) return false;
  const auto [at, is_new] = links_.try_emplace(path);
  Known& known = at->second;
  if (is_new) known.number = ++last_number_;
  const bool has_text = Learn(seen.text, {}, &known.link.text);
  const bool has_way = Learn(seen.leads_to, {}, &known.link.leads_to);
  const std::string before = is_new ? "" : MadeUp(path, known);
  const bool has_size = Learn(seen.size, {}, &known.link.size);
  if (is_new || has_size) {
    made_up_.erase(before);
    made_up_.emplace(MadeUp(path, known), path);
  }
  return is_new || has_text || has_size || has_way;
}

bool InitialNames::NoteWay(const std::string& path, std::string_view leads_to) {
  const auto made_up = made_up_.find(path);
  return NoteLink(made_up == made_up_.end() ? path : made_up->second, {.leads_to = std::string(leads_to)});
}

bool InitialNames::RefuteLink(const std::string& path) {
  if (const auto known = links_.find(path); known != links_.end()) {
    made_up_.erase(MadeUp(path, known->second));
    links_.erase(known);
  }
  return refuted_.insert(path).second;
}

std::string InitialNames::MadeUp(const std::string& link, const Known& known) const {
  const std::string usual = Path(root_) / fmt::format(".betrreplay-link-{}", known.number);
  const uint64_t size = known.link.size.value_or(usual.size());
  if (size >= usual.size()) return usual;
  const Path directory = Path(link).parent_path();
  const std::string up = directory == root_ ? "" : Relative(root_, directory) + "/";
  const bool reaches_root = size > up.size();
  const std::string name = fmt::format("{:~>{}}", known.number, reaches_root ? size - up.size() : size);
  return (reaches_root ? Path(root_) : directory) / name;
}

std::string InitialNames::TargetOf(const std::string& link, const Known& known) const {
  if (known.link.text.has_value()) return *known.link.text;
  const std::string absolute = known.link.leads_to.empty() ? MadeUp(link, known) : known.link.leads_to;
  if (!known.link.size.has_value()) return absolute;
  const uint64_t size = *known.link.size;
  const std::string relative = Relative(absolute, Path(link).parent_path());
  if (relative.size() == size) return relative;
  if (const std::optional<std::string> text = Stretched(absolute, size)) return *text;
  return Stretched(relative, size).value_or(relative);
}

}  // namespace betr::replay
