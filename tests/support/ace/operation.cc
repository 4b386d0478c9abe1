// SPDX-License-Identifier: Apache-2.0
#include "support/ace/operation.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

namespace betr::ace {
namespace {

using Paths = std::initializer_list<const char*>;
using Parts = std::initializer_list<std::pair<const char*, Part>>;

constexpr Paths kFiles = {"foo", "A/foo"};
constexpr Paths kAllFiles = {"foo", "A/foo", "bar", "A/bar"};
constexpr Paths kTargets = {"bar", "A/bar"};

constexpr Parts kThreeParts = {
    {"append", Part::kAppend}, {"overlap-start", Part::kOverlapStart}, {"overlap-extend", Part::kOverlapExtend}};
constexpr Parts kTwoParts = {{"append", Part::kAppend}, {"overlap-start", Part::kFirst8K}};

constexpr uint64_t kSmallXattr = 10;
constexpr uint64_t kLargeXattr = 9000;  // more than a record has room for

class Maker {
 public:
  Operation& Add(const std::string& verb_text, Verb verb, const std::string& path, const std::string& other = {}) {
    Operation& operation = operations_.emplace_back();
    operation.text = verb_text + ":" + (path.empty() ? "/" : path) + (other.empty() ? "" : ":" + other);
    operation.verb = verb;
    operation.path = path;
    operation.other = other;
    operation.is_of_ace = is_of_ace_;
    return operation;
  }

  void AddEach(const std::string& verb_text, Verb verb, Paths paths) {
    for (const char* path : paths) Add(verb_text, verb, path);
  }

  void AddParts(const std::string& verb_text, Verb verb, Paths paths, Parts parts) {
    for (const char* path : paths) {
      for (const auto& [name, part] : parts) {
        Operation& operation = Add(verb_text, verb, path);
        operation.text += std::string(":") + name;
        operation.part = part;
      }
    }
  }

  void AddAllocations() {
    constexpr std::pair<const char*, AllocateMode> kModes[] = {{"zero", AllocateMode::kZero},
                                                               {"zero-keep", AllocateMode::kZeroKeepSize},
                                                               {"punch", AllocateMode::kPunchHole},
                                                               {"keep", AllocateMode::kKeepSize},
                                                               {"extend", AllocateMode::kExtend}};
    for (const auto& [name, mode] : kModes) {
      const size_t first = operations_.size();
      AddParts("falloc", Verb::kAllocate, kFiles, kThreeParts);
      for (size_t i = first; i < operations_.size(); ++i) {
        operations_[i].text += std::string(":") + name;
        operations_[i].mode = mode;
      }
    }
  }

  void AddPairs(const std::string& verb_text, Verb verb) {
    for (const char* from : kAllFiles) {
      for (const char* to : kTargets) {
        if (std::string_view(from) != to) Add(verb_text, verb, from, to);
      }
    }
  }

  void AddSizes(const std::string& verb_text, Verb verb, Paths paths, std::initializer_list<uint64_t> sizes) {
    for (const char* path : paths) {
      for (const uint64_t size : sizes) {
        Operation& operation = Add(verb_text, verb, path);
        operation.size = size;
        if (verb == Verb::kTruncate) {
          operation.text += ":" + std::to_string(size);
        } else if (size == kLargeXattr) {
          operation.text += ":large";
        }
      }
    }
  }

  void AddAce() {
    AddEach("creat", Verb::kCreate, kFiles);
    AddEach("mkdir", Verb::kMakeDirectory, {"A"});
    AddAllocations();
    AddParts("write", Verb::kWrite, kFiles, kThreeParts);
    AddParts("dwrite", Verb::kWrite, kFiles, kTwoParts);
    AddParts("mmapwrite", Verb::kMapWrite, kFiles, kTwoParts);
    AddPairs("link", Verb::kLink);
    AddPairs("rename", Verb::kRename);
    Add("rename", Verb::kRename, "A", "B");
    AddEach("unlink", Verb::kUnlink, kAllFiles);
    AddEach("remove", Verb::kUnlink, kAllFiles);
    AddSizes("setxattr", Verb::kSetXattr, kFiles, {kSmallXattr});
    AddEach("removexattr", Verb::kRemoveXattr, kFiles);
    AddSizes("truncate", Verb::kTruncate, kFiles, {0, 2500});
    is_of_ace_ = false;
  }

  void AddClones() {
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{{"foo", "bar"},  // files
                                                                                             {"foo", "A/bar"},
                                                                                             {"A/foo", "bar"},
                                                                                             {"A/foo", "B/foo"},
                                                                                             {"A", "B"},  // directories
                                                                                             {"B", "A"},
                                                                                             {"A", "A/C"},
                                                                                             {"B", "A/C"},
                                                                                             {"", "B"}}) {
      Add("clone", Verb::kClone, from, to);
    }
    // To either side of a clone, and across its border.
    AddParts("write", Verb::kWrite, {"bar", "A/bar", "B/foo", "A/C/foo"}, {{"overlap-start", Part::kOverlapStart}});
    AddEach("creat", Verb::kCreate, {"B/bar"});
    AddEach("unlink", Verb::kUnlink, {"B/foo"});
    AddSizes("setxattr", Verb::kSetXattr, {"B/foo", "A"}, {kSmallXattr});
    for (const auto& [from, to] :
         std::initializer_list<std::pair<const char*, const char*>>{{"foo", "B/bar"}, {"B/foo", "bar"}}) {
      Add("link", Verb::kLink, from, to);
      Add("rename", Verb::kRename, from, to);
    }
  }

  void AddNames() {
    Add("replace", Verb::kReplace, "foo", "bar");
    Add("replace", Verb::kReplace, "A/foo", "bar");
    Add("replace", Verb::kReplace, "A", "B");
    Add("rename", Verb::kRename, "B", "A");
    Add("rename", Verb::kRename, "B", "A/C");
    Add("rename", Verb::kRename, "A/C", "B");
    Add("leave", Verb::kLeave, "foo", "bar");
    Add("leave", Verb::kLeave, "A/foo", "bar");
    Add("leave", Verb::kLeave, "A", "B");
    Add("exchange", Verb::kExchange, "foo", "A/bar");
    Add("exchange", Verb::kExchange, "A", "B");
    Add("exchange", Verb::kExchange, "foo", "A");
    Add("symlink", Verb::kSymlink, "foo", "bar");
    Add("symlink", Verb::kSymlink, "foo", "A/bar");
    AddEach("mkfifo", Verb::kMakeFifo, {"foo"});
    AddEach("mkdir", Verb::kMakeDirectory, {"B", "A/C"});
    AddEach("rmdir", Verb::kRemoveDirectory, {"A", "B"});
    AddEach("rmtree", Verb::kRemoveTree, {"A", "B", "A/C"});
  }

  void AddContents() {
    AddEach("chmod", Verb::kSetMode, {"foo", "A"});
    AddEach("chown", Verb::kSetOwner, {"foo"});
    AddEach("utimes", Verb::kSetTimes, {"foo", "A"});
    for (const auto& [name, part] : Parts{{"whole", Part::kNone}, {"middle", Part::kMiddle}}) {
      for (const char* to : {"bar", "A/bar"}) {
        Operation& operation = Add("copy", Verb::kCopyRange, "foo", to);
        operation.text += std::string(":") + name;
        operation.part = part;
      }
    }
    AddSizes("truncate", Verb::kTruncate, {"foo", "A/foo"}, {100'000});
    AddParts("write", Verb::kWrite, kFiles, {{"sparse", Part::kSparse}});
    AddSizes("setxattr", Verb::kSetXattr, kFiles, {kLargeXattr});
    AddEach("orphan", Verb::kOrphan, {"foo", "A/foo"});
    AddEach("tmpfile", Verb::kUnnamed, {"A"});
  }

  std::vector<Operation> Take() { return std::move(operations_); }

 private:
  std::vector<Operation> operations_;
  bool is_of_ace_ = true;
};

std::vector<Operation> MakeAll() {
  Maker maker;
  maker.AddAce();
  maker.AddClones();
  maker.AddNames();
  maker.AddContents();
  return maker.Take();
}

}  // namespace

std::vector<std::string> Operation::Names() const {
  // The text of a symlink is no name.
  if (verb == Verb::kSymlink) return {other};
  return other.empty() ? std::vector<std::string>{path} : std::vector<std::string>{path, other};
}

const std::vector<Operation>& Operations() {
  static const std::vector<Operation>& all = *new std::vector<Operation>(MakeAll());
  return all;
}

size_t CountOfAce() {
  static const auto count = static_cast<size_t>(std::ranges::count_if(Operations(), &Operation::is_of_ace));
  return count;
}

const Operation* FindOperation(std::string_view text) {
  static const auto& by_text = *[] {
    auto* const map = new std::map<std::string_view, const Operation*>();
    for (const Operation& operation : Operations()) map->emplace(operation.text, &operation);
    return map;
  }();
  const auto found = by_text.find(text);
  return found == by_text.end() ? nullptr : found->second;
}

}  // namespace betr::ace
